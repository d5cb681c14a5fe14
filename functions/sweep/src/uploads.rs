//! Bytes that landed after their session had ended, and whose event was lost as well.

use skillhub_protocol::UtcMillis;
use skillhub_store::{ObjectKey, StoreError, Stored, Walk, WalkItem};
use skillhub_validate::Validator;

/// How many uploads one run looks at.
const PAGE: i32 = 100;
/// How old an upload of an unknown session must be, in milliseconds.
const UNKNOWN_AGE_MS: i64 = 60 * 60 * 1000;
/// How old a part must be, in milliseconds: more than a ticket lives.
const PART_AGE_MS: i64 = 2 * 60 * 60 * 1000;

/// What became of the uploads of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UploadsReport {
    /// Removed, because their session had ended.
    pub removed: usize,
    /// For how long the oldest of the others has been waiting for its verdict, in milliseconds; 0 without any.
    pub oldest_waiting_millis: u64,
}

pub(crate) async fn sweep(validator: &Validator) -> Result<UploadsReport, StoreError> {
    let (table, objects, now) = (&validator.table, &validator.objects, validator.clock.now());
    let walk = table.walk(Walk::Staging).await?;
    let page = objects.list(ObjectKey::STAGING_PREFIX, walk.after.as_deref(), PAGE).await?;
    let mut report = UploadsReport::default();
    for stored in &page.objects {
        if remove_if_late(validator, stored, now).await? {
            report.removed += 1;
        } else {
            let age = u64::try_from(now.epoch_millis() - stored.at.epoch_millis()).unwrap_or(0);
            report.oldest_waiting_millis = report.oldest_waiting_millis.max(age);
        }
    }
    let after = page.objects.last().filter(|_| page.more).map(|stored| stored.key.clone());
    if after != walk.after {
        table.put_walk(Walk::Staging, &WalkItem { after, ..walk }).await?;
    }
    Ok(report)
}

/// Removes parts whose tickets have expired: their publisher did not come back. Ids are in the order of time, so the oldest come
/// first. Says how many it removed.
pub(crate) async fn sweep_parts(validator: &Validator) -> Result<usize, StoreError> {
    let (objects, now) = (&validator.objects, validator.clock.now());
    let page = objects.list(ObjectKey::PARTS_PREFIX, None, PAGE).await?;
    let late = |stored: &&Stored| stored.at.plus_millis(PART_AGE_MS) < now;
    let late: Vec<_> =
        page.objects.iter().filter(late).filter_map(|stored| ObjectKey::parse_part(&stored.key)).collect();
    for ticket in &late {
        objects.delete_part(ticket).await?;
    }
    Ok(late.len())
}

async fn remove_if_late(validator: &Validator, stored: &Stored, now: UtcMillis) -> Result<bool, StoreError> {
    let Some(id) = ObjectKey::parse_staging(&stored.key) else { return Ok(false) };
    let late = match validator.table.session(&id).await {
        Ok(Some(session)) => session.state.is_terminal(),
        Ok(None) => stored.at.plus_millis(UNKNOWN_AGE_MS) < now,
        // It stays, and keeps no others waiting.
        Err(error) if error.is_unreadable() => false,
        Err(error) => return Err(error),
    };
    if late {
        validator.objects.delete_staging(&id).await?;
    }
    Ok(late)
}
