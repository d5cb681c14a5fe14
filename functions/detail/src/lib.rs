//! What a skill, a version and a coordinate are.
//!
//! | route | calls |
//! |---|---|
//! | `GET /api/skills/{skillId}` | 1 query of 2 items; 1 read more if the newest version is not the current one |
//! | `GET /api/skills/{skillId}/versions` | 1 read, 1 query |
//! | `GET /api/skills/{skillId}/versions/{versionId}` | 2 reads |
//! | `GET /api/skills/{skillId}/tags` | 1 read |
//! | `GET /api/resolve` | 2 reads, 3 for a namespace other than `@global` |
//! | `GET /api/namespaces/{namespace}/skills/{slug}` | 1 read, 2 for a namespace other than `@global` |

mod resolve;
mod versions;

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{StatusCode, header};
use serde::Serialize;
use skillhub_protocol::{API_SCHEMA_VERSION, SkillId, TagsResponse, VersionId, VersionSummary};
use skillhub_store::{SkillItem, VersionItem, Viewer};
use skillhub_web::{ApiError, Caller, PathParams, Registry, json, json_text};

/// The routes of this function.
pub fn router(registry: Registry) -> Router {
    Router::new()
        .route("/api/resolve", get(resolve::resolve))
        .route("/api/namespaces/{namespace}/skills/{slug}", get(resolve::named))
        .route("/api/skills/{skillId}", get(skill))
        .route("/api/skills/{skillId}/tags", get(tags))
        .route("/api/skills/{skillId}/versions", get(versions::versions))
        .route("/api/skills/{skillId}/versions/{versionId}", get(version))
        .with_state(registry)
}

/// A skill that the caller sees; for everybody else it does not exist.
async fn visible_skill(registry: &Registry, viewer: &Viewer, id: &SkillId) -> Result<SkillItem, ApiError> {
    let skill = registry.table.skill(id).await?.ok_or_else(ApiError::not_found)?;
    let visible = viewer.may_see(&skill.audience, registry.settings.anonymous_read);
    if visible { Ok(skill) } else { Err(ApiError::not_found()) }
}

async fn skill(
    State(registry): State<Registry>,
    Caller(viewer): Caller,
    PathParams(id): PathParams<SkillId>,
) -> Result<Response, ApiError> {
    let front = registry.table.skill_front(&id).await?.ok_or_else(ApiError::not_found)?;
    if !viewer.may_see(&front.skill.audience, registry.settings.anonymous_read) {
        return Err(ApiError::not_found());
    }
    let (Some(summary), Some(current)) = (front.skill.summary(), &front.skill.current) else {
        return Err(ApiError::not_found());
    };
    let manifest = registry.table.current_manifest_json(&front, current).await?;
    let summary = text(&summary)?;
    // Both are stored as they are sent; the manifest belongs into the summary's last object.
    let head = summary.strip_suffix("}}").unwrap_or(&summary);
    let body = format!(r#"{{"schemaVersion":{API_SCHEMA_VERSION},"skill":{head},"manifest":{manifest}}}}}}}"#);
    Ok(json_text(StatusCode::OK, body))
}

async fn tags(
    State(registry): State<Registry>,
    Caller(viewer): Caller,
    PathParams(id): PathParams<SkillId>,
) -> Result<Response, ApiError> {
    let skill = visible_skill(&registry, &viewer, &id).await?;
    json(StatusCode::OK, &TagsResponse { tags: skill.tag_targets() })
}

async fn version(
    State(registry): State<Registry>,
    Caller(viewer): Caller,
    PathParams((skill, id)): PathParams<(SkillId, VersionId)>,
) -> Result<Response, ApiError> {
    let version = registry.table.version(&skill, &id).await?.ok_or_else(ApiError::not_found)?;
    if !viewer.may_see(&version.audience, registry.settings.anonymous_read) {
        return Err(ApiError::not_found());
    }
    let manifest = manifest(&registry, &skill, &id).await?;
    let summary = text(&summary_of(&id, &version))?;
    let head = summary.strip_suffix('}').unwrap_or(&summary);
    let body = format!(r#"{{"schemaVersion":{API_SCHEMA_VERSION},"version":{head},"manifest":{manifest}}}}}"#);
    let mut response = json_text(StatusCode::OK, body);
    // A version never changes; but that it may be seen can, so no shared cache keeps it.
    let cache = header::HeaderValue::from_static("private, max-age=86400, immutable");
    response.headers_mut().insert(header::CACHE_CONTROL, cache);
    Ok(response.into_response())
}

fn summary_of(id: &VersionId, version: &VersionItem) -> VersionSummary {
    VersionSummary {
        id: id.clone(),
        version: (&version.version).into(),
        sha256: version.artifact_sha256,
        size_bytes: version.artifact_bytes,
        published_at: version.published_at,
    }
}

/// A version without its body breaks an invariant of publishing: that is our fault, not a 404.
async fn manifest(registry: &Registry, skill: &SkillId, version: &VersionId) -> Result<String, ApiError> {
    let manifest = registry.table.manifest_json(skill, version).await?;
    manifest.ok_or_else(|| ApiError::internal(format!("version {version} of {skill} has no body")))
}

fn text(value: &impl Serialize) -> Result<String, ApiError> {
    serde_json::to_string(value).map_err(|e| ApiError::internal(e.to_string()))
}
