//! What the table holds, one struct an item.
//!
//! An absent `Option` is an absent attribute, so that conditions such as `if_not_exists` see it as absent.

use serde::{Deserialize, Serialize};
use skillhub_protocol::{
    Finding, Namespace, NamespaceKind, OrganizationId, PackageDeclaration, PublishedVersion, Release, Role, Sha256,
    SkillId, SkillName, SkillSummary, Slug, Summary, Tag, UploadId, UploadState, UtcMillis, VersionId, VersionSummary,
};

use crate::audience::Audience;
use crate::codec::Item;
use crate::ids::{NamespaceId, PrincipalId};

/// A skill: `S#<skillId>` / `#META`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillItem {
    /// The skill's id.
    pub id: SkillId,
    /// The owner of the slug.
    pub namespace_id: NamespaceId,
    /// The owner's handle.
    pub namespace: Namespace,
    /// Who sees the skill.
    pub audience: Audience,
    /// The logical name; it never changes.
    pub slug: Slug,
    /// Who may publish versions besides the owners, creator first.
    pub maintainers: Vec<PrincipalId>,
    /// The tags that exist, for their limit.
    pub tags: Vec<Tag>,
    /// The version that `latest` means; `None` when none is available.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<CurrentVersion>,
    /// The list shard of a public skill.
    pub shard: u16,
    /// Raised by every change of the set of versions.
    pub rev: u64,
}

/// What a skill's item says of its current version: enough for a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentVersion {
    /// The version's id.
    pub id: VersionId,
    /// Its number.
    pub version: Release,
    /// The name that people see, as of this version.
    pub name: SkillName,
    /// The description, as of this version.
    pub description: Summary,
    /// Digest of the artifact.
    pub artifact_sha256: Sha256,
    /// Size of the artifact in bytes.
    pub artifact_bytes: u64,
    /// When it was published.
    pub published_at: UtcMillis,
}

impl SkillItem {
    /// The summary that lists and details carry; `None` when no version is available.
    pub fn summary(&self) -> Option<SkillSummary> {
        let current = self.current.as_ref()?;
        Some(SkillSummary {
            id: self.id.clone(),
            namespace: Some(self.namespace.clone()),
            slug: self.slug.clone(),
            name: current.name.clone(),
            description: current.description.clone(),
            visibility: self.audience.visibility(),
            current_version: VersionSummary {
                id: current.id.clone(),
                version: (&current.version).into(),
                sha256: current.artifact_sha256,
                size_bytes: current.artifact_bytes,
                published_at: current.published_at,
            },
        })
    }
}

/// Whether a version may be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VersionState {
    /// Listed and downloadable.
    Available,
    /// Left lists and `latest`; an exact download still works.
    Yanked,
    /// Bytes are no longer handed out.
    Blocked,
}

/// A version: `S#<skillId>` / `V#<versionId>`. All that a download needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionItem {
    /// Whether it may be had.
    pub state: VersionState,
    /// Who sees the skill.
    pub audience: Audience,
    /// The owner of the slug.
    pub namespace_id: NamespaceId,
    /// The slug, for the file's name.
    pub slug: Slug,
    /// The number.
    pub version: Release,
    /// Digest of the artifact; part of the object's key.
    pub artifact_sha256: Sha256,
    /// Size of the artifact in bytes.
    pub artifact_bytes: u64,
    /// When it was published.
    pub published_at: UtcMillis,
}

/// A version number, never deleted: `S#<skillId>` / `VN#<release key>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionNumberItem {
    /// The version that has the number.
    pub version_id: VersionId,
    /// The session that published it.
    pub upload_id: UploadId,
    /// Whether it may be had.
    pub state: VersionState,
    /// Digest of the manifest: equal means "published already".
    pub manifest_sha256: Sha256,
    /// Digest of the artifact.
    pub artifact_sha256: Sha256,
    /// Size of the artifact in bytes.
    pub artifact_bytes: u64,
}

