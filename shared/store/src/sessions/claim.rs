//! Taking a session for validation, and giving it back.

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};
use rand::{Rng, RngExt as _};
use skillhub_protocol::{SkillId, UploadId, UploadState, UtcMillis};

use super::end::{CLAIMED, Fenced, claimed_values};
use super::{FIRST_CHECK_MS, LEASE_MS, text};
use crate::codec::{Attributes, decode};
use crate::error::{StoreError, sdk_error};
use crate::ids::{mint_skill_id, mint_version_id};
use crate::items::SessionItem;
use crate::keys::{Key, due_key};
use crate::table::Table;
use crate::transaction::{Expression, Transaction};

/// What became of an attempt to claim a session.
#[derive(Debug)]
pub enum Claim {
    /// It is ours until the lease ends.
    Won(Box<SessionItem>),
    /// Another validator has it.
    Held,
    /// It has ended; this is how.
    Ended(Box<SessionItem>),
    /// There is no such session.
    Unknown,
}

impl Table {
    /// Takes a session for validation, if it is open or its lease has ended. The first claim mints the ids and the time of
    /// publication; later claims keep them. The session's own time-out is ignored: bytes that are there are looked at.
    ///
    /// A claim counts once, by a random number of its own: repeated after a lost answer it is still won, and carried out late,
    /// when it was given back, it takes nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn claim_session(&self, id: &UploadId, now: UtcMillis, rng: &mut impl Rng) -> Result<Claim, StoreError> {
        let lease = now.plus_millis(LEASE_MS);
        let claim: u64 = rng.random();
        let number = AttributeValue::N(claim.to_string());
        let request = self.client.update_item().table_name(&self.name).set_key(Some(Key::session(id).attributes()));
        let request = request
            .update_expression(
                "SET #state = :validating, attempt = attempt + :one, claims = list_append(claims, :claims), \
                 lease_until = :lease, next_check_at = :lease, xs = :xs, \
                 skill_id = if_not_exists(skill_id, :skill), version_id = if_not_exists(version_id, :version), \
                 published_at = if_not_exists(published_at, :now)",
            )
            .condition_expression(
                "NOT contains(claims, :claim) AND (#state = :open OR (#state = :validating AND lease_until < :now))",
            )
            .expression_attribute_names("#state", "state")
            .expression_attribute_values(":open", text(UploadState::Open))
            .expression_attribute_values(":validating", text(UploadState::Validating))
            .expression_attribute_values(":one", AttributeValue::N(String::from("1")))
            .expression_attribute_values(":claim", number.clone())
            .expression_attribute_values(":claims", AttributeValue::L(vec![number]))
            .expression_attribute_values(":now", text(now))
            .expression_attribute_values(":lease", text(lease))
            .expression_attribute_values(":xs", AttributeValue::S(due_key(lease, id)))
            .expression_attribute_values(":skill", text(mint_skill_id(now, rng)))
            .expression_attribute_values(":version", text(mint_version_id(now, rng)))
            .return_values(ReturnValue::AllNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        match request.send().await {
            Ok(answer) => {
                let item = answer.attributes.ok_or_else(|| StoreError::corrupt("upload session", "no attributes"))?;
                Ok(Claim::Won(Box::new(decode(item)?)))
            }
            Err(error) => match error.as_service_error() {
                Some(UpdateItemError::ConditionalCheckFailedException(refused)) => {
                    refused_claim(refused.item.clone(), claim)
                }
                _ => Err(sdk_error("UpdateItem", error)),
            },
        }
    }

    /// Gives a claim back, because no bytes were there: the session waits for them again.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn reopen_session(&self, session: &SessionItem, now: UtcMillis) -> Result<Fenced, StoreError> {
        let next = now.plus_millis(FIRST_CHECK_MS);
        let mut transaction = Transaction::new();
        let mut values = vec![
            (":open", text(UploadState::Open)),
            (":next", text(next)),
            (":xs", AttributeValue::S(due_key(next, &session.id))),
        ];
        values.extend(claimed_values(session));
        let change = Expression {
            text: "SET #state = :open, next_check_at = :next, xs = :xs REMOVE lease_until",
            names: &[("#state", "state")],
            values,
        };
        transaction.update(&Key::session(&session.id), change, CLAIMED)?;
        self.transact_fenced(transaction).await
    }

    /// Takes the id of the skill that has won the slug.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn adopt_skill(&self, session: &SessionItem, skill: &SkillId) -> Result<Fenced, StoreError> {
        let mut transaction = Transaction::new();
        let mut values = vec![(":skill", text(skill))];
        values.extend(claimed_values(session));
        let change = Expression { text: "SET skill_id = :skill", names: &[("#state", "state")], values };
        transaction.update(&Key::session(&session.id), change, CLAIMED)?;
        self.transact_fenced(transaction).await
    }
}

/// What a claim that was refused comes to, from the item as it was.
fn refused_claim(item: Option<Attributes>, claim: u64) -> Result<Claim, StoreError> {
    let Some(item) = item else { return Ok(Claim::Unknown) };
    let session: SessionItem = decode(item)?;
    let is_ours = session.state == UploadState::Validating && session.claims.last() == Some(&claim);
    Ok(match session {
        session if is_ours => Claim::Won(Box::new(session)),
        session if session.state.is_terminal() => Claim::Ended(Box::new(session)),
        _ => Claim::Held,
    })
}
