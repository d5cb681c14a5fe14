//! `POST /api/uploads`.

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use skillhub_protocol::{OpenUpload, Release, UploadId, UploadSession, UploadState};
use skillhub_web::{ApiError, Body, Now, OpenedUpload, Publisher, open_upload};

use crate::{App, answer};

/// Longest `Idempotency-Key`, in bytes.
const MAX_IDEMPOTENCY_KEY: usize = 255;

pub(crate) async fn open(
    State(app): State<App>,
    Publisher(caller): Publisher,
    Now(now): Now,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Response, ApiError> {
    let request = OpenUpload::from_json(&body)?;
    let key = idempotency_key(&headers)?;
    match open_upload(&app.registry, &caller, &request, key, now).await? {
        OpenedUpload::Created(session) => answer::session(&app.objects, &session, StatusCode::CREATED, now).await,
        OpenedUpload::Existing(session) => answer::session(&app.objects, &session, StatusCode::OK, now).await,
        OpenedUpload::Published { upload_id, release, published } => {
            let mut session = published_session(upload_id, &request, &release, now);
            session.published = Some(published);
            answer::json(StatusCode::OK, &session)
        }
    }
}

/// The session that published a version, as far as opening it again needs it; it may be gone by now.
fn published_session(
    id: UploadId,
    request: &OpenUpload,
    release: &Release,
    now: skillhub_protocol::UtcMillis,
) -> UploadSession {
    let (namespace, slug) = (request.namespace.clone(), request.manifest.slug.clone());
    UploadSession::new(id, UploadState::Published, namespace, slug, release.into(), now)
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    match value.to_str() {
        Ok(key) if (1..=MAX_IDEMPOTENCY_KEY).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic()) => {
            Ok(Some(key))
        }
        _ => {
            let message = format!("must be 1 to {MAX_IDEMPOTENCY_KEY} visible ASCII characters");
            Err(ApiError::invalid("invalid_request", "idempotency-key", message))
        }
    }
}
