//! Stored values as answers.

use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use skillhub_protocol::{PresignedPut, UploadSession, UploadState, UtcMillis};
use skillhub_store::{Objects, SessionItem};
use skillhub_web::{ApiError, METRICS};

pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Result<Response, ApiError> {
    let mut response = skillhub_web::json(status, value)?;
    // Sessions change, and an open one holds a credential.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// A session; while it is open, with a fresh URL for the upload.
pub(crate) async fn session(
    objects: &Objects,
    session: &SessionItem,
    status: StatusCode,
    now: UtcMillis,
) -> Result<Response, ApiError> {
    let mut answer = wire(session);
    if session.state == UploadState::Open {
        let credential = objects.presign_upload(&session.id, session.declaration(), now).await?;
        tracing::info!(target: METRICS, Presigned = 1, Kind = "upload");
        let (url, headers, expires_at) = (credential.url, credential.headers, credential.expires_at);
        answer.upload = Some(PresignedPut { url, headers, expires_at });
    }
    let mut response = json(status, &answer)?;
    if status == StatusCode::CREATED {
        let location = HeaderValue::try_from(format!("/api/uploads/{}", session.id));
        location.into_iter().for_each(|location| {
            response.headers_mut().insert(header::LOCATION, location);
        });
    }
    Ok(response)
}

fn wire(session: &SessionItem) -> UploadSession {
    let (namespace, slug, version) = (session.namespace.clone(), session.slug.clone(), (&session.version).into());
    let mut answer =
        UploadSession::new(session.id.clone(), session.state, namespace, slug, version, session.expires_at);
    answer.published = session.published.clone();
    answer.findings = session.findings.clone();
    answer
}
