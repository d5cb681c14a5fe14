//! Who is calling.

use axum::extract::{FromRef, FromRequestParts};
use http::header::AUTHORIZATION;
use http::request::Parts;
use skillhub_protocol::TokenScope;
use skillhub_store::{Authenticated, Permit, TokenSecret, Viewer};

use crate::Registry;
use crate::error::ApiError;
use crate::jwt;

/// The caller of a route that reads: anonymous only where the registry allows it, else with a token of scope `read`.
#[derive(Debug, Clone)]
pub struct Caller(pub Viewer);

/// A caller who asks about itself: never anonymous, whatever its token is for.
#[derive(Debug, Clone)]
pub struct Known(pub Authenticated);

/// The caller of a route that publishes: a token of scope `publish`, within the rate of writes.
#[derive(Debug, Clone)]
pub struct Publisher(pub Authenticated);

/// The caller of a route that changes something else: a token of scope `manage`, within the rate of writes.
#[derive(Debug, Clone)]
pub struct Manager(pub Authenticated);

impl<S: Send + Sync> FromRequestParts<S> for Caller
where
    Registry: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let registry = Registry::from_ref(state);
        if parts.headers.contains_key(AUTHORIZATION) {
            let caller = authenticate(parts, &registry).await?;
            demand_scope(&caller, TokenScope::Read)?;
            return Ok(Self(Viewer::Known(Box::new(caller))));
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

impl<S: Send + Sync> FromRequestParts<S> for Publisher
where
    Registry: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        Ok(Self(writer(parts, &Registry::from_ref(state), TokenScope::Publish).await?))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Manager
where
    Registry: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        Ok(Self(writer(parts, &Registry::from_ref(state), TokenScope::Manage).await?))
    }
}

/// A caller who writes. A request that is refused for its scope takes nothing from the rate.
async fn writer(parts: &Parts, registry: &Registry, scope: TokenScope) -> Result<Authenticated, ApiError> {
    let caller = authenticate(parts, registry).await?;
    demand_scope(&caller, scope)?;
    match registry.table.take_permit(&caller.principal, registry.settings.write_rate, registry.clock.now()).await? {
        Permit::Granted => Ok(caller),
        Permit::Wait(millis) => Err(ApiError::rate_limited(millis)),
    }
}

fn demand_scope(caller: &Authenticated, scope: TokenScope) -> Result<(), ApiError> {
    if caller.has_scope(scope) {
        return Ok(());
    }
    Err(ApiError::forbidden(format!("This token may not do this: make one with the scope \"{scope}\".")))
}

/// An API token or a JWT. Every refusal is the same, whatever the reason.
async fn authenticate(parts: &Parts, registry: &Registry) -> Result<Authenticated, ApiError> {
    let bearer = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer_token);
    let (bearer, now) = (bearer.ok_or_else(ApiError::unauthenticated)?, registry.clock.now());
    match TokenSecret::parse(bearer) {
        Some(token) => registry.table.authenticate(&token, now).await?.ok_or_else(ApiError::unauthenticated),
        None => jwt::authenticate(bearer, registry, now).await,
    }
}

/// The scheme's name has no case (RFC 9110, 11.1).
fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}
