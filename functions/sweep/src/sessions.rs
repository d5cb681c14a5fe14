//! Sessions whose event was lost, whose validator died, or that nobody uploads to.

use rand::Rng;
use skillhub_protocol::{UploadState, UtcMillis};
use skillhub_store::{SessionItem, StoreError, fail_point};
use skillhub_validate::Validator;

/// How many sessions one run looks at.
const MAX_SESSIONS: i32 = 50;

/// What became of the sessions that were due.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionsReport {
    /// Sessions that were due.
    pub due: usize,
    /// Given to the validator.
    pub validated: usize,
    /// Given up, because no bytes came in time.
    pub expired: usize,
    /// To be looked at later.
    pub postponed: usize,
    /// Left for a later run: a store has failed, or the session cannot be read.
    pub failed: usize,
}

/// A session that fails does not keep the others waiting.
pub(crate) async fn sweep(validator: &Validator, rng: &mut (impl Rng + Send)) -> Result<SessionsReport, StoreError> {
    let due = validator.table.due_sessions(validator.clock.now(), MAX_SESSIONS).await?;
    fail_point("sweep.due");
    let mut report = SessionsReport { due: due.len(), ..SessionsReport::default() };
    for due in due {
        let step = match validator.table.session(&due.id).await {
            Ok(Some(session)) => look_at(validator, &session, validator.clock.now(), rng).await,
            Ok(None) => continue,
            Err(error) => Err(error),
        };
        match step {
            Ok(Step::Validated) => report.validated += 1,
            Ok(Step::Expired) => report.expired += 1,
            Ok(Step::Postponed) => report.postponed += 1,
            Err(error) => {
                report.failed += 1;
                tracing::error!(upload = %due.id, %error, "left for a later run");
                if error.is_unreadable()
                    && let Err(error) = validator.table.put_off(&due, validator.clock.now()).await
                {
                    tracing::error!(upload = %due.id, %error, "it stays due");
                }
            }
        }
    }
    Ok(report)
}

enum Step {
    Validated,
    Expired,
    Postponed,
}

async fn look_at(
    validator: &Validator,
    session: &SessionItem,
    now: UtcMillis,
    rng: &mut (impl Rng + Send),
) -> Result<Step, StoreError> {
    let has_bytes = session.state != UploadState::Open || validator.objects.staging_exists(&session.id).await?;
    fail_point("sweep.looked");
    if has_bytes {
        validator.validate(&session.id, rng).await?;
        return Ok(Step::Validated);
    }
    // Only a session that was seen to have no bytes expires.
    if now >= session.expires_at {
        // If bytes have come after all, whoever has claimed them goes on.
        if validator.table.close_open_session(session, UploadState::Expired, now).await? {
            fail_point("sweep.expired");
            validator.table.release_lock(session).await?;
            fail_point("sweep.unlocked");
        }
        return Ok(Step::Expired);
    }
    validator.table.postpone_session(session, now).await?;
    fail_point("sweep.postponed");
    Ok(Step::Postponed)
}
