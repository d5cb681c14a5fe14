//! `PATCH /api/skills/{skillId}`: who sees a skill.

use axum::extract::State;
use http::StatusCode;
use skillhub_protocol::{ChangeSkill, SkillId};
use skillhub_store::ChangedBy;
use skillhub_web::{ApiError, Body, Manager, Now, PathParams, Registry, rng};

pub(crate) async fn change(
    State(registry): State<Registry>,
    Manager(caller): Manager,
    Now(now): Now,
    PathParams(id): PathParams<SkillId>,
    Body(body): Body,
) -> Result<StatusCode, ApiError> {
    let request = ChangeSkill::from_json(&body)?;
    let by = ChangedBy { caller: &caller, now };
    registry.table.change_scope(by, &id, request.scope, &mut rng()).await?;
    Ok(StatusCode::NO_CONTENT)
}
