//! `GET /api/skills/{skillId}/versions/{versionId}/download`: a URL that reads one artifact for at most five minutes.
//!
//! One read of the table; signing makes no call.

use axum::Router;
use axum::extract::{FromRef, State};
use axum::response::Response;
use axum::routing::get;
use http::{StatusCode, header};
use skillhub_protocol::{DownloadResponse, SkillId, VersionId, VersionState};
use skillhub_store::{ObjectKey, Objects};
use skillhub_web::{ApiError, Caller, METRICS, Now, PathParams, Registry, json_text};

#[derive(Debug, Clone, FromRef)]
struct App {
    registry: Registry,
    objects: Objects,
}

/// The routes of this function.
pub fn router(registry: Registry, objects: Objects) -> Router {
    Router::new()
        .route("/api/skills/{skillId}/versions/{versionId}/download", get(download))
        .with_state(App { registry, objects })
}

async fn download(
    State(App { registry, objects }): State<App>,
    Caller(viewer): Caller,
    Now(now): Now,
    PathParams((skill, id)): PathParams<(SkillId, VersionId)>,
) -> Result<Response, ApiError> {
    let version = registry.table.version(&skill, &id).await?.ok_or_else(ApiError::not_found)?;
    if !viewer.may_see(&version.audience, registry.settings.anonymous_read) {
        return Err(ApiError::not_found());
    }
    if version.state == VersionState::Blocked {
        let detail = "This version is blocked: its bytes are not handed out any more.";
        return Err(ApiError::new(StatusCode::GONE, "blocked", detail));
    }
    let file_name = format!("{}-{}.zip", version.slug, version.version);
    let key = ObjectKey::Package { skill, version: id, artifact: version.artifact_sha256 };
    let credential = objects.presign_download(&key, &file_name, now).await?;
    tracing::info!(target: METRICS, Presigned = 1, Kind = "download");
    let answer = DownloadResponse {
        url: credential.url,
        sha256: version.artifact_sha256,
        size_bytes: version.artifact_bytes,
        expires_at: credential.expires_at,
    };
    let body = serde_json::to_string(&answer).map_err(|e| ApiError::internal(e.to_string()))?;
    let mut response = json_text(StatusCode::OK, body);
    response.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    Ok(response)
}
