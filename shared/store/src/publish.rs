//! The decision whether a validated package becomes a version, and the transaction that makes it one.

use std::cmp::Ordering;

use aws_sdk_dynamodb::types::AttributeValue;
use skillhub_protocol::{
    Finding, Manifest, PublishedVersion, Release, Role, Sha256, SkillId, Tag, UploadState, UtcMillis, VersionId,
    VersionState,
};

use crate::artifacts::VersionBody;
use crate::audit::{Actor, Change, record};
use crate::codec::{Attributes, Item, decode};
use crate::error::StoreError;
use crate::items::{
    CurrentVersion, FingerprintItem, MembershipItem, SessionItem, SkillItem, SlugItem, TagItem, TokenItem, VersionItem,
    VersionNumberItem,
};
use crate::keys::Key;
use crate::listing::put_listing;
use crate::permission::{demand_role, demand_token};
use crate::sessions::{Fence, Fenced, Opened, end_session, published_already};
use crate::table::Table;
use crate::transaction::{Expression, Transaction};

/// Everything that the decision depends on, read strongly in one call (two, if the slug belongs to another skill than the
/// session thinks).
#[derive(Debug)]
pub struct Situation {
    /// The manifest that the session was opened with.
    pub manifest: Manifest,
    slug: Option<SlugItem>,
    skill: Option<SkillItem>,
    number: Option<VersionNumberItem>,
    membership: Option<MembershipItem>,
    token: Option<TokenItem>,
}

/// What to do with a validated package.
#[derive(Debug)]
pub enum Decision {
    /// Publish it.
    Publish,
    /// The same content has the number already: success with its ids.
    AlreadyPublished(PublishedVersion),
    /// Other content has the number.
    VersionExists,
    /// Another skill has won the slug in the meantime: take its id, then decide again.
    Adopt(SkillId),
    /// The opener may not publish any more.
    NotPermitted,
    /// The skill would have more tags than it may.
    TooManyTags,
}

/// A package that passed validation, on its way to being a version. Its artifact is in the store already.
#[derive(Debug)]
pub struct Publication<'a> {
    /// The claimed session.
    pub session: &'a SessionItem,
    /// The skill's id, as the session has it.
    pub skill_id: &'a SkillId,
    /// The version's id, as the session has it.
    pub version_id: &'a VersionId,
    /// When it counts as published, as the session has it.
    pub published_at: UtcMillis,
    /// What was read.
    pub situation: &'a Situation,
    /// The version's body.
    pub body: &'a VersionBody,
    /// What other clients know its content by, at most 4.
    pub fingerprints: &'a [Sha256],
    /// Digest of the artifact.
    pub artifact_sha256: Sha256,
    /// Size of the artifact in bytes.
    pub artifact_bytes: u64,
    /// Warnings, for the publisher.
    pub findings: &'a [Finding],
}

impl Table {
    /// Reads what the decision depends on.
    ///
    /// # Errors
    /// If the store fails, or the session was never claimed.
    pub async fn situation(&self, session: &SessionItem) -> Result<Situation, StoreError> {
        let skill_id = claimed(session.skill_id.as_ref())?;
        let keys = Keys::of(session, skill_id);
        let mut items = self.get_batch(&keys.all()).await?;
        let manifest =
            items.remove(&keys.manifest).ok_or_else(|| StoreError::corrupt("session manifest", "is missing"))?;
        fn take<T: Item>(
            items: &mut std::collections::HashMap<Key, Attributes>,
            key: &Key,
        ) -> Result<Option<T>, StoreError> {
            items.remove(key).map(decode).transpose()
        }
        let token: Option<TokenItem> = keys.token.as_ref().map(|key| take(&mut items, key)).transpose()?.flatten();
        Ok(Situation {
            manifest: Self::session_manifest(&manifest)?,
            slug: take(&mut items, &keys.slug)?,
            skill: take(&mut items, &keys.skill)?,
            number: take(&mut items, &keys.number)?,
            membership: take(&mut items, &keys.membership)?,
            token: token.filter(|token| token.epoch == self.token_epoch),
        })
    }

    /// Makes a validated package a version, or nothing at all.
    ///
    /// # Errors
    /// If the store fails. The outcome may then be unknown: the session tells.
    pub async fn publish(
        &self,
        publication: &Publication<'_>,
        now: UtcMillis,
        random: u64,
    ) -> Result<Fenced, StoreError> {
        self.transact_fenced(publication.transaction(now, random)?).await
    }
}

/// A field that every claim sets.
fn claimed<T>(field: Option<T>) -> Result<T, StoreError> {
    field.ok_or_else(|| StoreError::corrupt("upload session", "was never claimed"))
}

