//! Attempts to publish.

use serde::{Deserialize, Serialize};
use skillhub_protocol::{
    Finding, Namespace, PackageDeclaration, PublishedVersion, Release, Sha256, SkillId, Slug, Tag, UploadId,
    UploadState, UtcMillis, VersionId,
};

use crate::audience::Audience;
use crate::ids::{NamespaceId, PrincipalId};

/// An upload session: `U#<sessionId>` / `#`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionItem {
    /// The session's id.
    pub id: UploadId,
    /// Where it stands.
    pub state: UploadState,
    /// How often a validator has claimed it; the fence of every verdict.
    pub attempt: u32,
    /// The number that each claim brought with it, in their order: how a claim is recognized that the store is told twice.
    pub claims: Vec<u64>,
    /// Until when the present claim holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<UtcMillis>,
    /// When the sweeper looks at it next.
    pub next_check_at: UtcMillis,
    /// Who opened it.
    pub principal: PrincipalId,
    /// Its handle at that time, for the audit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opener: Option<Namespace>,
    /// The token that it was opened with; must still be valid at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_sha256: Option<Sha256>,
    /// The namespace that is published to.
    pub namespace_id: NamespaceId,
    /// Its handle.
    pub namespace: Namespace,
    /// Who shall see the skill, if it is new.
    pub audience: Audience,
    /// The slug that is published.
    pub slug: Slug,
    /// The version that is published.
    pub version: Release,
    /// The tags to move.
    pub tags: Vec<Tag>,
    /// The upload as it was declared.
    pub package_bytes: u64,
    /// The digest of the upload as it was declared.
    pub package_sha256: Sha256,
    /// Digest of the declared manifest.
    pub manifest_sha256: Sha256,
    /// When it was opened.
    pub created_at: UtcMillis,
    /// When it stops waiting for bytes.
    pub expires_at: UtcMillis,
    /// The skill's id: known at opening for an existing skill, else minted by the first claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_id: Option<SkillId>,
    /// The version's id, minted by the first claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_id: Option<VersionId>,
    /// When the version counts as published, fixed by the first claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<UtcMillis>,
    /// What was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedVersion>,
    /// What the validator found.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

impl SessionItem {
    /// Whether validators have failed on it so often that another attempt is pointless.
    pub fn is_poison(&self) -> bool {
        self.attempt > crate::sessions::MAX_ATTEMPTS
    }

    /// The upload as it was declared.
    pub fn declaration(&self) -> PackageDeclaration {
        PackageDeclaration { size_bytes: self.package_bytes, sha256: self.package_sha256 }
    }
}

/// "Mine": `P#<principal>` / `U#<sessionId>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnSessionItem {
    /// The slug that is published.
    pub(crate) slug: Slug,
    /// The version that is published.
    pub(crate) version: Release,
    /// How many bytes its upload may hold in staging.
    pub(crate) bytes: u64,
}

/// The advisory lock on (namespace, slug, version).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UploadLockItem {
    /// Who holds it.
    pub(crate) principal: PrincipalId,
    /// With which session.
    pub(crate) session_id: UploadId,
    /// The digest of the whole request: the same request gets the same session.
    pub(crate) request_sha256: Sha256,
    /// When it is free for all.
    pub(crate) expires_at: UtcMillis,
    /// When the item may go, in seconds since 1970.
    pub(crate) ttl: i64,
}

/// What an `Idempotency-Key` was used for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IdempotencyItem {
    /// Digest of the request's body.
    pub(crate) request_sha256: Sha256,
    /// The session that it opened.
    pub(crate) session_id: UploadId,
    /// When the item may go, in seconds since 1970.
    pub(crate) ttl: i64,
}

/// The permission to upload one file: `PT#<ticketId>` / `#`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketItem {
    /// Whose it is.
    pub principal: PrincipalId,
    /// The path in the package, as it was declared.
    pub path: String,
    /// The file's size in bytes.
    pub bytes: u64,
    /// The digest of the file's bytes.
    pub sha256: Sha256,
    /// When it stops working.
    pub expires_at: UtcMillis,
    /// The upload session that the file went into: a ticket is used once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<UploadId>,
    /// When the item may go, in seconds since 1970.
    pub(crate) ttl: i64,
}
