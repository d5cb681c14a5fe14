//! How often a principal may write: a token bucket, kept as the time at which it is full again.

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValuesOnConditionCheckFailure};
use skillhub_protocol::UtcMillis;

use crate::codec::{Attributes, decode};
use crate::error::{StoreError, sdk_error};
use crate::ids::PrincipalId;
use crate::items::RateItem;
use crate::keys::Key;
use crate::table::Table;

/// A steady rate, and how far one may be ahead of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Writes in a minute, at least 1.
    pub per_minute: u32,
    /// Writes at once, after a pause; at least 1.
    pub burst: u32,
}

impl Rate {
    /// Milliseconds of the bucket that one write takes, at least 1.
    fn cost(self) -> i64 {
        (60_000 / i64::from(self.per_minute.max(1))).max(1)
    }

    fn capacity(self) -> i64 {
        self.cost() * i64::from(self.burst.max(1))
    }
}

/// Whether a write may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// It may.
    Granted,
    /// Not before this many milliseconds, at least 1, have passed.
    Wait(i64),
}

impl Table {
    /// Takes one write out of a principal's bucket: one conditional update, two after a pause of the principal, three if
    /// another of its requests ends that pause at the same moment.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn take_permit(&self, principal: &PrincipalId, rate: Rate, now: UtcMillis) -> Result<Permit, StoreError> {
        let (now, cost, capacity) = (now.epoch_millis(), rate.cost(), rate.capacity());
        let in_use = Update {
            full_at: "full_at + :cost",
            condition: "full_at BETWEEN :now AND :most",
            values: &[(":now", now), (":most", now + capacity - cost), (":cost", cost)],
        };
        let after_a_pause = Update {
            full_at: ":after",
            condition: "attribute_not_exists(full_at) OR full_at < :now",
            values: &[(":now", now), (":after", now + cost)],
        };
        // The time only grows: once it was before and then after `now`, the third update finds a bucket in use.
        for update in [&in_use, &after_a_pause, &in_use] {
            let Some(Refused { full_at }) = self.update_rate(principal, update, ttl(now, rate)).await? else {
                return Ok(Permit::Granted);
            };
            let wait = full_at.unwrap_or(now).max(now) + cost - now - capacity;
            if wait > 0 {
                return Ok(Permit::Wait(wait));
            }
        }
        Ok(Permit::Wait(cost))
    }

    async fn update_rate(
        &self,
        principal: &PrincipalId,
        update: &Update<'_>,
        ttl: i64,
    ) -> Result<Option<Refused>, StoreError> {
        let number = |value: i64| AttributeValue::N(value.to_string());
        let key = Key::rate(principal).attributes();
        let mut request = self.client.update_item().table_name(&self.name).set_key(Some(key));
        for (name, value) in update.values.iter().chain(&[(":ttl", ttl), (":v", 1)]) {
            request = request.expression_attribute_values(*name, number(*value));
        }
        let request = request
            .update_expression(format!("SET full_at = {}, #ttl = :ttl, v = :v", update.full_at))
            .condition_expression(update.condition)
            .expression_attribute_names("#ttl", "ttl")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let Err(error) = request.send().await else { return Ok(None) };
        match error.as_service_error() {
            Some(UpdateItemError::ConditionalCheckFailedException(refused)) => {
                let item: Option<Attributes> = refused.item.clone().filter(|item| !item.is_empty());
                let full_at = item.map(decode::<RateItem>).transpose()?.map(|item| item.full_at);
                Ok(Some(Refused { full_at }))
            }
            _ => Err(sdk_error("UpdateItem", error)),
        }
    }
}

/// One way to take a write out of a bucket.
struct Update<'a> {
    full_at: &'a str,
    condition: &'a str,
    values: &'a [(&'a str, i64)],
}

/// A bucket as it stood when an update was refused; `None` if there was none.
struct Refused {
    full_at: Option<i64>,
}

/// A full bucket says nothing, so the item may go, in seconds since 1970.
fn ttl(now: i64, rate: Rate) -> i64 {
    (now + 2 * rate.capacity()) / 1000 + 60
}
