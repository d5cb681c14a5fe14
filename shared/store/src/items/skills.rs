//! Skills, their versions, and what finds them.

use serde::{Deserialize, Serialize};
use skillhub_protocol::{
    Namespace, Reason, Release, Role, Sha256, SkillId, SkillName, SkillSummary, Slug, Summary, Tag, TagTarget,
    UploadId, UtcMillis, VersionEntry, VersionId, VersionState, VersionSummary,
};

use crate::audience::Audience;
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

    /// What a member must at least be to change what concerns its versions: a publisher, if it maintains the skill.
    pub(crate) fn least_role(&self, member: &PrincipalId) -> Role {
        if self.maintainers.contains(member) { Role::Publisher } else { Role::Owner }
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

/// A content of a skill: `F#<skillId>` / `<fingerprint>`. The version that was published with it last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FingerprintItem {
    /// Its number.
    pub version: Release,
    /// Digest of its artifact: equal contents have equal artifacts, whatever their number.
    pub artifact_sha256: Sha256,
}
