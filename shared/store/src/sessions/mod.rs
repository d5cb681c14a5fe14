//! Upload sessions: opening, claiming, ending, and finding those that need a look.

mod claim;
mod due;
mod end;
mod open;
mod pending;

pub use claim::Claim;
pub use due::Due;
pub use end::Fenced;
pub use open::{Opened, OpenedBy, Quota};

pub(crate) use end::{Fence, end_session};
pub(crate) use open::published_already;

use aws_sdk_dynamodb::types::AttributeValue;
use skillhub_protocol::{Manifest, UploadId};

use crate::codec::{Attributes, decode, inflate};
use crate::error::StoreError;
use crate::ids::PrincipalId;
use crate::items::{OwnSessionItem, SessionItem};
use crate::keys::{Key, OWN_SESSIONS, principal_partition};
use crate::table::{Freshness, SortKeys, Table};

/// How long a session waits for its bytes.
const SESSION_TTL_MS: i64 = 60 * 60 * 1000;
/// When the sweeper looks at a new session for the first time; then twice as long, and so on.
const FIRST_CHECK_MS: i64 = 2 * 60 * 1000;
/// How long a claim holds. Longer than a validator may run (60 s).
const LEASE_MS: i64 = 90 * 1000;
/// How often a session may be claimed before it counts as poison.
pub(crate) const MAX_ATTEMPTS: u32 = 5;
/// How long a request with an `Idempotency-Key` is known, in seconds. Less than a finished session can be read.
const REPEATED_SECONDS: i64 = 24 * 60 * 60;
/// How long a finished session can be read, in seconds.
const KEEP_SECONDS: i64 = 30 * 24 * 60 * 60;

impl Table {
    /// A session, read strongly.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn session(&self, id: &UploadId) -> Result<Option<SessionItem>, StoreError> {
        self.get_strong(&Key::session(id)).await
    }

    /// The manifest that a session was opened with.
    ///
    /// # Errors
    /// If the store fails or the item cannot be read.
    pub(crate) fn session_manifest(attributes: &Attributes) -> Result<Manifest, StoreError> {
        let json = inflate("session manifest", attributes, "manifest")?;
        Manifest::from_json(&json).map_err(|e| StoreError::corrupt("session manifest", e))
    }

    /// The caller's own sessions that have not ended, oldest first, at most `limit`.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn own_sessions(&self, principal: &PrincipalId, limit: usize) -> Result<Vec<UploadId>, StoreError> {
        let items = self.own_session_items(principal, limit, Freshness::Strong).await?;
        Ok(items.into_iter().map(|(id, _)| id).collect())
    }

    pub(crate) async fn own_session_items(
        &self,
        principal: &PrincipalId,
        limit: usize,
        freshness: Freshness,
    ) -> Result<Vec<(UploadId, OwnSessionItem)>, StoreError> {
        let partition = principal_partition(principal);
        let items = self.query(&partition, SortKeys::Prefix(OWN_SESSIONS), limit, freshness).await?;
        let id = |item: &Attributes| item.get("sk")?.as_s().ok()?.strip_prefix(OWN_SESSIONS)?.parse().ok();
        let corrupt = || StoreError::corrupt("own upload session", "bad sort key");
        items.into_iter().map(|item| Ok((id(&item).ok_or_else(corrupt)?, decode(item)?))).collect()
    }
}

fn text(value: impl std::fmt::Display) -> AttributeValue {
    AttributeValue::S(value.to_string())
}
