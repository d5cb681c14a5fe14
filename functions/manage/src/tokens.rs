//! API tokens of the caller.

use axum::extract::State;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use skillhub_protocol::{CreateToken, TokenId, TokenResponse, TokensResponse};
use skillhub_store::ChangedBy;
use skillhub_web::{ApiError, Body, Known, Manager, Now, PathParams, Registry, json, rng};

pub(crate) async fn create(
    State(registry): State<Registry>,
    Manager(caller): Manager,
    Now(now): Now,
    Body(body): Body,
) -> Result<Response, ApiError> {
    let request = CreateToken::from_json(&body)?;
    if request.expires_at.is_some_and(|end| end <= now) {
        return Err(ApiError::invalid("invalid_request", "expiresAt", "must be in the future"));
    }
    if let Some(scope) = request.scopes.iter().find(|scope| !caller.has_scope(**scope)) {
        let detail = format!("Your token does not have the scope \"{scope}\", so it cannot give it.");
        return Err(ApiError::forbidden(detail).with("forbidden", "scopes", "must be among those of your token"));
    }
    let by = ChangedBy { caller: &caller, now };
    let made = registry.table.create_token(by, &request, &mut rng()).await?;
    let body = TokenResponse { token: made.secret.expose().to_owned(), summary: made.summary };
    let mut response = json(StatusCode::CREATED, &body)?;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

pub(crate) async fn list(State(registry): State<Registry>, Known(caller): Known) -> Result<Response, ApiError> {
    let tokens = registry.table.tokens(&caller.principal).await?;
    json(StatusCode::OK, &TokensResponse { tokens })
}

pub(crate) async fn revoke(
    State(registry): State<Registry>,
    Manager(caller): Manager,
    Now(now): Now,
    PathParams(id): PathParams<TokenId>,
) -> Result<StatusCode, ApiError> {
    let by = ChangedBy { caller: &caller, now };
    registry.table.revoke_token(by, &id, &mut rng()).await?;
    Ok(StatusCode::NO_CONTENT)
}
