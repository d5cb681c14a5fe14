//! Which skill a request means: a slug in the path or query, and sometimes an owner.

use axum::extract::FromRequestParts;
use axum::extract::Path;
use http::request::Parts;
use serde::Deserialize;
use skillhub_protocol::{Coordinate, Namespace, Release, Selector};
use skillhub_store::{Audience, Located, LocatedVersion, Viewer};
use skillhub_web::Registry;

use super::text::Refused;

/// The name in a path: `slug`, `namespace--slug`, or `@namespace/slug` with its slash encoded; with `@version` or `@tag`, or
/// without.
#[derive(Debug, Clone)]
pub(crate) struct NameInPath(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for NameInPath {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        #[derive(Deserialize)]
        struct Segment {
            slug: String,
        }
        let Path(Segment { slug }) =
            Path::from_request_parts(parts, state).await.map_err(|_| Refused::skill_not_found())?;
        Ok(Self(slug))
    }
}

/// What a request says of the skill that it means.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) slug: &'a str,
    /// The handle of an owner. Clients send the caller's own even where nobody has named an owner.
    pub(crate) owner: Option<&'a str>,
}

/// What the caller's own handle as owner means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnHandle {
    /// The caller's own skill of that name, if there is one; else nothing.
    PersonalElseNobody,
    /// The caller's own skill. These routes are told an owner only if somebody has named it.
    Personal,
    /// Nothing: the slug alone tells.
    Nobody,
}

/// A skill that the caller sees, and how it was asked for.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) located: Located,
    /// The coordinate that has found it.
    pub(crate) coordinate: Coordinate,
    /// The name in the spelling of the request, with its selector: what clients ask with the next time.
    pub(crate) spelling: String,
}

impl Found {
    /// The version that the name means, if its bytes may be had.
    pub(crate) fn version(&self) -> Result<&LocatedVersion, Refused> {
        let version = self.located.version.as_ref().ok_or_else(Refused::skill_not_found)?;
        demand_not_blocked(version)
    }
}

pub(crate) fn demand_not_blocked(version: &LocatedVersion) -> Result<&LocatedVersion, Refused> {
    match version.state {
        skillhub_protocol::VersionState::Blocked => Err(Refused::new(http::StatusCode::GONE, "Version not available")),
        _ => Ok(version),
    }
}

impl Named<'_> {
    /// The coordinates that it may mean, in the order in which they are tried.
    ///
    /// # Errors
    /// 404 for what can be no name, 400 for a slug that contradicts the owner.
    pub(crate) fn coordinates(self, viewer: &Viewer, own: OwnHandle) -> Result<Vec<Coordinate>, Refused> {
        let name = self.slug.trim().to_lowercase();
        let coordinate: Coordinate = name.parse().map_err(|_| Refused::skill_not_found())?;
        let Some(owner) = self.owner.map(handle).filter(|owner| !owner.is_empty()) else {
            return Ok(vec![coordinate]);
        };
        let owner = Namespace::from_handle(&owner).map_err(|_| Refused::skill_not_found())?;
        let bare = !name.starts_with('@') && coordinate.namespace().is_global();
        let is_own = viewer.authenticated().and_then(|caller| caller.handle()) == Some(&owner);
        match (bare, is_own) {
            (true, true) => {
                let personal = in_namespace(&coordinate, owner)?;
                Ok(match own {
                    OwnHandle::PersonalElseNobody => vec![personal, coordinate],
                    OwnHandle::Personal => vec![personal],
                    OwnHandle::Nobody => vec![coordinate],
                })
            }
            (true, false) => Ok(vec![in_namespace(&coordinate, owner)?]),
            (false, true) => Ok(vec![coordinate]),
            (false, false) if *coordinate.namespace() == owner => Ok(vec![coordinate]),
            (false, false) => {
                let text = format!("The slug {name} belongs to {}, not to {owner}.", coordinate.namespace());
                Err(Refused::bad_request(format!("{text} Leave the owner out, or write the slug alone.")))
            }
        }
    }

    /// The first of its coordinates that is a skill which the caller sees.
    ///
    /// # Errors
    /// As [`coordinates`](Self::coordinates); 404 for what is not there and for what the caller does not see.
    pub(crate) async fn find(self, registry: &Registry, viewer: &Viewer, own: OwnHandle) -> Result<Found, Refused> {
        for coordinate in self.coordinates(viewer, own)? {
            let located = registry.table.locate(&coordinate).await?;
            if let Some(located) = located.filter(|located| sees(registry, viewer, &located.skill.audience)) {
                let spelling = spelling(self.slug, &coordinate);
                return Ok(Found { located, coordinate, spelling });
            }
        }
        Err(Refused::skill_not_found())
    }
}

pub(crate) fn sees(registry: &Registry, viewer: &Viewer, audience: &Audience) -> bool {
    viewer.may_see(audience, registry.settings.anonymous_read)
}

/// A handle as people write it: with `@` or without, in any case.
pub(crate) fn handle(text: &str) -> String {
    text.trim().trim_start_matches('@').to_lowercase()
}

fn in_namespace(coordinate: &Coordinate, namespace: Namespace) -> Result<Coordinate, Refused> {
    let (slug, selector) = (coordinate.slug().clone(), coordinate.selector().clone());
    Coordinate::new(namespace, slug, selector).map_err(|_| Refused::skill_not_found())
}

/// With the namespace only if the request has it in the slug, so that it goes with the owner that is sent along. The selector
/// stays, so that a client that has installed `slug@1.2.0` asks for `slug@1.2.0` when it looks for an update.
fn spelling(asked: &str, coordinate: &Coordinate) -> String {
    let name = if asked.contains("--") || asked.trim_start().starts_with('@') {
        coordinate.to_canonical().to_string()
    } else {
        coordinate.slug().to_string()
    };
    match coordinate.selector() {
        Selector::Latest => name,
        Selector::Version(release) => format!("{name}@{release}"),
        Selector::Tag(tag) => format!("{name}@{tag}"),
    }
}

/// A version as these clients write it: a leading `v` does not count.
pub(crate) fn release(text: &str) -> Option<Release> {
    let text = text.trim();
    text.strip_prefix('v').unwrap_or(text).parse().ok()
}
