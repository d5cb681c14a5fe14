//! Turns an upload into a verdict, and a good one into a version.
//!
//! [`Validator::validate`] is one idempotent function with two callers: the S3 event and the sweeper. It trusts no publisher
//! and no event: an event is a hint that a session may have bytes. `Err` means "try again"; a verdict is final.
//!
//! Calls of a good upload: 1 claim, 1 GET, 1 batch of reads, 1 PUT, 1 transaction, 1 delete.

mod event;
mod fingerprint;
mod judge;
mod operator;
mod pause;
mod promote;

pub use event::{handle_event, handle_payload};
pub use operator::{PolicyError, policy};

use std::collections::BTreeSet;
use std::time::Instant;

use rand::Rng;
use skillhub_package::Policy;
use skillhub_protocol::{Finding, UploadId, UploadState};
use skillhub_store::{Claim, Fenced, Objects, SessionItem, StoreError, Table, fail_point};
use skillhub_web::{Clock, METRICS};

use pause::Pause;

/// What validation needs.
#[derive(Debug, Clone)]
pub struct Validator {
    /// The metadata.
    pub table: Table,
    /// The bytes.
    pub objects: Objects,
    /// What may be published.
    pub policy: Policy,
    /// The server's clock: leases are measured by it while the validator works.
    pub clock: Clock,
}

/// How a call of the validator ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// This call ended the session, in this state.
    Decided(UploadState),
    /// The session had ended before, in this state. Bytes that came later are removed.
    Ended(UploadState),
    /// Another validator has the session. If that one dies, the sweeper finds it.
    Held,
    /// No bytes are there: the session waits on.
    NoBytes,
    /// There is no such session.
    Unknown,
}

/// What the validator has decided, before it is written down.
enum Judgement {
    /// It was published, in the transaction that made it visible.
    Published,
    /// These findings keep it out.
    Rejected(Vec<Finding>),
    /// Nothing to look at.
    NoBytes,
    /// Somebody else has the session now.
    ClaimLost,
}

/// What becomes of a claimed session without a version.
#[derive(Clone, Copy)]
enum Change<'a> {
    /// It ends so.
    End(UploadState, &'a [Finding]),
    /// It waits on for its bytes.
    Reopen,
}

impl Validator {
    /// Makes the first connection to both stores.
    pub async fn warm_up(&self) {
        tokio::join!(self.table.warm_up(), self.objects.warm_up());
    }

    /// Brings a session that has bytes to its end.
    ///
    /// # Errors
    /// If a store fails. Nothing is lost: the claim ends by itself, and the next call goes on.
    pub async fn validate(&self, id: &UploadId, rng: &mut (impl Rng + Send)) -> Result<Outcome, StoreError> {
        let started = Instant::now();
        let outcome = self.claim_and_decide(id, rng).await?;
        let millis = started.elapsed().as_millis() as u64;
        tracing::info!(upload = %id, ?outcome, millis, "validate");
        match outcome {
            Outcome::Decided(UploadState::Published) => {
                tracing::info!(target: METRICS, Published = 1, ValidationMillis = millis);
            }
            Outcome::Decided(_) => tracing::info!(target: METRICS, ValidationMillis = millis),
            _ => {}
        }
        Ok(outcome)
    }

    async fn claim_and_decide(&self, id: &UploadId, rng: &mut (impl Rng + Send)) -> Result<Outcome, StoreError> {
        fail_point("validate.begin");
        let session = match self.table.claim_session(id, self.clock.now(), rng).await? {
            Claim::Won(session) => session,
            Claim::Held => return Ok(Outcome::Held),
            Claim::Unknown => return Ok(Outcome::Unknown),
            Claim::Ended(session) => return self.clean_up_after_others(&session).await,
        };
        fail_point("validate.claimed");
        if session.is_poison() {
            return self.fail(&session, rng).await;
        }
        match self.judge(&session, rng).await? {
            Judgement::Published => Ok(self.clean_up(&session, UploadState::Published).await),
            Judgement::Rejected(findings) => self.end(&session, UploadState::Rejected, &findings, rng).await,
            Judgement::ClaimLost => Ok(Outcome::Held),
            Judgement::NoBytes => self.reopen(&session, rng).await,
        }
    }

