//! Members of a namespace.

use axum::extract::State;
use http::StatusCode;
use skillhub_protocol::SetRole;
use skillhub_store::ChangedBy;
use skillhub_web::{ApiError, Body, Handle, Manager, Now, PathParams, Registry, rng};

pub(crate) async fn put(
    State(registry): State<Registry>,
    Manager(caller): Manager,
    Now(now): Now,
    PathParams((Handle(namespace), Handle(handle))): PathParams<(Handle, Handle)>,
    Body(body): Body,
) -> Result<StatusCode, ApiError> {
    let request = SetRole::from_json(&body)?;
    let by = ChangedBy { caller: &caller, now };
    registry.table.set_member(by, &namespace, &handle, request.role, &mut rng()).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn delete(
    State(registry): State<Registry>,
    Manager(caller): Manager,
    Now(now): Now,
    PathParams((Handle(namespace), Handle(handle))): PathParams<(Handle, Handle)>,
) -> Result<StatusCode, ApiError> {
    let by = ChangedBy { caller: &caller, now };
    registry.table.remove_member(by, &namespace, &handle, &mut rng()).await?;
    Ok(StatusCode::NO_CONTENT)
}
