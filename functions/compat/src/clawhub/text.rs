//! Refusals as these clients show them: the body of the answer as it is.

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use skillhub_store::{ChangeError, StoreError};
use skillhub_web::{ApiError, Registry};

/// A refusal in plain text.
#[derive(Debug)]
pub(crate) enum Refused {
    /// One of the API's own.
    Api(ApiError),
    /// One of this protocol.
    Text(StatusCode, String),
}

/// What these clients know as the answer for a skill that is not there, and publish a first version on.
pub(crate) const SKILL_NOT_FOUND: &str = "Skill not found";

impl Refused {
    pub(crate) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self::Text(status, text.into())
    }

    pub(crate) fn bad_request(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }

    pub(crate) fn too_large(text: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, text)
    }

    /// The one answer for a skill that does not exist and for one that the caller may not know of.
    pub(crate) fn skill_not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, SKILL_NOT_FOUND)
    }

    /// Of a skill that the caller sees.
    pub(crate) fn version_not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "Version not found")
    }
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Api(error.into())
    }
}

impl From<ChangeError> for Refused {
    fn from(error: ChangeError) -> Self {
        Self::Api(error.into())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        match self {
            Self::Text(status, text) => plain(status, text),
            Self::Api(error) => {
                let text = match error.status() {
                    StatusCode::NOT_FOUND => SKILL_NOT_FOUND.to_owned(),
                    // The word that makes these clients say how to log in.
                    StatusCode::UNAUTHORIZED => String::from("Unauthorized"),
                    _ => error.text(),
                };
                let response = plain(error.status(), text);
                error.spelled(response)
            }
        }
    }
}

fn plain(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

/// An answer of JSON.
pub(crate) fn answer(status: StatusCode, value: &impl serde::Serialize) -> Result<Response, Refused> {
    Ok(skillhub_web::json(status, value)?)
}

/// An extractor of the API whose refusals are plain text.
#[derive(Debug, Clone)]
pub(crate) struct Plain<E>(pub(crate) E);

impl<S: Send + Sync, E: FromRequestParts<S, Rejection: Into<Refused>>> FromRequestParts<S> for Plain<E> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        E::from_request_parts(parts, state).await.map(Self).map_err(Into::into)
    }
}

/// Says on 429, and nowhere else, what the rate is: on any other refusal these clients would print it as if it were the reason.
pub(crate) async fn tell_rate(State(registry): State<Registry>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if response.status() == StatusCode::TOO_MANY_REQUESTS {
        let headers = response.headers_mut();
        let reset = headers.get(header::RETRY_AFTER).cloned().unwrap_or(HeaderValue::from_static("1"));
        headers.insert("ratelimit-limit", registry.settings.write_rate.burst.into());
        headers.insert("ratelimit-remaining", HeaderValue::from_static("0"));
        headers.insert("ratelimit-reset", reset);
    }
    response
}
