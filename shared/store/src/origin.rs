//! What an artifact says of itself. If the table is restored to an earlier time, that is all that is left of the versions that
//! were published after it: enough that their numbers are not used again.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use skillhub_protocol::{
    Namespace, Reason, Release, Sha256, SkillId, Slug, UploadId, UtcMillis, VersionId, VersionState,
};

use crate::audience::Audience;
use crate::codec::decode;
use crate::error::{StoreError, sdk_error};
use crate::ids::NamespaceId;
use crate::items::{SessionItem, SkillItem, SlugItem, VersionNumberItem};
use crate::keys::{Key, ObjectKey};
use crate::objects::Objects;
use crate::table::Table;
use crate::transaction::{Outcome, Transaction};

/// The name of the object's metadata that holds it, as JSON.
const METADATA: &str = "origin";
/// Why a number is blocked whose version is lost.
const REASON: &str = "The registry was restored to a time before this version was published.";

/// Where an artifact comes from. The ids of skill and version, and its digest, are in its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    namespace_id: NamespaceId,
    namespace: Namespace,
    /// Who was to see the skill, if it was new.
    audience: Audience,
    slug: Slug,
    version: Release,
    manifest_sha256: Sha256,
    upload_id: UploadId,
    published_at: UtcMillis,
}

impl Origin {
    /// The origin of what a session publishes.
    pub fn of(session: &SessionItem, published_at: UtcMillis) -> Self {
        Self {
            namespace_id: session.namespace_id.clone(),
            namespace: session.namespace.clone(),
            audience: session.audience.clone(),
            slug: session.slug.clone(),
            version: session.version.clone(),
            manifest_sha256: session.manifest_sha256,
            upload_id: session.id.clone(),
            published_at,
        }
    }

    pub(crate) fn metadata(&self) -> Result<HashMap<String, String>, StoreError> {
        let text = serde_json::to_string(self).map_err(|e| StoreError::corrupt("origin", e))?;
        Ok(HashMap::from([(METADATA.to_owned(), text)]))
    }

    /// The number of a version that is lost: taken, and not to be had.
    fn number(&self, version_id: &VersionId, artifact_sha256: Sha256, artifact_bytes: u64) -> VersionNumberItem {
        VersionNumberItem {
            version: self.version.clone(),
            version_id: version_id.clone(),
            upload_id: self.upload_id.clone(),
            state: VersionState::Blocked,
            manifest_sha256: self.manifest_sha256,
            artifact_sha256,
            artifact_bytes,
            published_at: self.published_at,
            reason: REASON.parse::<Reason>().ok(),
        }
    }

    /// A skill of which only numbers are left. Its owners may publish new ones.
    fn skill(&self, id: &SkillId) -> SkillItem {
        SkillItem {
            id: id.clone(),
            namespace_id: self.namespace_id.clone(),
            namespace: self.namespace.clone(),
            audience: self.audience.clone(),
            slug: self.slug.clone(),
            maintainers: Vec::new(),
            tags: Vec::new(),
            current: None,
            shard: 0,
            rev: 1,
        }
    }
}

impl Objects {
    /// The origin of an artifact, and its size in bytes; `None` if it says none.
    ///
    /// # Errors
    /// If the store fails, or the origin is not as it was written.
    pub async fn origin(&self, artifact: &ObjectKey) -> Result<Option<(Origin, u64)>, StoreError> {
        let head = self.client().head_object().bucket(self.bucket()).key(artifact.to_string()).send().await;
        let head = head.map_err(|e| sdk_error("HeadObject", e))?;
        let bytes = head.content_length().and_then(|length| u64::try_from(length).ok()).unwrap_or_default();
        let text = head.metadata().and_then(|metadata| metadata.get(METADATA));
        let origin = text.map(|text| serde_json::from_str(text)).transpose();
        Ok(origin.map_err(|e| StoreError::corrupt("origin", e))?.map(|origin| (origin, bytes)))
    }
}

impl Table {
    /// Takes the number of an artifact whose version is lost, so that it is not used again; its skill and slug too, if they are
    /// lost as well. Says whether it was free. What is there stays as it is.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn retake_number(
        &self,
        artifact: &ObjectKey,
        (origin, bytes): &(Origin, u64),
    ) -> Result<bool, StoreError> {
        let ObjectKey::Package { skill, version, artifact } = artifact else { return Ok(false) };
        let (meta, slug) = (Key::skill(skill), Key::slug(&origin.namespace_id, &origin.slug));
        let number = Key::version_number(skill, &origin.version);
        let mut found = self.get_batch(&[meta.clone(), slug.clone(), number.clone()]).await?;
        if found.contains_key(&number) {
            return Ok(false);
        }
        let owner = found.remove(&slug).map(decode::<SlugItem>).transpose()?;
        let mut transaction = Transaction::new();
        transaction.put_new(&number, &origin.number(version, *artifact, *bytes))?;
        if owner.is_none() && !found.contains_key(&meta) {
            let item = origin.skill(skill);
            transaction.put_new(&slug, &SlugItem { skill_id: item.id.clone(), audience: item.audience.clone() })?;
            transaction.put_new(&meta, &item)?;
        }
        match self.transact(transaction).await? {
            Outcome::Committed => Ok(true),
            Outcome::ConditionsFailed(_) => Ok(false),
            Outcome::Busy => Err(StoreError::busy()),
        }
    }
}