struct Keys {
    manifest: Key,
    slug: Key,
    skill: Key,
    number: Key,
    membership: Key,
    token: Option<Key>,
}

impl Keys {
    fn of(session: &SessionItem, skill: &SkillId) -> Self {
        Self {
            manifest: Key::session_manifest(&session.id),
            slug: Key::slug(&session.namespace_id, &session.slug),
            skill: Key::skill(skill),
            number: Key::version_number(skill, &session.version),
            membership: Key::membership(&session.principal, &session.namespace_id),
            token: session.token_sha256.as_ref().map(Key::token),
        }
    }

    fn all(&self) -> Vec<Key> {
        let fixed = [&self.manifest, &self.slug, &self.skill, &self.number, &self.membership];
        fixed.into_iter().chain(&self.token).cloned().collect()
    }
}

impl Situation {
    /// What a new skill finds.
    #[cfg(feature = "seed")]
    pub(crate) fn of_a_new_skill(manifest: Manifest) -> Self {
        Self { manifest, slug: None, skill: None, number: None, membership: None, token: None }
    }

    /// What to do, from what was read alone.
    pub fn decide(&self, session: &SessionItem, now: UtcMillis) -> Decision {
        let owner_of_slug = self.slug.as_ref().map(|slug| &slug.skill_id);
        if let Some(skill) = owner_of_slug.filter(|id| session.skill_id.as_ref() != Some(id)) {
            return Decision::Adopt(skill.clone());
        }
        if !self.permitted(session, now) {
            return Decision::NotPermitted;
        }
        if let (Some(skill), Some(number)) = (owner_of_slug, &self.number) {
            return match published_already(skill, number, session.manifest_sha256) {
                Opened::Published { published, .. } => Decision::AlreadyPublished(published),
                _ => Decision::VersionExists,
            };
        }
        if self.tags_after(session) > Tag::MAX_PER_SKILL { Decision::TooManyTags } else { Decision::Publish }
    }

    fn permitted(&self, session: &SessionItem, now: UtcMillis) -> bool {
        let token = match (&session.token_sha256, &self.token) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(_), Some(token)) => token.expires_at.is_none_or(|end| end > now),
        };
        token && self.membership.as_ref().is_some_and(|m| m.role >= self.least_role(session))
    }

    /// What the opener must at least be.
    fn least_role(&self, session: &SessionItem) -> Role {
        self.skill.as_ref().map_or(Role::Publisher, |skill| skill.least_role(&session.principal))
    }

    /// How many tags the skill would have.
    fn tags_after(&self, session: &SessionItem) -> usize {
        let old = self.skill.as_ref().map(|skill| skill.tags.as_slice()).unwrap_or_default();
        let new = session.tags.iter().filter(|tag| !old.iter().any(|t| t.tag == **tag));
        old.len() + new.count()
    }
}

/// Whether `candidate` rather than `current` is what `latest` means: a release before any pre-release, then semver order.
pub(crate) fn outranks(candidate: &Release, current: &Release) -> bool {
    let rank = |release: &Release| !release.is_prerelease();
    rank(candidate).cmp(&rank(current)).then_with(|| candidate.cmp(current)) == Ordering::Greater
}

