//! Waiting for the validator, for a while.

use std::time::Duration;

use axum::response::Response;
use http::StatusCode;
use serde_json::json;
use skillhub_protocol::{PublishedVersion, UploadId, UploadState};
use skillhub_store::{Authenticated, SessionItem};
use skillhub_web::ApiError;
use tokio::time::{Instant, sleep};

use super::super::text::{Refused, answer};
use super::package::refusal;
use super::target::Target;
use crate::App;

/// The first pause between two looks at a session; each is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The end of the caller's session, if it comes in time; else that it is pending.
///
/// # Errors
/// 422 with the findings of a rejected package, 409 for a session that has ended otherwise.
pub(crate) async fn of_session(
    app: &App,
    caller: &Authenticated,
    target: &Target,
    id: Option<&UploadId>,
) -> Result<Response, Refused> {
    let id = id.ok_or_else(|| ApiError::internal(String::from("files without parts have no session")))?;
    let session = wait(app, id).await?.filter(|session| session.principal == caller.principal);
    let session = session.ok_or_else(|| ApiError::internal(format!("the session {id} is gone")))?;
    if !target.is_of(&session) {
        return Err(Refused::bad_request("The upload tickets were used for another publication. Publish again."));
    }
    match (session.state, &session.published) {
        (UploadState::Published, Some(version)) => published(target, id, version),
        (UploadState::Rejected, _) => Err(refusal(&session.findings)),
        (UploadState::Open | UploadState::Validating, _) => pending(target, &session),
        (state, _) => {
            let text = format!("The upload has ended as {state} and nothing was published. Publish again.");
            Err(Refused::new(StatusCode::CONFLICT, text))
        }
    }
}

async fn wait(app: &App, id: &UploadId) -> Result<Option<SessionItem>, Refused> {
    let end = Instant::now() + app.verdict_wait;
    let mut pause = FIRST_PAUSE;
    loop {
        let session = app.registry.table.session(id).await?;
        let decided = session.as_ref().is_none_or(|session| session.state.is_terminal());
        if decided || Instant::now() + pause > end {
            return Ok(session);
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

pub(crate) fn published(target: &Target, id: &UploadId, version: &PublishedVersion) -> Result<Response, Refused> {
    let (skill, version) = (version.skill_id.as_str(), version.version_id.as_str());
    submitted(target, id, skill, version, "published")
}

/// The ids are known from the first claim on; until then the session's own stands for both.
fn pending(target: &Target, session: &SessionItem) -> Result<Response, Refused> {
    let skill = session.skill_id.as_ref().map_or(session.id.as_str(), |id| id.as_str());
    let version = session.version_id.as_ref().map_or(session.id.as_str(), |id| id.as_str());
    submitted(target, &session.id, skill, version, "pending")
}

fn submitted(target: &Target, id: &UploadId, skill: &str, version: &str, status: &str) -> Result<Response, Refused> {
    let body = json!({
        "ok": true,
        "skillId": skill,
        "versionId": version,
        "status": status,
        "publicationStatus": status,
        "attemptId": id,
        "slug": target.canonical(),
        "version": target.version,
    });
    answer(StatusCode::OK, &body)
}
