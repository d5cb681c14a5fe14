//! What the sweeper asks: which sessions need a look, and when the next one is due.

use aws_sdk_dynamodb::types::AttributeValue;
use skillhub_protocol::{UploadId, UploadState, UtcMillis};

use super::{FIRST_CHECK_MS, SESSION_TTL_MS, text};
use crate::codec::Attributes;
use crate::error::{StoreError, is_made, sdk_error};
use crate::items::SessionItem;
use crate::keys::{DUE_INDEX, DUE_PARTITION, Key, due_key};
use crate::table::Table;

/// How many sessions one start makes due.
const MAX_AT_START: i32 = 1000;

/// How long a session waits that this release cannot read, in milliseconds, again and again until one is deployed that can.
const UNREADABLE_MS: i64 = 10 * 60 * 1000;

/// A session that the sweeper should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// The session.
    pub id: UploadId,
    /// When it was due.
    pub since: UtcMillis,
}

impl Table {
    /// Up to `limit` sessions that are due by `now`, the longest due first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn due_sessions(&self, now: UtcMillis, limit: i32) -> Result<Vec<Due>, StoreError> {
        let request = self.client.query().table_name(&self.name).index_name(DUE_INDEX).limit(limit);
        let request = request
            .key_condition_expression("x = :x AND xs < :until")
            .expression_attribute_values(":x", AttributeValue::S(String::from(DUE_PARTITION)))
            // "~" is above "#": everything due at this very millisecond is in.
            .expression_attribute_values(":until", AttributeValue::S(format!("{now}~")));
        let answer = request.send().await.map_err(|e| sdk_error("Query", e))?;
        let due = |item: &Attributes| {
            let (since, id) = item.get("xs")?.as_s().ok()?.split_once('#')?;
            Some(Due { id: id.parse().ok()?, since: since.parse().ok()? })
        };
        let due =
            answer.items().iter().map(|i| due(i).ok_or_else(|| StoreError::corrupt("due session", "bad sort key")));
        due.collect()
    }

    /// Looks at an open session again later: after twice the time, at the latest when it expires.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn postpone_session(&self, session: &SessionItem, now: UtcMillis) -> Result<(), StoreError> {
        let waited = now.epoch_millis().saturating_sub(session.created_at.epoch_millis()).max(FIRST_CHECK_MS);
        let next = now.plus_millis(waited);
        let next = if now < session.expires_at { next.min(session.expires_at) } else { next };
        let request =
            self.client.update_item().table_name(&self.name).set_key(Some(Key::session(&session.id).attributes()));
        let request = request
            .update_expression("SET next_check_at = :next, xs = :xs")
            .condition_expression("#state = :open")
            .expression_attribute_names("#state", "state")
            .expression_attribute_values(":open", text(UploadState::Open))
            .expression_attribute_values(":next", text(next))
            .expression_attribute_values(":xs", AttributeValue::S(due_key(next, &session.id)));
        is_made("UpdateItem", request.send().await).map(drop)
    }

    /// Looks later at a session that this release cannot read, so that it keeps no others waiting.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn put_off(&self, due: &Due, now: UtcMillis) -> Result<(), StoreError> {
        let (before, after) = (due_key(due.since, &due.id), due_key(now.plus_millis(UNREADABLE_MS), &due.id));
        let request =
            self.client.update_item().table_name(&self.name).set_key(Some(Key::session(&due.id).attributes()));
        let request = request
            .update_expression("SET xs = :after")
            .condition_expression("xs = :before")
            .expression_attribute_values(":before", AttributeValue::S(before))
            .expression_attribute_values(":after", AttributeValue::S(after));
        is_made("UpdateItem", request.send().await).map(drop)
    }

    /// Makes every session that has not ended due now, and ends its lease: events that were not delivered and claims that were
    /// not finished need not be waited for. Says how many. Only for a start at which no other validator can be running.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn make_all_due(&self, now: UtcMillis) -> Result<usize, StoreError> {
        let mut made_due = 0;
        for due in self.due_sessions(now.plus_millis(SESSION_TTL_MS), MAX_AT_START).await? {
            let request =
                self.client.update_item().table_name(&self.name).set_key(Some(Key::session(&due.id).attributes()));
            let request = request
                .update_expression("SET lease_until = :past, next_check_at = :now, xs = :xs")
                .condition_expression("#state IN (:open, :validating)")
                .expression_attribute_names("#state", "state")
                .expression_attribute_values(":open", text(UploadState::Open))
                .expression_attribute_values(":validating", text(UploadState::Validating))
                .expression_attribute_values(":now", text(now))
                .expression_attribute_values(":past", text(now.plus_millis(-1)))
                .expression_attribute_values(":xs", AttributeValue::S(due_key(now, &due.id)));
            made_due += usize::from(is_made("UpdateItem", request.send().await)?);
        }
        Ok(made_due)
    }
}
