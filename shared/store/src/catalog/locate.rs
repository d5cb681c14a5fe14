//! A skill by its name, with the version that the name means: what clients that know no ids ask for.

use skillhub_protocol::{Coordinate, Release, Selector, Sha256, SkillId, UtcMillis, VersionId, VersionState};

use crate::codec::decode;
use crate::error::StoreError;
use crate::items::{CurrentVersion, FingerprintItem, SkillItem, VersionNumberItem};
use crate::keys::Key;
use crate::table::Table;

/// A skill, and the version that a coordinate means. Whether the caller may see it is the caller's to ask.
#[derive(Debug, Clone)]
pub struct Located {
    /// The skill.
    pub skill: SkillItem,
    /// The version, whatever its state; `None` if the coordinate means none now.
    pub version: Option<LocatedVersion>,
}

/// A version, as far as its number tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedVersion {
    /// Its id.
    pub id: VersionId,
    /// Its number.
    pub version: Release,
    /// Whether it may be had.
    pub state: VersionState,
    /// Digest of its artifact.
    pub artifact_sha256: Sha256,
    /// When it was published.
    pub published_at: UtcMillis,
}

impl From<CurrentVersion> for LocatedVersion {
    fn from(current: CurrentVersion) -> Self {
        let CurrentVersion { id, version, artifact_sha256, published_at, .. } = current;
        Self { id, version, state: VersionState::Available, artifact_sha256, published_at }
    }
}

impl From<VersionNumberItem> for LocatedVersion {
    fn from(number: VersionNumberItem) -> Self {
        let VersionNumberItem { version_id, version, state, artifact_sha256, published_at, .. } = number;
        Self { id: version_id, version, state, artifact_sha256, published_at }
    }
}

impl Table {
    /// The skill that a coordinate names, and the version that it means, by strong reads: the slug, then the skill, with the
    /// number in the same call. A tag is one read more; so is, before them, the handle of a namespace other than `@global`.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn locate(&self, coordinate: &Coordinate) -> Result<Option<Located>, StoreError> {
        let Some(slug) = self.named_skill(coordinate.namespace(), coordinate.slug()).await? else { return Ok(None) };
        let id = slug.skill_id;
        match coordinate.selector() {
            Selector::Version(release) => self.with_number(&id, release).await,
            Selector::Latest => {
                let skill = self.get_strong::<SkillItem>(&Key::skill(&id)).await?;
                Ok(skill.map(|skill| Located { version: skill.current.clone().map(Into::into), skill }))
            }
            Selector::Tag(tag) => {
                let Some(skill) = self.get_strong::<SkillItem>(&Key::skill(&id)).await? else { return Ok(None) };
                let target = skill.tags.iter().find(|target| target.tag == *tag);
                let version = match target.map(|target| Key::version_number(&id, &target.version)) {
                    Some(key) => self.get_strong::<VersionNumberItem>(&key).await?,
                    None => None,
                };
                Ok(Some(Located { skill, version: version.map(Into::into) }))
            }
        }
    }

    /// The version of a skill with this number, whatever its state: one strong read.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn version_by_number(
        &self,
        skill: &SkillId,
        release: &Release,
    ) -> Result<Option<LocatedVersion>, StoreError> {
        let number = self.get_strong::<VersionNumberItem>(&Key::version_number(skill, release)).await?;
        Ok(number.map(Into::into))
    }

    /// The version of a skill that was published last with this fingerprint: one read, two if it misses.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn fingerprint(
        &self,
        skill: &SkillId,
        fingerprint: &Sha256,
    ) -> Result<Option<FingerprintItem>, StoreError> {
        self.get(&Key::fingerprint(skill, fingerprint)).await
    }

    async fn with_number(&self, id: &SkillId, release: &Release) -> Result<Option<Located>, StoreError> {
        let (skill, number) = (Key::skill(id), Key::version_number(id, release));
        let mut items = self.get_batch(&[skill.clone(), number.clone()]).await?;
        let Some(skill) = items.remove(&skill) else { return Ok(None) };
        let number = items.remove(&number).map(decode::<VersionNumberItem>).transpose()?;
        Ok(Some(Located { skill: decode(skill)?, version: number.map(Into::into) }))
    }
}