    async fn fail(&self, session: &SessionItem, rng: &mut (impl Rng + Send)) -> Result<Outcome, StoreError> {
        let message = "the registry could not validate this upload after several attempts";
        let finding =
            Finding::error("internal", "archive", message).hint("open a new upload; if that fails, too, report it");
        self.end(session, UploadState::Failed, &[finding], rng).await
    }

    /// Writes a verdict down, if the claim still holds.
    async fn end(
        &self,
        session: &SessionItem,
        state: UploadState,
        findings: &[Finding],
        rng: &mut (impl Rng + Send),
    ) -> Result<Outcome, StoreError> {
        for finding in findings {
            tracing::info!(upload = %session.id, code = finding.code, path = finding.path, "finding");
        }
        // Each code once, however often it is found in a package.
        let codes: BTreeSet<_> = findings.iter().filter(|f| f.is_error()).map(|f| f.code.as_str()).collect();
        if !self.while_held(session, Change::End(state, findings), rng).await? {
            return Ok(Outcome::Held);
        }
        fail_point("validate.committed");
        codes.iter().for_each(|code| tracing::info!(target: METRICS, Rejected = 1, Code = *code));
        Ok(self.clean_up(session, state).await)
    }

    /// Gives the claim back: the session waits on for its bytes.
    async fn reopen(&self, session: &SessionItem, rng: &mut (impl Rng + Send)) -> Result<Outcome, StoreError> {
        if !self.while_held(session, Change::Reopen, rng).await? {
            return Ok(Outcome::Held);
        }
        fail_point("validate.reopened");
        Ok(Outcome::NoBytes)
    }

    /// Changes the session that we have claimed, again while something is in the way and the lease has not ended; says whether
    /// that is done.
    async fn while_held(
        &self,
        session: &SessionItem,
        change: Change<'_>,
        rng: &mut (impl Rng + Send),
    ) -> Result<bool, StoreError> {
        let mut pause = Pause::default();
        while self.holds(session) {
            let now = self.clock.now();
            let written = match change {
                Change::End(state, findings) => self.table.end_claimed_session(session, state, findings, now).await,
                Change::Reopen => self.table.reopen_session(session, now).await,
            };
            match self.settled(session, written).await {
                Ok(Fenced::Done) => return Ok(true),
                Ok(Fenced::Changed | Fenced::ClaimLost) => break,
                Ok(Fenced::Busy) => pause.wait(rng).await,
                Err(error) => pause.after(error, rng).await?,
            }
        }
        Ok(false)
    }

    /// A write whose answer did not come may have happened: the session tells. Nobody else ends it under our attempt.
    pub(crate) async fn settled(
        &self,
        session: &SessionItem,
        written: Result<Fenced, StoreError>,
    ) -> Result<Fenced, StoreError> {
        if !written.as_ref().is_err_and(StoreError::is_transient) {
            return written;
        }
        match self.table.session(&session.id).await? {
            Some(now) if now.attempt != session.attempt => Ok(Fenced::ClaimLost),
            Some(now) if now.state.is_terminal() => Ok(Fenced::Done),
            _ => written,
        }
    }

    /// Whether the lease of our claim has not ended.
    fn holds(&self, session: &SessionItem) -> bool {
        session.lease_until.is_some_and(|end| self.clock.now() < end)
    }

    /// Whoever ended the session may have died before it removed the upload and freed the lock.
    async fn clean_up_after_others(&self, session: &SessionItem) -> Result<Outcome, StoreError> {
        self.objects.delete_staging(&session.id).await?;
        if session.state != UploadState::Published {
            self.table.release_lock(session).await?;
        }
        Ok(Outcome::Ended(session.state))
    }

    /// After our own committed verdict only. Best effort: what stays is found by its event or by its expiry.
    async fn clean_up(&self, session: &SessionItem, state: UploadState) -> Outcome {
        if let Err(error) = self.objects.delete_staging(&session.id).await {
            tracing::warn!(upload = %session.id, %error, "the upload could not be removed");
        }
        fail_point("validate.deleted");
        if state != UploadState::Published
            && let Err(error) = self.table.release_lock(session).await
        {
            tracing::warn!(upload = %session.id, %error, "the lock could not be released");
        }
        fail_point("validate.ended");
        Outcome::Decided(state)
    }
}