/// A slug in its namespace: `G#<nsId>` / `<slug>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlugItem {
    /// The skill that has it.
    pub skill_id: SkillId,
    /// Who sees the skill.
    pub audience: Audience,
}

/// A tag: `S#<skillId>` / `T#<tag>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TagItem {
    /// The version that it means.
    pub(crate) version_id: VersionId,
}

/// An entry of a list: the summary as JSON, ready to send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ListItem {
    /// The contract's summary.
    pub(crate) summary: String,
}

/// An entry of the search by slug.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SearchItem {
    /// The owner's handle.
    pub(crate) namespace: Namespace,
}

/// A namespace: `N#<nsId>` / `#`, and what its handle means: `H#<handle>` / `#`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespaceItem {
    /// The internal id.
    pub id: NamespaceId,
    /// The handle.
    pub namespace: Namespace,
    /// What kind of owner it is.
    pub kind: NamespaceKind,
    /// The organization's id in answers, for kind organization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<OrganizationId>,
}

/// A membership, kept both ways: `P#<principal>` / `N#<nsId>` and `N#<nsId>` / `M#<principal>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MembershipItem {
    /// Who.
    pub principal: PrincipalId,
    /// In which namespace.
    pub namespace_id: NamespaceId,
    /// Its handle.
    pub namespace: Namespace,
    /// What kind of owner it is.
    pub kind: NamespaceKind,
    /// The organization's id in answers, for kind organization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<OrganizationId>,
    /// What the member may do.
    pub role: Role,
}

/// What a token may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenScope {
    /// See what its principal sees.
    Read,
    /// Publish.
    Publish,
    /// Everything else.
    Manage,
}

/// An API token: `K#<sha256 of the token>` / `#`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenItem {
    /// Whose it is.
    pub principal: PrincipalId,
    /// What it may be used for.
    pub scopes: Vec<TokenScope>,
    /// When it stops working; `None` is never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<UtcMillis>,
}

/// An upload session: `U#<sessionId>` / `#`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionItem {
    /// The session's id.
    pub id: UploadId,
    /// Where it stands.
    pub state: UploadState,
    /// How often a validator has claimed it; the fence of every verdict.
    pub attempt: u32,
    /// Until when the present claim holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<UtcMillis>,
    /// When the sweeper looks at it next.
    pub next_check_at: UtcMillis,
    /// Who opened it.
    pub principal: PrincipalId,
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
    /// The same in seconds, for the table's time to live: an expired lock is as good as none.
    #[serde(default)]
    pub(crate) ttl: i64,
}

/// What an `Idempotency-Key` was used for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IdempotencyItem {
    /// Digest of the request's body.
    pub(crate) request_sha256: Sha256,
    /// The session that it opened.
    pub(crate) session_id: UploadId,
}

/// One change, written in its own transaction: `A#<nsId>` / `<time>#<random>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditItem {
    /// Who did it.
    pub principal: PrincipalId,
    /// What was done, such as `publish`.
    pub action: String,
    /// To what, such as `@global/hello@1.0.0`.
    pub subject: String,
    /// The digest or reason that goes with it.
    pub detail: String,
}

macro_rules! items {
    ($($name:ident: $kind:literal),+ $(,)?) => {
        $(impl Item for $name { const KIND: &'static str = $kind; })+
    };
}

items! {
    SkillItem: "skill",
    VersionItem: "version",
    VersionNumberItem: "version number",
    SlugItem: "slug",
    TagItem: "tag",
    ListItem: "list entry",
    SearchItem: "search entry",
    NamespaceItem: "namespace",
    MembershipItem: "membership",
    TokenItem: "token",
    SessionItem: "upload session",
    OwnSessionItem: "own upload session",
    UploadLockItem: "upload lock",
    IdempotencyItem: "idempotency record",
    AuditItem: "audit record",
}
