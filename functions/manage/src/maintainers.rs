//! Maintainers of a skill.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use skillhub_protocol::{MaintainersResponse, SkillId};
use skillhub_store::ChangedBy;
use skillhub_web::{ApiError, Caller, Handle, Manager, Now, PathParams, Registry, json, rng};

pub(crate) async fn list(
    State(registry): State<Registry>,
    Caller(viewer): Caller,
    PathParams(id): PathParams<SkillId>,
) -> Result<Response, ApiError> {
    let skill = registry.table.skill(&id).await?.ok_or_else(ApiError::not_found)?;
    // Who works on a skill is for those who belong to its namespace, even if everybody sees the skill.
    let belongs = viewer.authenticated().is_some_and(|caller| caller.membership(&skill.namespace_id).is_some());
    if !belongs {
        return Err(ApiError::not_found());
    }
    let maintainers = registry.table.maintainers(&skill).await?;
    json(StatusCode::OK, &MaintainersResponse { maintainers })
}

pub(crate) async fn put(
    State(registry): State<Registry>,
    Manager(caller): Manager,
    Now(now): Now,
    PathParams((id, Handle(handle))): PathParams<(SkillId, Handle)>,
) -> Result<StatusCode, ApiError> {
    let by = ChangedBy { caller: &caller, now };
    registry.table.add_maintainer(by, &id, &handle, &mut rng()).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn delete(
    State(registry): State<Registry>,
    Manager(caller): Manager,
    Now(now): Now,
    PathParams((id, Handle(handle))): PathParams<(SkillId, Handle)>,
) -> Result<StatusCode, ApiError> {
    let by = ChangedBy { caller: &caller, now };
    registry.table.remove_maintainer(by, &id, &handle, &mut rng()).await?;
    Ok(StatusCode::NO_CONTENT)
}