impl Publication<'_> {
    /// Bytes first, pointer last: everything that makes the version visible, in one transaction of at most 30 actions. The
    /// session comes first, so that a lost claim can be told from a changed situation.
    pub(crate) fn transaction(&self, now: UtcMillis, random: u64) -> Result<Transaction, StoreError> {
        let session = self.session;
        let skill = self.skill_after();
        let mut transaction = Transaction::new();
        let published = PublishedVersion {
            skill_id: self.skill_id.clone(),
            version_id: self.version_id.clone(),
            artifact_sha256: self.artifact_sha256,
            artifact_size_bytes: self.artifact_bytes,
        };
        let (state, fence) = (UploadState::Published, Fence::Claimed);
        end_session(&mut transaction, session, state, fence, Some(&published), self.findings, now)?;
        self.put_version(&mut transaction, &skill)?;
        self.put_skill(&mut transaction, &skill)?;
        for fingerprint in self.fingerprints {
            let (version, artifact_sha256) = (session.version.clone(), self.artifact_sha256);
            let item = FingerprintItem { version, artifact_sha256 };
            transaction.put(&Key::fingerprint(self.skill_id, fingerprint), &item)?;
        }
        for tag in &session.tags {
            let item = TagItem {
                version_id: self.version_id.clone(),
                version: session.version.clone(),
                artifact_sha256: self.artifact_sha256,
                artifact_bytes: self.artifact_bytes,
            };
            transaction.put(&Key::tag(self.skill_id, tag), &item)?;
        }
        self.check_permission(&mut transaction, now)?;
        let actor = Actor { principal: &session.principal, handle: session.opener.as_ref() };
        let subject = format!("{}/{}@{}", session.namespace, session.slug, session.version);
        let detail = self.artifact_sha256.to_string();
        let change = Change { action: "publish", subject, detail: &detail, at: now, random };
        record(&mut transaction, &session.namespace_id, actor, change)?;
        Ok(transaction)
    }

    fn put_version(&self, transaction: &mut Transaction, skill: &SkillItem) -> Result<(), StoreError> {
        let version = VersionItem {
            state: VersionState::Available,
            audience: skill.audience.clone(),
            namespace_id: skill.namespace_id.clone(),
            slug: skill.slug.clone(),
            version: self.session.version.clone(),
            artifact_sha256: self.artifact_sha256,
            artifact_bytes: self.artifact_bytes,
            published_at: self.published_at,
            reason: None,
        };
        let number = VersionNumberItem {
            version: self.session.version.clone(),
            version_id: self.version_id.clone(),
            upload_id: self.session.id.clone(),
            state: VersionState::Available,
            manifest_sha256: self.session.manifest_sha256,
            artifact_sha256: self.artifact_sha256,
            artifact_bytes: self.artifact_bytes,
            published_at: self.published_at,
            reason: None,
        };
        transaction.put_new(&Key::version(self.skill_id, self.version_id), &version)?;
        transaction.put_new_raw(self.body.encode(&Key::version_body(self.skill_id, self.version_id))?)?;
        transaction.put_new(&Key::version_number(self.skill_id, &self.session.version), &number)
    }

    fn put_skill(&self, transaction: &mut Transaction, skill: &SkillItem) -> Result<(), StoreError> {
        let key = Key::skill(self.skill_id);
        match &self.situation.skill {
            Some(before) => {
                let rev = AttributeValue::N(before.rev.to_string());
                let unchanged = Expression { text: "rev = :rev", names: &[], values: vec![(":rev", rev)] };
                transaction.put_if(&key, skill, unchanged)?;
            }
            None => {
                transaction.put_new(&key, skill)?;
                let slug = SlugItem { skill_id: skill.id.clone(), audience: skill.audience.clone() };
                transaction.put_new(&Key::slug(&skill.namespace_id, &skill.slug), &slug)?;
            }
        }
        put_listing(transaction, skill)
    }

    /// The opener's right to publish, at the moment of publication.
    fn check_permission(&self, transaction: &mut Transaction, now: UtcMillis) -> Result<(), StoreError> {
        let session = self.session;
        demand_role(transaction, &session.principal, &session.namespace_id, self.situation.least_role(session))?;
        demand_token(transaction, session.token_sha256.as_ref(), now)
    }

    /// The skill as it will be.
    fn skill_after(&self) -> SkillItem {
        let session = self.session;
        let manifest = &self.situation.manifest;
        let mut skill = self.situation.skill.clone().unwrap_or_else(|| SkillItem {
            id: self.skill_id.clone(),
            namespace_id: session.namespace_id.clone(),
            namespace: session.namespace.clone(),
            audience: session.audience.clone(),
            slug: session.slug.clone(),
            maintainers: vec![session.principal.clone()],
            tags: Vec::new(),
            current: None,
            shard: 0,
            rev: 0,
        });
        skill.rev += 1;
        for tag in &session.tags {
            skill.point_tag(tag, self.version_id, &session.version);
        }
        if skill.current.as_ref().is_none_or(|current| outranks(&session.version, &current.version)) {
            skill.current = Some(CurrentVersion {
                id: self.version_id.clone(),
                version: session.version.clone(),
                name: manifest.name.clone(),
                description: manifest.description.clone(),
                artifact_sha256: self.artifact_sha256,
                artifact_bytes: self.artifact_bytes,
                published_at: self.published_at,
            });
        }
        skill
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latest_is_the_highest_release_and_a_prerelease_only_without_one() {
        let cases = [
            ("1.0.1", "2.0.0", false),
            ("2.0.0", "1.0.1", true),
            ("3.0.0-rc.1", "2.0.0", false),
            ("0.1.0", "9.0.0-rc.1", true),
            ("1.0.0-rc.2", "1.0.0-rc.1", true),
            ("1.0.0", "1.0.0", false),
        ];
        for (candidate, current, expected) in cases {
            assert_eq!(
                outranks(&candidate.parse().unwrap(), &current.parse().unwrap()),
                expected,
                "{candidate} {current}"
            );
        }
    }
}
