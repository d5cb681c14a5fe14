//! What the table holds, one struct an item.
//!
//! An absent `Option` is an absent attribute, so that conditions such as `if_not_exists` see it as absent.

use serde::{Deserialize, Serialize};
use skillhub_protocol::{
    Finding, Namespace, NamespaceKind, OrganizationId, PackageDeclaration, PublishedVersion, Reason, Release, Role,
    Sha256, SkillId, SkillName, SkillSummary, Slug, Summary, Tag, TagTarget, TokenId, TokenName, TokenScope,
    TokenSummary, UploadId, UploadState, UtcMillis, VersionEntry, VersionId, VersionState, VersionSummary,
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
    /// The tags that exist, in order of their names. The tag's own items are for resolving.
    pub tags: Vec<SkillTag>,
    /// The version that `latest` means; `None` when none is available.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<CurrentVersion>,
    /// The list shard of a public skill.
    pub shard: u16,
    /// Raised by every change of the skill.
    pub rev: u64,
}

/// A tag of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillTag {
    /// The tag.
    pub tag: Tag,
    /// The version that it means.
    pub version_id: VersionId,
    /// That version's number.
    pub version: Release,
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
    /// What each tag means, `latest` first.
    pub fn tag_targets(&self) -> Vec<TagTarget> {
        let target = |tag: Tag, version_id: &VersionId, version: &Release| TagTarget {
            tag,
            version_id: version_id.clone(),
            version: version.into(),
        };
        let latest = self.current.iter().filter_map(|v| Some(target(Tag::LATEST.parse().ok()?, &v.id, &v.version)));
        latest.chain(self.tags.iter().map(|t| target(t.tag.clone(), &t.version_id, &t.version))).collect()
    }

    /// Points a tag at a version.
    pub(crate) fn point_tag(&mut self, tag: &Tag, version_id: &VersionId, version: &Release) {
        self.tags.retain(|t| t.tag != *tag);
        self.tags.push(SkillTag { tag: tag.clone(), version_id: version_id.clone(), version: version.clone() });
        self.tags.sort_by(|a, b| a.tag.as_str().cmp(b.tag.as_str()));
    }

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
    /// Why it was yanked or blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// A version number, never deleted: `S#<skillId>` / `VN#<release key>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionNumberItem {
    /// The number.
    pub version: Release,
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
    /// When it was published.
    pub published_at: UtcMillis,
    /// Why it was yanked or blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

impl VersionNumberItem {
    /// The entry in the list of versions.
    pub(crate) fn entry(self) -> VersionEntry {
        let summary = VersionSummary {
            id: self.version_id,
            version: (&self.version).into(),
            sha256: self.artifact_sha256,
            size_bytes: self.artifact_bytes,
            published_at: self.published_at,
        };
        VersionEntry { summary, state: self.state, reason: self.reason }
    }

    /// A tag that means it.
    pub(crate) fn tag(self) -> TagItem {
        let Self { version_id, version, artifact_sha256, artifact_bytes, .. } = self;
        TagItem { version_id, version, artifact_sha256, artifact_bytes }
    }
}

/// A slug in its namespace: `G#<nsId>` / `<slug>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlugItem {
    /// The skill that has it.
    pub skill_id: SkillId,
    /// Who sees the skill.
    pub audience: Audience,
}

/// A tag: `S#<skillId>` / `T#<tag>`. All that resolving needs; it goes in the transaction that makes its version unavailable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TagItem {
    /// The version that it means.
    pub(crate) version_id: VersionId,
    /// That version's number.
    pub(crate) version: Release,
    /// Digest of the artifact.
    pub(crate) artifact_sha256: Sha256,
    /// Size of the artifact in bytes.
    pub(crate) artifact_bytes: u64,
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

/// What a handle means: `H#<handle>` / `#`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HandleItem {
    /// The namespace that has it.
    pub(crate) namespace_id: NamespaceId,
}

/// A namespace: `N#<nsId>` / `#`.
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
    /// How many members are owners; never 0.
    pub owners: u32,
    /// How many members there are.
    pub members: u32,
    /// Raised by every change of the members.
    pub rev: u64,
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

/// An API token: `K#<sha256 of the token>` / `#`. All that authentication needs.
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

/// A token among its owner's: `P#<principal>` / `K#<tokenId>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnTokenItem {
    /// The token's id.
    pub(crate) id: TokenId,
    /// What its owner calls it.
    pub(crate) name: TokenName,
    /// Where the token itself is.
    pub(crate) token_sha256: Sha256,
    /// What it may be used for.
    pub(crate) scopes: Vec<TokenScope>,
    /// When it was made.
    pub(crate) created_at: UtcMillis,
    /// When it stops working.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<UtcMillis>,
}

impl OwnTokenItem {
    pub(crate) fn summary(self) -> TokenSummary {
        TokenSummary {
            id: self.id,
            name: self.name,
            scopes: self.scopes,
            created_at: self.created_at,
            expires_at: self.expires_at,
        }
    }
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

/// One change, written in its own transaction: `A#<nsId>` / `<time>#<random>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditItem {
    /// Who did it.
    pub principal: PrincipalId,
    /// Its handle at that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<Namespace>,
    /// What was done, such as `publish`.
    pub action: String,
    /// To what, such as `@global/hello@1.0.0`.
    pub subject: String,
    /// The digest or reason that goes with it.
    pub detail: String,
}

/// Where the sweeper's walk over a part of the bucket or table stands: `CFG` / `<name>`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkItem {
    /// After which key it goes on; absent at its beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// What this walk has seen so far.
    pub counted: Count,
    /// What the last whole walk has seen.
    pub last: Count,
}

/// What a walk has seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// How many there are.
    pub seen: u64,
    /// How many of them no version points at.
    pub orphans: u64,
    /// Some of the latter, for an operator to look at.
    pub examples: Vec<String>,
}

/// How far a principal is ahead of its rate: `RL#<principal>` / `#`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RateItem {
    /// The time at which the bucket is full again, in milliseconds since 1970.
    pub(crate) full_at: i64,
    /// When the item may go, in seconds since 1970.
    pub(crate) ttl: i64,
}

/// A content of a skill: `F#<skillId>` / `<fingerprint>`. The version that was published with it last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FingerprintItem {
    /// Its number.
    pub version: Release,
    /// Digest of its artifact: equal contents have equal artifacts, whatever their number.
    pub artifact_sha256: Sha256,
}

/// That somebody likes a skill: `P#<principal>` / `ST#<skillId>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StarItem {
    /// Since when.
    pub(crate) at: UtcMillis,
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
    HandleItem: "handle",
    NamespaceItem: "namespace",
    MembershipItem: "membership",
    TokenItem: "token",
    OwnTokenItem: "own token",
    SessionItem: "upload session",
    OwnSessionItem: "own upload session",
    UploadLockItem: "upload lock",
    IdempotencyItem: "idempotency record",
    AuditItem: "audit record",
    RateItem: "rate",
    WalkItem: "walk",
    FingerprintItem: "fingerprint",
    StarItem: "star",
    TicketItem: "upload ticket",
}
