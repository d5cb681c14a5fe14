//! Filling a table for tests and benchmarks: the items of a publish, by the thousand. No function has this.

use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use rand::{Rng, RngExt};
use sha2::{Digest, Sha256 as Hasher};
use skillhub_protocol::{Manifest, Sha256, SkillId, UploadId, UploadState, UtcMillis};

use crate::artifacts::{BodyExtra, FileSpan, VersionBody};
use crate::audience::Audience;
use crate::codec::Attributes;
use crate::error::{StoreError, sdk_error};
use crate::ids::{mint_skill_id, mint_upload_id, mint_version_id};
use crate::items::{MembershipItem, SessionItem};
use crate::publish::{Publication, Situation};
use crate::table::Table;

/// How many items one call writes.
const BATCH: usize = 25;

impl Table {
    /// Writes a skill of one version for each manifest, as if its publisher had published them one after the other, a
    /// millisecond each from `now` on. Nothing is checked, and no artifact is stored.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn seed(
        &self,
        by: &MembershipItem,
        audience: &Audience,
        manifests: &[Manifest],
        now: UtcMillis,
        rng: &mut impl Rng,
    ) -> Result<Vec<SkillId>, StoreError> {
        let mut skills = Vec::new();
        let mut items = Vec::new();
        for (i, manifest) in manifests.iter().enumerate() {
            let at = now.plus_millis(i64::try_from(i).unwrap_or(i64::MAX));
            let session = session(by, audience, manifest, at, rng)?;
            items.extend(items_of(&session, manifest, rng.random())?);
            skills.extend(session.skill_id);
        }
        for batch in items.chunks(BATCH) {
            self.write_batch(batch).await?;
        }
        Ok(skills)
    }

    async fn write_batch(&self, items: &[Attributes]) -> Result<(), StoreError> {
        let put = |item: &Attributes| {
            let put = PutRequest::builder().set_item(Some(item.clone())).build();
            put.map(|put| WriteRequest::builder().put_request(put).build())
        };
        let mut left: Vec<_> =
            items.iter().map(put).collect::<Result<_, _>>().map_err(|e| StoreError::corrupt("seed", e))?;
        while !left.is_empty() {
            let answer = self.client.batch_write_item().request_items(&self.name, left).send().await;
            let answer = answer.map_err(|e| sdk_error("BatchWriteItem", e))?;
            left = answer.unprocessed_items.unwrap_or_default().remove(&self.name).unwrap_or_default();
        }
        Ok(())
    }
}

/// A session as it is when its package has just been found good.
fn session(
    by: &MembershipItem,
    audience: &Audience,
    manifest: &Manifest,
    now: UtcMillis,
    rng: &mut impl Rng,
) -> Result<SessionItem, StoreError> {
    let digest = Sha256::from_bytes(Hasher::digest(manifest.to_json()).into());
    let id: UploadId = mint_upload_id(now, rng);
    Ok(SessionItem {
        id,
        state: UploadState::Validating,
        attempt: 1,
        lease_until: None,
        next_check_at: now,
        principal: by.principal.clone(),
        opener: None,
        token_sha256: None,
        namespace_id: by.namespace_id.clone(),
        namespace: by.namespace.clone(),
        audience: audience.clone(),
        slug: manifest.slug.clone(),
        version: manifest.version.to_release().map_err(|e| StoreError::corrupt("seed", e))?,
        tags: Vec::new(),
        package_bytes: 1,
        package_sha256: digest,
        manifest_sha256: digest,
        created_at: now,
        expires_at: now,
        skill_id: Some(mint_skill_id(now, rng)),
        version_id: Some(mint_version_id(now, rng)),
        published_at: Some(now),
        published: None,
        findings: Vec::new(),
    })
}

/// Everything that publishing it puts; its session and the demands on its publisher are no part of it.
fn items_of(session: &SessionItem, manifest: &Manifest, random: u64) -> Result<Vec<Attributes>, StoreError> {
    let (Some(skill_id), Some(version_id), Some(published_at)) =
        (&session.skill_id, &session.version_id, session.published_at)
    else {
        return Ok(Vec::new());
    };
    let frontmatter = serde_json::json!({ "name": manifest.name, "description": manifest.description });
    let nowhere = FileSpan { offset: 0, bytes: 0, deflated: false };
    let extra = BodyExtra { frontmatter, files: vec![nowhere; manifest.files().len()] };
    let publication = Publication {
        session,
        skill_id,
        version_id,
        published_at,
        situation: &Situation::of_a_new_skill(manifest.clone()),
        body: &VersionBody { manifest_json: manifest.to_json(), extra },
        fingerprints: &[],
        artifact_sha256: session.package_sha256,
        artifact_bytes: session.package_bytes,
        findings: &[],
    };
    Ok(publication.transaction(published_at, random)?.into_puts())
}
