//! `GET /api/v1/skills/{slug}`, and `…/install` for a skill without a version to install.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use skillhub_protocol::{Coordinate, Role, Selector};
use skillhub_store::{LocatedVersion, SessionItem, SkillItem, Viewer, created_at};
use skillhub_web::{Caller, Params, Registry};

use super::name::{Found, NameInPath, Named, OwnHandle};
use super::text::{self, Plain, Refused};

/// The owner in a query.
#[derive(Debug, Deserialize)]
pub(crate) struct Owner {
    #[serde(rename = "ownerHandle")]
    pub(crate) handle: Option<String>,
}

/// What these clients are told of a skill. `stats` stays empty, because nothing is counted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkillAnswer {
    slug: String,
    display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    tags: Map<String, Value>,
    stats: Map<String, Value>,
    created_at: i64,
    updated_at: i64,
}

/// A version, without a license: these clients know one, which is not ours to give.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VersionAnswer {
    pub(crate) version: String,
    pub(crate) created_at: i64,
    pub(crate) changelog: &'static str,
}

impl From<&LocatedVersion> for VersionAnswer {
    fn from(version: &LocatedVersion) -> Self {
        let created_at = version.published_at.epoch_millis();
        Self { version: version.version.to_string(), created_at, changelog: "" }
    }
}

pub(crate) async fn show(
    State(registry): State<Registry>,
    Plain(Caller(viewer)): Plain<Caller>,
    NameInPath(slug): NameInPath,
    Plain(Params(owner)): Plain<Params<Owner>>,
) -> Result<Response, Refused> {
    let named = Named { slug: &slug, owner: owner.handle.as_deref() };
    let answer = match installable(&registry, &viewer, named).await? {
        Installable::Version(found, version) => detail(&found, &version),
        Installable::Pending(session) => pending_detail(&slug, &session),
    };
    text::answer(StatusCode::OK, &answer)
}

pub(crate) async fn install(
    State(registry): State<Registry>,
    Plain(Caller(viewer)): Plain<Caller>,
    NameInPath(slug): NameInPath,
    Plain(Params(owner)): Plain<Params<Owner>>,
) -> Result<Response, Refused> {
    let named = Named { slug: &slug, owner: owner.handle.as_deref() };
    let (status, answer) = match installable(&registry, &viewer, named).await? {
        Installable::Version(found, version) => {
            let (slug, version) = (&found.spelling, version.version.to_string());
            let query: String = url::form_urlencoded::Serializer::new(String::new())
                .append_pair("slug", &found.coordinate.to_canonical().to_string())
                .append_pair("version", &version)
                .finish();
            let archive = json!({ "version": version, "downloadUrl": format!("/api/v1/download?{query}") });
            (StatusCode::OK, json!({ "ok": true, "slug": slug, "installKind": "archive", "archive": archive }))
        }
        Installable::Pending(session) => (StatusCode::LOCKED, pending_install(&slug, &session)),
    };
    text::answer(status, &answer)
}

/// What can be said of a name.
enum Installable {
    Version(Box<Found>, LocatedVersion),
    /// Nothing is published yet; the caller may know of the upload.
    Pending(Box<SessionItem>),
}

/// A version that can be installed, or the upload that may become the first one.
async fn installable(registry: &Registry, viewer: &Viewer, named: Named<'_>) -> Result<Installable, Refused> {
    let missing = match named.find(registry, viewer, OwnHandle::PersonalElseNobody).await {
        Ok(found) => match found.version() {
            Ok(version) => return Ok(Installable::Version(Box::new(found.clone()), version.clone())),
            Err(missing) => missing,
        },
        Err(missing) => missing,
    };
    if viewer.authenticated().is_some() && matches!(&missing, Refused::Text(StatusCode::NOT_FOUND, _)) {
        for coordinate in named.coordinates(viewer, OwnHandle::PersonalElseNobody)? {
            if let Some(session) = pending(registry, viewer, &coordinate).await? {
                return Ok(Installable::Pending(Box::new(session)));
            }
        }
    }
    Err(missing)
}

/// An upload under way: known to its opener, and to the owners of the namespace.
async fn pending(
    registry: &Registry,
    viewer: &Viewer,
    coordinate: &Coordinate,
) -> Result<Option<SessionItem>, Refused> {
    let (Some(caller), Selector::Latest) = (viewer.authenticated(), coordinate.selector()) else { return Ok(None) };
    let Some(membership) = caller.membership_by_handle(coordinate.namespace()).filter(|m| m.role.may_publish()) else {
        return Ok(None);
    };
    let session = registry.table.pending_upload(coordinate.namespace(), coordinate.slug()).await?;
    let may_know = |session: &SessionItem| session.principal == caller.principal || membership.role == Role::Owner;
    Ok(session.filter(may_know))
}

fn detail(found: &Found, version: &LocatedVersion) -> Value {
    json!({
        "skill": SkillAnswer::new(&found.located.skill, found.spelling.clone(), version),
        "latestVersion": VersionAnswer::from(version),
        "owner": owner(found.coordinate.namespace().handle()),
        "metadata": null,
        "moderation": null,
    })
}

impl SkillAnswer {
    fn new(skill: &SkillItem, spelling: String, version: &LocatedVersion) -> Self {
        let current = skill.current.as_ref();
        let updated_at = version.published_at.epoch_millis();
        let mut tags: Map<_, _> =
            skill.tag_targets().into_iter().map(|t| (t.tag.to_string(), json!(t.version))).collect();
        // A pinned name has the version that it is pinned to as its latest one.
        tags.insert(String::from("latest"), json!(version.version));
        Self {
            display_name: current.map_or_else(|| skill.slug.to_string(), |current| current.name.to_string()),
            summary: current.map(|current| current.description.to_string()),
            slug: spelling,
            tags,
            stats: Map::new(),
            created_at: created_at(&skill.id).map_or(updated_at, |at| at.epoch_millis()),
            updated_at,
        }
    }
}

fn owner(handle: &str) -> Value {
    json!({ "handle": handle, "displayName": format!("@{handle}") })
}

fn pending_detail(asked: &str, session: &SessionItem) -> Value {
    let at = session.created_at.epoch_millis();
    json!({
        "skill": {
            "slug": asked,
            "displayName": session.slug,
            "tags": {},
            "stats": {},
            "createdAt": at,
            "updatedAt": at,
        },
        "latestVersion": null,
        "owner": owner(session.namespace.handle()),
        "metadata": null,
        "moderation": null,
    })
}

fn pending_install(asked: &str, session: &SessionItem) -> Value {
    let message = format!(
        "{}/{}@{} is being validated and cannot be installed yet. Try again in a minute.",
        session.namespace, session.slug, session.version
    );
    let reason = "github_verification_pending";
    json!({ "ok": false, "slug": asked, "reason": reason, "message": message, "status": 423 })
}
