//! The record of what was done: one item a change, written by the transaction of the change.

use skillhub_protocol::{AuditEntry, Namespace, UtcMillis};

use crate::codec::decode;
use crate::error::StoreError;
use crate::ids::{NamespaceId, PrincipalId};
use crate::items::AuditItem;
use crate::keys::{Key, audit_partition};
use crate::table::{Freshness, Order, SortKeys, Table};
use crate::transaction::Transaction;

/// Where a page of the record begins: the place of the last entry before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditCursor(String);

/// A text that is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the nextCursor of an earlier page, unchanged")]
pub struct InvalidCursor;

impl std::str::FromStr for AuditCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (time, random) = text.split_once('#').ok_or(InvalidCursor)?;
        let hex = random.len() == 16 && random.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if hex && time.parse::<UtcMillis>().is_ok() { Ok(Self(text.to_owned())) } else { Err(InvalidCursor) }
    }
}

impl std::fmt::Display for AuditCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// One page of the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPage {
    /// The entries, newest first.
    pub entries: Vec<AuditEntry>,
    /// Where the next page begins; `None` on the last page.
    pub next: Option<AuditCursor>,
}

/// Who did something, as the record keeps it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Actor<'a> {
    pub(crate) principal: &'a PrincipalId,
    pub(crate) handle: Option<&'a Namespace>,
}

/// One change, on its way into the record.
#[derive(Debug)]
pub(crate) struct Change<'a> {
    pub(crate) action: &'static str,
    pub(crate) subject: String,
    pub(crate) detail: &'a str,
    pub(crate) at: UtcMillis,
    /// Keeps two changes of one millisecond apart.
    pub(crate) random: u64,
}

/// Adds the record of a change to its transaction.
pub(crate) fn record(
    transaction: &mut Transaction,
    namespace: &NamespaceId,
    actor: Actor<'_>,
    change: Change<'_>,
) -> Result<(), StoreError> {
    let item = AuditItem {
        principal: actor.principal.clone(),
        actor: actor.handle.cloned(),
        action: change.action.to_owned(),
        subject: change.subject,
        detail: change.detail.to_owned(),
    };
    transaction.put_new(&Key::audit(namespace, change.at, change.random), &item)
}

impl Table {
    /// The newest `limit` entries of a namespace's record before `cursor`: one query, for one more than asked.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn audit(
        &self,
        namespace: &NamespaceId,
        cursor: Option<&AuditCursor>,
        limit: usize,
    ) -> Result<AuditPage, StoreError> {
        let (partition, order) = (audit_partition(namespace), Order::Descending(cursor.map(|c| c.0.as_str())));
        let items = self.range(&partition, SortKeys::All, order, limit + 1, Freshness::Strong).await?;
        let more = items.len() > limit;
        let mut places = Vec::new();
        let mut entries = Vec::new();
        for item in items.into_iter().take(limit) {
            let place = item.get("sk").and_then(|sk| sk.as_s().ok()?.parse::<AuditCursor>().ok());
            let place = place.ok_or_else(|| StoreError::corrupt("audit record", "bad sort key"))?;
            entries.push(entry(&place, decode(item)?)?);
            places.push(place);
        }
        Ok(AuditPage { entries, next: places.pop().filter(|_| more) })
    }
}

fn entry(place: &AuditCursor, item: AuditItem) -> Result<AuditEntry, StoreError> {
    let at = place.0.split_once('#').and_then(|(time, _)| time.parse().ok());
    let at = at.ok_or_else(|| StoreError::corrupt("audit record", "bad sort key"))?;
    Ok(AuditEntry { at, actor: item.actor, action: item.action, subject: item.subject, detail: item.detail })
}
