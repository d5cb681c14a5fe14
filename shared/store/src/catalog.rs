//! What readers ask: lists, details, what a coordinate means.

use skillhub_protocol::{Coordinate, Release, Selector, Sha256, SkillId, VersionId};

use crate::audience::{Audience, Viewer};
use crate::codec::decode;
use crate::error::StoreError;
use crate::items::{ListItem, SkillItem, SlugItem, TagItem, VersionItem, VersionNumberItem, VersionState};
use crate::keys::Key;
use crate::table::{Freshness, SortKeys, Table};

/// A partition of the list, in the order of skill ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPartition(String);

impl ListPartition {
    /// The partitions that together are everything that a caller sees. One shard of public skills until measured otherwise.
    pub fn visible_to(viewer: &Viewer, anonymous_read: bool) -> Vec<Self> {
        viewer.audiences(anonymous_read).iter().map(|audience| Self(audience.list_partition(0))).collect()
    }
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPage {
    /// The summaries as JSON, in ascending order of skill ids.
    pub summaries: Vec<String>,
    /// The id after which the next page begins; `None` on the last page.
    pub next: Option<SkillId>,
}

/// What a coordinate means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The skill.
    pub skill_id: SkillId,
    /// The version.
    pub version_id: VersionId,
    /// Its number.
    pub version: Release,
    /// Digest of the artifact.
    pub artifact_sha256: Sha256,
    /// Size of the artifact in bytes.
    pub artifact_bytes: u64,
    /// Who sees it.
    pub audience: Audience,
}

impl Table {
    /// The next `limit` entries after `after`, merged from `partitions`. One query a partition, each for one entry more than
    /// asked, to know whether there is a next page. The cursor is a position and nothing else: it may name a skill that is gone.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn list(
        &self,
        partitions: &[ListPartition],
        after: Option<&SkillId>,
        limit: usize,
    ) -> Result<ListPage, StoreError> {
        let range = after.map_or(SortKeys::All, |id| SortKeys::After(id.as_str()));
        let mut entries = Vec::new();
        for ListPartition(partition) in partitions {
            for item in self.query(partition, range, limit + 1, Freshness::Eventual).await? {
                let id = item.get("sk").and_then(|sk| sk.as_s().ok()?.parse::<SkillId>().ok());
                let id = id.ok_or_else(|| StoreError::corrupt("list entry", "bad sort key"))?;
                entries.push((id, decode::<ListItem>(item)?.summary));
            }
        }
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        // A skill whose scope is just changing may stand in two partitions.
        entries.dedup_by(|(a, _), (b, _)| a == b);
        let more = entries.len() > limit;
        entries.truncate(limit);
        let next = entries.last().filter(|_| more).map(|(id, _)| id.clone());
        Ok(ListPage { summaries: entries.into_iter().map(|(_, summary)| summary).collect(), next })
    }

    /// A skill.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn skill(&self, id: &SkillId) -> Result<Option<SkillItem>, StoreError> {
        self.get(&Key::skill(id)).await
    }

    /// A version: one read, or two if the first misses.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn version(&self, skill: &SkillId, version: &VersionId) -> Result<Option<VersionItem>, StoreError> {
        if !version.is_minted() {
            return Ok(None);
        }
        self.get(&Key::version(skill, version)).await
    }

    /// What a coordinate means now, by strong reads: at most three in a row, and one more for the handle of a namespace other
    /// than `@global`.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn resolve(&self, coordinate: &Coordinate) -> Result<Option<Resolved>, StoreError> {
        let Some(namespace) = self.namespace_by_handle(coordinate.namespace()).await? else { return Ok(None) };
        let Some(slug) = self.get_strong::<SlugItem>(&Key::slug(&namespace, coordinate.slug())).await? else {
            return Ok(None);
        };
        match coordinate.selector() {
            Selector::Latest => self.resolve_latest(slug).await,
            Selector::Version(release) => self.resolve_version(slug, release).await,
            Selector::Tag(tag) => {
                let tag = self.get_strong::<TagItem>(&Key::tag(&slug.skill_id, tag)).await?;
                match tag {
                    Some(tag) => self.resolve_id(slug, tag.version_id).await,
                    None => Ok(None),
                }
            }
        }
    }

    async fn resolve_latest(&self, slug: SlugItem) -> Result<Option<Resolved>, StoreError> {
        let skill = self.get_strong::<SkillItem>(&Key::skill(&slug.skill_id)).await?;
        Ok(skill.and_then(|skill| skill.current).map(|current| Resolved {
            skill_id: slug.skill_id,
            version_id: current.id,
            version: current.version,
            artifact_sha256: current.artifact_sha256,
            artifact_bytes: current.artifact_bytes,
            audience: slug.audience,
        }))
    }

    async fn resolve_version(&self, slug: SlugItem, release: &Release) -> Result<Option<Resolved>, StoreError> {
        let number = self.get_strong::<VersionNumberItem>(&Key::version_number(&slug.skill_id, release)).await?;
        Ok(number.map(|number| Resolved {
            skill_id: slug.skill_id,
            version_id: number.version_id,
            version: release.clone(),
            artifact_sha256: number.artifact_sha256,
            artifact_bytes: number.artifact_bytes,
            audience: slug.audience,
        }))
    }

    /// A tag is absent while its version is not available.
    async fn resolve_id(&self, slug: SlugItem, version_id: VersionId) -> Result<Option<Resolved>, StoreError> {
        let version = self.get_strong::<VersionItem>(&Key::version(&slug.skill_id, &version_id)).await?;
        Ok(version.filter(|version| version.state == VersionState::Available).map(|version| Resolved {
            skill_id: slug.skill_id,
            version_id,
            version: version.version,
            artifact_sha256: version.artifact_sha256,
            artifact_bytes: version.artifact_bytes,
            audience: slug.audience,
        }))
    }
}
