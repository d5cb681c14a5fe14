//! Filling a table for tests and benchmarks: the items of a publish, by the thousand. No function has this.

use aws_sdk_dynamodb::types::{Put, TransactWriteItem};
use rand::{Rng, RngExt};
use sha2::{Digest, Sha256 as Hasher};
use skillhub_protocol::{Manifest, Sha256, SkillId, UploadId, UploadState, UtcMillis, VersionId};

use crate::artifacts::{BodyExtra, FileSpan, VersionBody};
use crate::audience::Audience;
use crate::codec::Attributes;
use crate::error::{StoreError, sdk_error};
use crate::ids::{mint_skill_id, mint_upload_id, mint_version_id};
use crate::items::{MembershipItem, SessionItem};
use crate::keys::ObjectKey;
use crate::publish::{Publication, Situation};
use crate::table::Table;

/// How many items one call writes: as many as a transaction may have. A store that keeps each transaction safe before it
/// answers takes a batch of single writes much longer.
const BATCH: usize = 100;

/// The canonical archive of a version: what its items say of it.
#[derive(Debug, Clone)]
pub struct SeedArtifact {
    /// Its digest.
    pub sha256: Sha256,
    /// Its size in bytes.
    pub bytes: u64,
    /// Where the files of the manifest are in it, in the manifest's order.
    pub files: Vec<FileSpan>,
}

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
        let versions = manifests.iter().map(|manifest| (manifest, None));
        let keys = self.seed_versions(by, audience, versions, now, rng).await?;
        Ok(keys.into_iter().map(|(skill, _)| skill).collect())
    }

    /// The same for skills whose artifacts the caller stores: gives the key of each.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn seed_with_artifacts(
        &self,
        by: &MembershipItem,
        audience: &Audience,
        skills: &[(Manifest, SeedArtifact)],
        now: UtcMillis,
        rng: &mut impl Rng,
    ) -> Result<Vec<ObjectKey>, StoreError> {
        let versions = skills.iter().map(|(manifest, artifact)| (manifest, Some(artifact)));
        let ids = self.seed_versions(by, audience, versions, now, rng).await?;
        let keys = ids.into_iter().zip(skills);
        Ok(keys.map(|((skill, version), (_, a))| ObjectKey::Package { skill, version, artifact: a.sha256 }).collect())
    }

    async fn seed_versions<'a>(
        &self,
        by: &MembershipItem,
        audience: &Audience,
        versions: impl Iterator<Item = (&'a Manifest, Option<&'a SeedArtifact>)>,
        now: UtcMillis,
        rng: &mut impl Rng,
    ) -> Result<Vec<(SkillId, VersionId)>, StoreError> {
        let (mut ids, mut items) = (Vec::new(), Vec::new());
        for (i, (manifest, artifact)) in versions.enumerate() {
            let at = now.plus_millis(i64::try_from(i).unwrap_or(i64::MAX));
            let mut session = session(by, audience, manifest, at, rng)?;
            if let Some(artifact) = artifact {
                (session.package_sha256, session.package_bytes) = (artifact.sha256, artifact.bytes);
            }
            items.extend(items_of(&session, manifest, artifact, rng.random())?);
            ids.extend(session.skill_id.zip(session.version_id));
            while items.len() >= BATCH {
                self.put_all(items.drain(..BATCH)).await?;
            }
        }
        if !items.is_empty() {
            self.put_all(items.into_iter()).await?;
        }
        Ok(ids)
    }

    /// Writes at most [`BATCH`] items, whatever is there.
    async fn put_all(&self, items: impl Iterator<Item = Attributes>) -> Result<(), StoreError> {
        let put = |item| {
            let put = Put::builder().table_name(&self.name).set_item(Some(item)).build();
            put.map(|put| TransactWriteItem::builder().put(put).build())
        };
        let puts = items.map(put).collect::<Result<_, _>>().map_err(|e| StoreError::corrupt("seed", e))?;
        let answer = self.client.transact_write_items().set_transact_items(Some(puts)).send().await;
        answer.map_err(|e| sdk_error("TransactWriteItems", e)).map(drop)
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
        claims: Vec::new(),
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
fn items_of(
    session: &SessionItem,
    manifest: &Manifest,
    artifact: Option<&SeedArtifact>,
    random: u64,
) -> Result<Vec<Attributes>, StoreError> {
    let (Some(skill_id), Some(version_id), Some(published_at)) =
        (&session.skill_id, &session.version_id, session.published_at)
    else {
        return Ok(Vec::new());
    };
    let frontmatter = serde_json::json!({ "name": manifest.name, "description": manifest.description });
    let nowhere = FileSpan { offset: 0, bytes: 0, deflated: false };
    let files = artifact.map_or_else(|| vec![nowhere; manifest.files().len()], |artifact| artifact.files.clone());
    let extra = BodyExtra { frontmatter, files };
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
