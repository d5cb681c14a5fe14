//! What is being published under a name.

use skillhub_protocol::{Namespace, Slug};

use crate::codec::decode;
use crate::error::StoreError;
use crate::items::{SessionItem, UploadLockItem};
use crate::keys::lock_partition;
use crate::table::{Freshness, Order, SortKeys, Table};

/// How many locks on one slug are looked at, from the highest version down. Those of published versions stay for a day.
const LOCKS: usize = 5;

impl Table {
    /// An upload to `slug` that has not ended, the highest version's: one query and a read for each lock, at most 6 calls, one
    /// more for a namespace other than `@global`. Who may know of it is the caller's to ask.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn pending_upload(&self, namespace: &Namespace, slug: &Slug) -> Result<Option<SessionItem>, StoreError> {
        let Some(namespace) = self.namespace_by_handle(namespace).await? else { return Ok(None) };
        let (partition, order) = (lock_partition(&namespace, slug), Order::Descending(None));
        for lock in self.range(&partition, SortKeys::All, order, LOCKS, Freshness::Strong).await? {
            let lock: UploadLockItem = decode(lock)?;
            let session = self.session(&lock.session_id).await?;
            if let Some(session) = session.filter(|session| !session.state.is_terminal()) {
                return Ok(Some(session));
            }
        }
        Ok(None)
    }
}
