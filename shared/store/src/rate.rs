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
    /// Milliseconds of the bucket that one write takes.
    fn cost(self) -> i64 {
        60_000 / i64::from(self.per_minute.max(1))
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

/// How often a permit is asked for again after another request of the same principal was faster.
const ATTEMPTS: u32 = 8;

impl Table {
    /// Takes one write out of a principal's bucket: one conditional update, two after a pause of the principal.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn take_permit(&self, principal: &PrincipalId, rate: Rate, now: UtcMillis) -> Result<Permit, StoreError> {
        let (now, cost, capacity) = (now.epoch_millis(), rate.cost(), rate.capacity());
        // The usual case: a bucket in use that has room.
        let condition = "full_at BETWEEN :now AND :most";
        let values = [(":now", now), (":most", now + capacity - cost), (":cost", cost)];
        let mut refused = self.update_rate(principal, "full_at + :cost", condition, &values, ttl(now, rate)).await?;
        for _ in 0..ATTEMPTS {
            let Some(Refused { full_at }) = refused else { return Ok(Permit::Granted) };
            let after = full_at.unwrap_or(now).max(now) + cost;
            if after - now > capacity {
                return Ok(Permit::Wait((after - now - capacity).max(1)));
            }
            refused = match full_at {
                Some(old) => {
                    let values = [(":old", old), (":after", after)];
                    self.update_rate(principal, ":after", "full_at = :old", &values, ttl(now, rate)).await?
                }
                None => {
                    let condition = "attribute_not_exists(full_at)";
                    self.update_rate(principal, ":after", condition, &[(":after", after)], ttl(now, rate)).await?
                }
            };
        }
        Ok(Permit::Wait(cost.max(1)))
    }

    async fn update_rate(
        &self,
        principal: &PrincipalId,
        full_at: &str,
        condition: &str,
        values: &[(&str, i64)],
        ttl: i64,
    ) -> Result<Option<Refused>, StoreError> {
        let number = |value: i64| AttributeValue::N(value.to_string());
        let key = Key::rate(principal).attributes();
        let mut request = self.client.update_item().table_name(&self.name).set_key(Some(key));
        for (name, value) in values.iter().chain(&[(":ttl", ttl), (":v", 1)]) {
            request = request.expression_attribute_values(*name, number(*value));
        }
        let request = request
            .update_expression(format!("SET full_at = {full_at}, #ttl = :ttl, v = :v"))
            .condition_expression(condition)
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

/// A bucket as it stood when an update was refused; `None` if there was none.
struct Refused {
    full_at: Option<i64>,
}

/// A full bucket says nothing, so the item may go, in seconds since 1970.
fn ttl(now: i64, rate: Rate) -> i64 {
    (now + 2 * rate.capacity()) / 1000 + 60
}
