//! `GET /api/v1/skills/{slug}/versions` and `…/versions/{version}`.

use axum::extract::{FromRequestParts, Path, State};
use axum::response::Response;
use http::StatusCode;
use http::request::Parts;
use serde::Deserialize;
use serde_json::{Value, json};
use skillhub_protocol::{Manifest, VersionEntry, VersionState};
use skillhub_store::{Located, LocatedVersion, StoreError};
use skillhub_web::{ApiError, Caller, Params, Registry};

use super::name::{Found, NameInPath, Named, OwnHandle, demand_not_blocked, release};
use super::skill::{Owner, VersionAnswer};
use super::text::{Plain, Refused, answer};

const DEFAULT_LIMIT: usize = 25;
const MAX_LIMIT: usize = 100;

/// The version in a path.
#[derive(Debug, Clone)]
pub(crate) struct VersionInPath(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for VersionInPath {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        #[derive(Deserialize)]
        struct Segment {
            version: String,
        }
        let Path(Segment { version }) =
            Path::from_request_parts(parts, state).await.map_err(|_| Refused::skill_not_found())?;
        Ok(Self(version))
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct ListQuery {
    #[serde(rename = "ownerHandle")]
    owner: Option<String>,
    limit: Option<String>,
    cursor: Option<String>,
}

/// Those that are available: what was withdrawn is not shown, as in the service that these clients are made for.
pub(crate) async fn list(
    State(registry): State<Registry>,
    Plain(Caller(viewer)): Plain<Caller>,
    NameInPath(slug): NameInPath,
    Plain(Params(query)): Plain<Params<ListQuery>>,
) -> Result<Response, Refused> {
    let limit = query.limit.as_deref().map_or(Some(DEFAULT_LIMIT), |text| text.parse().ok().filter(|n| *n > 0));
    let limit = limit.ok_or_else(|| Refused::bad_request("limit must be a positive number"))?.min(MAX_LIMIT);
    let cursor = || Refused::bad_request("cursor must be the nextCursor of an earlier page, unchanged");
    let after = query.cursor.as_deref().map(|text| release(text).ok_or_else(cursor)).transpose()?;
    let named = Named { slug: &slug, owner: query.owner.as_deref() };
    let found = named.find(&registry, &viewer, OwnHandle::PersonalElseNobody).await?;
    if found.located.skill.current.is_none() {
        return Err(Refused::skill_not_found());
    }
    let page = registry.table.versions(&found.located.skill.id, after.as_ref(), limit).await?;
    let available = page.versions.iter().filter(|entry| entry.state == VersionState::Available);
    let items: Vec<_> = available.map(item).collect();
    answer(StatusCode::OK, &json!({ "items": items, "nextCursor": page.next.map(|release| release.to_string()) }))
}

fn item(entry: &VersionEntry) -> Value {
    let created_at = entry.summary.published_at.epoch_millis();
    json!({ "version": entry.summary.version, "createdAt": created_at, "changelog": "" })
}

pub(crate) async fn show(
    State(registry): State<Registry>,
    Plain(Caller(viewer)): Plain<Caller>,
    NameInPath(slug): NameInPath,
    VersionInPath(version): VersionInPath,
    Plain(Params(owner)): Plain<Params<Owner>>,
) -> Result<Response, Refused> {
    let named = Named { slug: &slug, owner: owner.handle.as_deref() };
    let found = named.find(&registry, &viewer, OwnHandle::PersonalElseNobody).await?;
    let version = exactly(&registry, &found, &version).await?;
    let manifest = manifest(&registry, &found.located, &version).await?;
    let files: Vec<_> = manifest.files().iter().map(file).collect();
    let mut wanted = json!(VersionAnswer::from(&version));
    wanted["files"] = json!(files);
    let skill = json!({ "slug": found.spelling, "displayName": manifest.name });
    answer(StatusCode::OK, &json!({ "version": wanted, "skill": skill }))
}

fn file(entry: &skillhub_protocol::FileEntry) -> Value {
    json!({ "path": entry.path, "size": entry.size_bytes, "sha256": entry.sha256 })
}

/// The version with this number, if its bytes may be had: withdrawn ones too, for who names them exactly.
///
/// # Errors
/// 404 for a version that is not there, 410 for a blocked one, 400 for another than the name is pinned to.
pub(crate) async fn exactly(registry: &Registry, found: &Found, text: &str) -> Result<LocatedVersion, Refused> {
    let wanted = release(text).ok_or_else(Refused::version_not_found)?;
    if let skillhub_protocol::Selector::Version(pinned) = found.coordinate.selector()
        && *pinned != wanted
    {
        let text = format!("{} is pinned to {pinned}, so it has no version {wanted}.", found.spelling);
        return Err(Refused::bad_request(text));
    }
    let known = found.located.version.clone().filter(|version| version.version == wanted);
    let version = match known {
        Some(version) => Some(version),
        None => registry.table.version_by_number(&found.located.skill.id, &wanted).await?,
    };
    let version = version.ok_or_else(Refused::version_not_found)?;
    demand_not_blocked(&version)?;
    Ok(version)
}

/// A version without its body breaks an invariant of publishing: that is our fault, not a 404.
async fn manifest(registry: &Registry, located: &Located, version: &LocatedVersion) -> Result<Manifest, Refused> {
    let json = registry.table.manifest_json(&located.skill.id, &version.id).await?;
    let json = json.ok_or_else(|| ApiError::internal(format!("version {} has no body", version.id)))?;
    let corrupt = |e: skillhub_protocol::Error| StoreError::Corrupt { kind: "version body", cause: e.to_string() };
    Ok(Manifest::from_json(&json).map_err(corrupt)?)
}
