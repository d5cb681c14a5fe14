//! Extractors whose refusals are problems.

use axum::extract::rejection::StringRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{StatusCode, header};
use serde::de::DeserializeOwned;
use skillhub_protocol::Namespace;

use crate::error::ApiError;

/// The largest request body, in bytes.
pub const MAX_BODY_BYTES: usize = 256 << 10;

/// The parameters of the path. One that is no value of its type names nothing: 404.
#[derive(Debug, Clone)]
pub struct PathParams<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Path(value) = Path::from_request_parts(parts, state).await.map_err(|_| ApiError::not_found())?;
        Ok(Self(value))
    }
}

/// The handle of a namespace or person in a path: with its `@` or without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handle(pub Namespace);

impl<'de> serde::Deserialize<'de> for Handle {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let namespace = Namespace::from_handle(text.strip_prefix('@').unwrap_or(&text));
        namespace.map(Self).map_err(serde::de::Error::custom)
    }
}

/// The parameters of the query.
#[derive(Debug, Clone)]
pub struct Params<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Query(value) = Query::from_request_parts(parts, state)
            .await
            .map_err(|_| ApiError::invalid("invalid_request", "query", "must be well-formed, each parameter once"))?;
        Ok(Self(value))
    }
}

/// A text body of at most [`MAX_BODY_BYTES`].
#[derive(Debug, Clone)]
pub struct Body(pub String);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        match String::from_request(request, state).await {
            Ok(text) => Ok(Self(text)),
            Err(StringRejection::InvalidUtf8(_)) => {
                Err(ApiError::invalid("invalid_request", "request", "must be UTF-8"))
            }
            Err(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                let detail = format!("The request body may have at most {MAX_BODY_BYTES} bytes.");
                Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", detail))
            }
            Err(_) => Err(ApiError::invalid("invalid_request", "request", "could not be read to its end")),
        }
    }
}

/// The `limit` of a page: a number from 1 to `max`.
///
/// # Errors
/// 400 with the path `limit`.
pub fn page_limit(text: Option<&str>, default: usize, max: usize) -> Result<usize, ApiError> {
    let Some(text) = text else { return Ok(default) };
    // The parser of Rust would take a sign too.
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let limit = text.parse().ok().filter(|limit| digits && (1..=max).contains(limit));
    limit.ok_or_else(|| ApiError::invalid("invalid_request", "limit", format!("must be a number from 1 to {max}")))
}

/// A value as an answer.
///
/// # Errors
/// 500, if it cannot be written as JSON.
pub fn json(status: StatusCode, value: &impl serde::Serialize) -> Result<Response, ApiError> {
    let body = serde_json::to_string(value).map_err(|e| ApiError::internal(e.to_string()))?;
    Ok(json_text(status, body))
}

/// An answer of JSON text that is ready to send.
pub fn json_text(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}
