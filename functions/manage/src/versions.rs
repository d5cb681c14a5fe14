//! Yank, unyank, block.

use axum::extract::State;
use http::StatusCode;
use skillhub_protocol::{ChangeState, SkillId, VersionId, VersionState};
use skillhub_store::ChangedBy;
use skillhub_web::{ApiError, Body, Manager, Now, PathParams, Registry, rng};

type Version = PathParams<(SkillId, VersionId)>;

pub(crate) async fn yank(
    state: State<Registry>,
    caller: Manager,
    now: Now,
    version: Version,
    body: Body,
) -> Result<StatusCode, ApiError> {
    change(state, caller, now, version, body, VersionState::Yanked).await
}

pub(crate) async fn unyank(
    state: State<Registry>,
    caller: Manager,
    now: Now,
    version: Version,
    body: Body,
) -> Result<StatusCode, ApiError> {
    change(state, caller, now, version, body, VersionState::Available).await
}

pub(crate) async fn block(
    state: State<Registry>,
    caller: Manager,
    now: Now,
    version: Version,
    body: Body,
) -> Result<StatusCode, ApiError> {
    change(state, caller, now, version, body, VersionState::Blocked).await
}

async fn change(
    State(registry): State<Registry>,
    Manager(caller): Manager,
    Now(now): Now,
    PathParams((skill, version)): Version,
    Body(body): Body,
    to: VersionState,
) -> Result<StatusCode, ApiError> {
    let request = ChangeState::from_json(&body)?;
    if !version.is_minted() {
        return Err(ApiError::not_found());
    }
    let by = ChangedBy { caller: &caller, now };
    let done = registry.table.change_version_state(by, (&skill, &version), to, &request.reason, &mut rng()).await;
    done?;
    Ok(StatusCode::NO_CONTENT)
}
