//! The end of a session, fenced by its state and attempt.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use skillhub_protocol::{Finding, PublishedVersion, UploadState, UtcMillis};

use super::{KEEP_SECONDS, text};
use crate::error::{StoreError, is_made};
use crate::items::SessionItem;
use crate::keys::Key;
use crate::table::Table;
use crate::transaction::{Expression, Outcome, Transaction};

/// What became of a write that holds only while a claim does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a conflict has written nothing"]
pub enum Fenced {
    /// All of it is written.
    Done,
    /// Nothing: something else than the session has changed since it was read. Read and decide again.
    Changed,
    /// Nothing: another transaction was in the way. Try the same again later.
    Busy,
    /// Nothing: the claim is lost. Somebody else has the session, or has ended it.
    ClaimLost,
}

impl Table {
    /// A transaction whose first action is on the claimed session, and fenced.
    pub(crate) async fn transact_fenced(&self, transaction: Transaction) -> Result<Fenced, StoreError> {
        Ok(match self.transact(transaction).await? {
            Outcome::Committed => Fenced::Done,
            Outcome::Busy => Fenced::Busy,
            Outcome::ConditionsFailed(failed) if failed.contains(&0) => Fenced::ClaimLost,
            Outcome::ConditionsFailed(_) => Fenced::Changed,
        })
    }

    /// Gives a session up that waits for bytes; says whether it did. A session that is being validated, or has ended, stays.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn close_open_session(
        &self,
        session: &SessionItem,
        state: UploadState,
        now: UtcMillis,
    ) -> Result<bool, StoreError> {
        let mut transaction = Transaction::new();
        end_session(&mut transaction, session, state, Fence::Open, None, &[], now)?;
        match self.transact(transaction).await? {
            Outcome::Committed => Ok(true),
            Outcome::ConditionsFailed(_) => Ok(false),
            Outcome::Busy => Err(StoreError::busy()),
        }
    }

    /// Ends a claimed session with a verdict other than publication.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn end_claimed_session(
        &self,
        session: &SessionItem,
        state: UploadState,
        findings: &[Finding],
        now: UtcMillis,
    ) -> Result<Fenced, StoreError> {
        let mut transaction = Transaction::new();
        end_session(&mut transaction, session, state, Fence::Claimed, None, findings, now)?;
        self.transact_fenced(transaction).await
    }

    /// Ends a claimed session as published already, with the ids of the publication that exists.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn end_as_published(
        &self,
        session: &SessionItem,
        published: &PublishedVersion,
        findings: &[Finding],
        now: UtcMillis,
    ) -> Result<Fenced, StoreError> {
        let mut transaction = Transaction::new();
        end_session(&mut transaction, session, UploadState::Published, Fence::Claimed, Some(published), findings, now)?;
        self.transact_fenced(transaction).await
    }

    /// Frees the advisory lock, if it still belongs to this session. Never part of a verdict: a lock may be gone or taken.
    /// Pointless after a publication: whoever opens that version again is answered from its number before any lock counts.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn release_lock(&self, session: &SessionItem) -> Result<(), StoreError> {
        let key = Key::upload_lock(&session.namespace_id, &session.slug, &session.version);
        let request = self.client.delete_item().table_name(&self.name).set_key(Some(key.attributes()));
        let request = request
            .condition_expression("session_id = :session")
            .expression_attribute_values(":session", text(&session.id));
        is_made("DeleteItem", request.send().await).map(drop)
    }
}

/// What must still hold when a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fence {
    /// Nobody has claimed it.
    Open,
    /// It is claimed, and the attempt is ours.
    Claimed,
}

/// The condition that the claim is still ours; its values are [`claimed_values`].
pub(super) const CLAIMED: &str = "#state = :claimed AND attempt = :attempt";

pub(super) fn claimed_values(session: &SessionItem) -> [(&'static str, AttributeValue); 2] {
    [(":claimed", text(UploadState::Validating)), (":attempt", AttributeValue::N(session.attempt.to_string()))]
}

/// Adds the end of a session: the state, out of the sweeper's index, readable for a while, no longer among "mine".
pub(crate) fn end_session(
    transaction: &mut Transaction,
    session: &SessionItem,
    state: UploadState,
    fence: Fence,
    published: Option<&PublishedVersion>,
    findings: &[Finding],
    now: UtcMillis,
) -> Result<(), StoreError> {
    let ttl = AttributeValue::N((now.epoch_millis() / 1000 + KEEP_SECONDS).to_string());
    let mut values = vec![(":state", text(state)), (":findings", attribute(&findings)?), (":ttl", ttl)];
    let mut change = String::from("SET #state = :state, findings = :findings, #ttl = :ttl");
    if let Some(published) = published {
        change.push_str(", published = :published");
        values.push((":published", attribute(published)?));
    }
    change.push_str(" REMOVE x, xs, lease_until");
    let when = match fence {
        Fence::Open => {
            values.push((":open", text(UploadState::Open)));
            "#state = :open"
        }
        Fence::Claimed => {
            values.extend(claimed_values(session));
            CLAIMED
        }
    };
    let names = &[("#state", "state"), ("#ttl", "ttl")];
    transaction.update(&Key::session(&session.id), Expression { text: &change, names, values }, when)?;
    transaction.delete(&Key::own_session(&session.principal, &session.id))
}

fn attribute<T: Serialize>(value: &T) -> Result<AttributeValue, StoreError> {
    let value: serde_dynamo::AttributeValue =
        serde_dynamo::to_attribute_value(value).map_err(|e| StoreError::corrupt("upload session", e))?;
    Ok(value.into())
}
