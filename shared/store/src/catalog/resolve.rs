//! What a coordinate means.

use skillhub_protocol::{Coordinate, Release, Selector, Sha256, SkillId, VersionId, VersionState};

use crate::audience::Audience;
use crate::error::StoreError;
use crate::items::{SkillItem, SlugItem, TagItem, VersionItem, VersionNumberItem};
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
