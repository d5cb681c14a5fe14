//! Where a publisher wants a package, and under which number.

use http::StatusCode;
use skillhub_protocol::{Coordinate, Namespace, NamespaceKind, Scope, Slug, Tag, Version};
use skillhub_store::{Authenticated, MembershipItem, SessionItem, Viewer};

use super::super::name::{Named, OwnHandle, release};
use super::super::text::Refused;
use super::Payload;

/// Where a package goes.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) namespace: Namespace,
    pub(crate) slug: Slug,
    pub(crate) version: Version,
    pub(crate) tags: Vec<Tag>,
    /// Who sees a new skill there.
    pub(crate) scope: Scope,
}

impl Target {
    /// # Errors
    /// 400 for what can be no name, 403 without the right to publish there, 422 for a version or tag that cannot be.
    pub(crate) fn of(payload: &Payload, caller: &Authenticated) -> Result<Self, Refused> {
        if payload.migrate_owner {
            return Err(Refused::bad_request("This registry does not move skills from one owner to another."));
        }
        let named = Named { slug: &payload.slug, owner: payload.owner_handle.as_deref() };
        let viewer = Viewer::Known(Box::new(caller.clone()));
        let coordinates =
            named.coordinates(&viewer, OwnHandle::Nobody).map_err(|refused| nameless(refused, payload))?;
        let coordinate = coordinates.first().ok_or_else(Refused::skill_not_found)?;
        let scope = scope_of(membership(caller, coordinate)?);
        let refused = |text: String| Refused::new(StatusCode::UNPROCESSABLE_ENTITY, text);
        let version = release(&payload.version)
            .ok_or_else(|| refused(format!("{:?} is no version such as 1.2.0 or 1.2.0-rc.1.", payload.version)))?;
        let tags = payload.tags.iter().map(|tag| tag.trim()).filter(|tag| *tag != Tag::LATEST);
        let tags = tags.map(|tag| tag.parse::<Tag>().map_err(|e| refused(format!("tag {tag:?}: {}", String::from(e)))));
        Ok(Self {
            namespace: coordinate.namespace().clone(),
            slug: coordinate.slug().clone(),
            version: (&version).into(),
            tags: tags.collect::<Result<_, _>>()?,
            scope,
        })
    }

    /// Whether a session publishes there, under the same number.
    pub(crate) fn is_of(&self, session: &SessionItem) -> bool {
        let version = Version::from(&session.version);
        (&self.namespace, &self.slug, &self.version) == (&session.namespace, &session.slug, &version)
    }

    /// The name by which these clients find it again.
    pub(crate) fn canonical(&self) -> String {
        match self.namespace.is_global() {
            true => self.slug.to_string(),
            false => format!("{}--{}", self.namespace.handle(), self.slug),
        }
    }
}

/// What is no name for a reader cannot become one for a publisher: that is no 404.
fn nameless(refused: Refused, payload: &Payload) -> Refused {
    match refused {
        Refused::Text(StatusCode::NOT_FOUND, _) => {
            let text = "is no slug: 1 to 64 lowercase letters, digits and single hyphens, with namespace-- before it or without";
            Refused::bad_request(format!("{:?} {text}.", payload.slug))
        }
        other => other,
    }
}

fn membership<'a>(caller: &'a Authenticated, coordinate: &Coordinate) -> Result<&'a MembershipItem, Refused> {
    let found = caller.membership_by_handle(coordinate.namespace()).filter(|m| m.role.may_publish());
    found.ok_or_else(|| {
        let (namespace, ways) = (coordinate.namespace(), ways(caller, coordinate.slug()));
        Refused::new(StatusCode::FORBIDDEN, format!("You may not publish to {namespace}. {ways}"))
    })
}

/// The two ways to say another namespace, and which namespaces the caller has to say.
fn ways(caller: &Authenticated, slug: &Slug) -> String {
    let mut yours: Vec<_> =
        caller.memberships.iter().filter(|m| m.role.may_publish()).map(|m| m.namespace.handle()).collect();
    yours.sort_unstable();
    let (example, which) = match yours.as_slice() {
        [] => {
            ("<namespace>", String::from("You have none to publish to yet: make one with `skillhub namespace create`."))
        }
        [first, ..] => (*first, format!("Yours: {}.", yours.join(", "))),
    };
    format!("Say another namespace with --owner <namespace>, or in the slug: --slug {example}--{slug}. {which}")
}

fn scope_of(membership: &MembershipItem) -> Scope {
    match membership.kind {
        NamespaceKind::Global => Scope::Public,
        NamespaceKind::Organization => Scope::Organization,
        NamespaceKind::Personal => Scope::Personal,
    }
}
