//! What a coordinate means.

use skillhub_protocol::{Coordinate, Namespace, Release, Selector, Sha256, SkillId, Slug, Tag, VersionId};

use crate::audience::Audience;
use crate::error::StoreError;
use crate::items::{SkillItem, SlugItem, TagItem, VersionNumberItem};
use crate::keys::Key;
use crate::table::Table;

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
    /// What a coordinate means now, by strong reads: two in a row, and before them one for the handle of a namespace other
    /// than `@global`.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn resolve(&self, coordinate: &Coordinate) -> Result<Option<Resolved>, StoreError> {
        let Some(slug) = self.named_skill(coordinate.namespace(), coordinate.slug()).await? else { return Ok(None) };
        match coordinate.selector() {
            Selector::Latest => self.resolve_latest(slug).await,
            Selector::Version(release) => self.resolve_version(slug, release).await,
            Selector::Tag(tag) => self.resolve_tag(slug, tag).await,
        }
    }

    /// The skill that has a slug, even if no version of it is available: one strong read, and before it one for the handle of
    /// a namespace other than `@global`.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn named_skill(&self, namespace: &Namespace, slug: &Slug) -> Result<Option<SlugItem>, StoreError> {
        let Some(namespace) = self.namespace_by_handle(namespace).await? else { return Ok(None) };
        self.get_strong(&Key::slug(&namespace, slug)).await
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
        Ok(number.map(|number| resolved(slug, number.tag())))
    }

    async fn resolve_tag(&self, slug: SlugItem, tag: &Tag) -> Result<Option<Resolved>, StoreError> {
        let tag = self.get_strong::<TagItem>(&Key::tag(&slug.skill_id, tag)).await?;
        Ok(tag.map(|tag| resolved(slug, tag)))
    }
}

fn resolved(slug: SlugItem, tag: TagItem) -> Resolved {
    Resolved {
        skill_id: slug.skill_id,
        version_id: tag.version_id,
        version: tag.version,
        artifact_sha256: tag.artifact_sha256,
        artifact_bytes: tag.artifact_bytes,
        audience: slug.audience,
    }
}
