//! What a skill, a version and a coordinate are.
//!
//! | route | calls |
//! |---|---|
//! | `GET /api/skills/{skillId}` | 2 reads |
//! | `GET /api/skills/{skillId}/versions/{versionId}` | 2 reads |
//! | `GET /api/resolve` | 2 or 3 reads in a row, one more for a namespace other than `@global` |

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{StatusCode, header};
use serde::{Deserialize, Serialize};
use skillhub_protocol::{
    API_SCHEMA_VERSION, CanonicalSlug, Coordinate, ResolveResponse, Selector, SkillId, VersionId, VersionSummary,
};
use skillhub_store::VersionItem;
use skillhub_web::{ApiError, Caller, Params, PathParams, Registry, json_text};

/// The routes of this function.
pub fn router(registry: Registry) -> Router {
    Router::new()
        .route("/api/resolve", get(resolve))
        .route("/api/skills/{skillId}", get(skill))
        .route("/api/skills/{skillId}/versions/{versionId}", get(version))
        .with_state(registry)
}

async fn skill(
    State(registry): State<Registry>,
    Caller(viewer): Caller,
    PathParams(id): PathParams<SkillId>,
) -> Result<Response, ApiError> {
    let skill = registry.table.skill(&id).await?.ok_or_else(ApiError::not_found)?;
    if !viewer.may_see(&skill.audience, registry.settings.anonymous_read) {
        return Err(ApiError::not_found());
    }
    let (Some(summary), Some(current)) = (skill.summary(), &skill.current) else {
        return Err(ApiError::not_found());
    };
    let manifest = manifest(&registry, &id, &current.id).await?;
    let summary = json(&summary)?;
    // Both are stored as they are sent; the manifest belongs into the summary's last object.
    let head = summary.strip_suffix("}}").unwrap_or(&summary);
    let body = format!(r#"{{"schemaVersion":{API_SCHEMA_VERSION},"skill":{head},"manifest":{manifest}}}}}}}"#);
    Ok(json_text(StatusCode::OK, body))
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
    let summary = json(&summary_of(&id, &version))?;
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

fn json(value: &impl Serialize) -> Result<String, ApiError> {
    serde_json::to_string(value).map_err(|e| ApiError::internal(e.to_string()))
}

#[derive(Debug, Deserialize)]
struct ResolveQuery {
    coordinate: Option<String>,
    #[serde(rename = "canonicalSlug")]
    canonical_slug: Option<String>,
}

impl ResolveQuery {
    fn parse(self) -> Result<Coordinate, ApiError> {
        let invalid = |path, e: String| ApiError::invalid("invalid_coordinate", path, e);
        match (self.coordinate, self.canonical_slug) {
            (Some(text), None) => text.parse().map_err(|e| invalid("coordinate", String::from(e))),
            (None, Some(text)) => {
                let slug: CanonicalSlug = text.parse().map_err(|e| invalid("canonicalSlug", String::from(e)))?;
                Ok(slug.with(Selector::Latest))
            }
            _ => Err(invalid("coordinate", String::from("must be given, or else canonicalSlug"))),
        }
    }
}

async fn resolve(
    State(registry): State<Registry>,
    Caller(viewer): Caller,
    Params(query): Params<ResolveQuery>,
) -> Result<Response, ApiError> {
    let coordinate = query.parse()?;
    let resolved = registry.table.resolve(&coordinate).await?.ok_or_else(ApiError::not_found)?;
    if !viewer.may_see(&resolved.audience, registry.settings.anonymous_read) {
        return Err(ApiError::not_found());
    }
    let answer = ResolveResponse {
        namespace: coordinate.namespace().clone(),
        slug: coordinate.slug().clone(),
        skill_id: resolved.skill_id,
        version_id: resolved.version_id,
        version: (&resolved.version).into(),
        sha256: resolved.artifact_sha256,
        size_bytes: resolved.artifact_bytes,
    };
    Ok(json_text(StatusCode::OK, json(&answer)?))
}
