//! Who is calling.

use axum::extract::{FromRef, FromRequestParts};
use http::header::AUTHORIZATION;
use http::request::Parts;
use skillhub_store::{Authenticated, TokenSecret, Viewer};

use crate::Registry;
use crate::clock::now;
use crate::error::ApiError;
use crate::jwt;

/// The caller of a route that reads: anonymous only where the registry allows it.
#[derive(Debug, Clone)]
pub struct Caller(pub Viewer);

/// The caller of a route that writes: never anonymous.
#[derive(Debug, Clone)]
pub struct Known(pub Authenticated);

impl<S: Send + Sync> FromRequestParts<S> for Caller
where
    Registry: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let registry = Registry::from_ref(state);
        if parts.headers.contains_key(AUTHORIZATION) {
            return Ok(Self(Viewer::Known(Box::new(authenticate(parts, &registry).await?))));
        }
        if registry.settings.anonymous_read { Ok(Self(Viewer::Anonymous)) } else { Err(ApiError::unauthenticated()) }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Known
where
    Registry: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        Ok(Self(authenticate(parts, &Registry::from_ref(state)).await?))
    }
}

/// An API token or a JWT. Every refusal is the same, whatever the reason.
async fn authenticate(parts: &Parts, registry: &Registry) -> Result<Authenticated, ApiError> {
    let bearer = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer_token);
    let bearer = bearer.ok_or_else(ApiError::unauthenticated)?;
    match TokenSecret::parse(bearer) {
        Some(token) => registry.table.authenticate(&token, now()).await?.ok_or_else(ApiError::unauthenticated),
        None => jwt::authenticate(bearer, registry, now()).await,
    }
}

/// The scheme's name has no case (RFC 9110, 11.1).
fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}
