//! Picks up what events and crashes have left. Bounded work a run: one page of everything that it looks through.
//!
//! | step | finds | calls |
//! |---|---|---|
//! | keys | that the keys of the JWTs' issuer are older than five minutes: fetched anew | 1 read, then 2 of the issuer, 1 write |
//! | sessions | lost events, dead validators, sessions that nobody uploads to | 1 query of a sparse index, then per due session |
//! | uploads | bytes that landed after their session had ended | 1 list, 1 read an upload |
//! | parts | files that were uploaded by themselves and never published | 1 list, 1 delete a file |
//! | orphans | artifacts that no version points at: counted and listed, never deleted | 1 list, 1 batch of reads |
//! | expired | items past their time to live, where the store leaves them | 1 scan page, 1 delete an item |
//! | administrator | that the operator's administrator owns `@global` | 1 read |

mod expired;
mod issuers;
mod orphans;
mod rebuild;
mod sessions;
mod uploads;

pub use issuers::{FETCH_LIMIT, FetchError, Refresh, fetch_keys, refresh_keys};
pub use rebuild::{Rebuild, rebuild};
pub use sessions::SessionsReport;
pub use uploads::UploadsReport;

use rand::{Rng, RngExt};
use skillhub_store::{Settings, StoreError};
use skillhub_validate::Validator;
use skillhub_web::METRICS;

/// What a run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Report {
    /// Sessions that were due.
    pub sessions: SessionsReport,
    /// Uploads of a page of them all.
    pub uploads: UploadsReport,
    /// Files removed whose tickets have expired.
    pub late_parts: usize,
    /// Artifacts without a version in the last whole walk over all of them.
    pub orphans: u64,
    /// Items removed, because they had outlived their time.
    pub expired_items: usize,
    /// Steps left for the next run by a failing store.
    pub failed_steps: usize,
}

/// One run. A step that fails does not keep the others waiting.
pub async fn sweep(validator: &Validator, settings: &Settings, rng: &mut (impl Rng + Send)) -> Report {
    let mut report = Report::default();
    let mut failed = 0;
    if let Some(issuer) = &settings.issuer {
        let now = validator.clock.now();
        done("keys", refresh_keys(&validator.table, issuer, FETCH_LIMIT, now).await, &mut failed);
    }
    if let Some(sessions) = done("sessions", sessions::sweep(validator, rng).await, &mut failed) {
        report.sessions = sessions;
    }
    if let Some(uploads) = done("uploads", uploads::sweep(validator).await, &mut failed) {
        report.uploads = uploads;
    }
    if let Some(removed) = done("parts", uploads::sweep_parts(validator).await, &mut failed) {
        report.late_parts = removed;
    }
    if let Some(orphans) = done("orphans", orphans::sweep(validator).await, &mut failed) {
        report.orphans = orphans;
    }
    if settings.sweep_expired
        && let Some(removed) = done("expired", expired::sweep(validator).await, &mut failed)
    {
        report.expired_items = removed;
    }
    if let Some(administrator) = &settings.administrator {
        let founded = validator.table.found(administrator, validator.clock.now(), rng.random()).await;
        done("administrator", founded, &mut failed);
    }
    report.failed_steps = failed;
    tracing::info!(?report, "sweep");
    count(&report);
    report
}

/// A sweeper that counts nothing any more is an alarm.
fn count(report: &Report) {
    tracing::info!(
        target: METRICS,
        Sweeps = 1,
        OldestWaitingSeconds = report.uploads.oldest_waiting_millis / 1000,
        Orphans = report.orphans,
        FailedSteps = report.failed_steps as u64,
    );
}

fn done<T>(step: &'static str, result: Result<T, StoreError>, failed: &mut usize) -> Option<T> {
    result.inspect_err(|error| tracing::error!(step, %error, "left for the next run")).map_err(|_| *failed += 1).ok()
}
