//! Opening a session, or answering from what is there.

use aws_sdk_dynamodb::types::AttributeValue;
use rand::Rng;
use sha2::{Digest, Sha256 as Hasher};
use skillhub_protocol::{
    OpenUpload, PublishedVersion, Release, Sha256, SkillId, UploadId, UploadState, UtcMillis, VersionState,
};

use super::{FIRST_CHECK_MS, KEEP_SECONDS, REPEATED_SECONDS, SESSION_TTL_MS, text};
use crate::audience::Audience;
use crate::changes::Attempts;
use crate::codec::{decode, deflate, encode};
use crate::error::StoreError;
use crate::fail_point::fail_point;
use crate::identity::Authenticated;
use crate::ids::mint_upload_id;
use crate::items::{
    IdempotencyItem, MembershipItem, OwnSessionItem, SessionItem, SkillItem, SlugItem, UploadLockItem,
    VersionNumberItem,
};
use crate::keys::{DUE_PARTITION, Key, due_key};
use crate::table::{Freshness, Table};
use crate::transaction::{Expression, Outcome, Transaction};

/// How long a lock that nobody released stays behind, in seconds after it has expired.
const KEEP_LOCK_SECONDS: i64 = 24 * 60 * 60;

/// Who opens a session, and for which of its namespaces.
#[derive(Debug, Clone, Copy)]
pub struct OpenedBy<'a> {
    /// The caller.
    pub caller: &'a Authenticated,
    /// Its membership of the namespace.
    pub membership: &'a MembershipItem,
    /// The request's `Idempotency-Key`.
    pub idempotency_key: Option<&'a str>,
    /// How much may be open at once.
    pub quota: Quota,
}

/// How much one principal may have open at once. Counted, not fenced: requests at the same time may go a little beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Upload sessions that have not ended.
    pub sessions: usize,
    /// Bytes that their uploads may hold in staging.
    pub staged_bytes: u64,
}

/// What became of a request to open a session.
#[derive(Debug)]
pub enum Opened {
    /// A new session.
    Created(SessionItem),
    /// The same caller asked for the same before: its session.
    Existing(SessionItem),
    /// Exactly this version is published already.
    Published {
        /// The session that published it.
        upload_id: UploadId,
        /// What it published.
        published: PublishedVersion,
    },
    /// The version number is taken, by other content or by a blocked version.
    VersionExists,
    /// The caller is no maintainer of the skill.
    NotMaintainer,
    /// The skill has another scope, and publishing does not change it.
    ScopeDiffers(Audience),
    /// Somebody else is publishing the same version right now, with this session if it is known.
    Locked(Option<UploadId>),
    /// The `Idempotency-Key` was used for another request.
    IdempotencyMismatch,
    /// The caller has too much open.
    QuotaExceeded,
}

/// What opening depends on, as read.
#[derive(Default)]
struct Found {
    slug: Option<SlugItem>,
    skill: Option<SkillItem>,
    number: Option<VersionNumberItem>,
    lock: Option<UploadLockItem>,
    idempotency: Option<IdempotencyItem>,
}

impl Table {
    /// Opens a session, or says why not. One to five calls, and as many again if somebody wrote between reading and writing.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn open_session(
        &self,
        by: OpenedBy<'_>,
        request: &OpenUpload,
        release: &Release,
        audience: &Audience,
        now: UtcMillis,
        rng: &mut (impl Rng + Send),
    ) -> Result<Opened, StoreError> {
        let manifest_json = request.manifest.to_json();
        let digests = Digests {
            request: digest(&serde_json::to_string(request).map_err(|e| StoreError::corrupt("request", e))?),
            manifest: digest(&manifest_json),
        };
        let id = mint_upload_id(now, rng);
        // A second round if somebody wrote between our reads and our writes; more only while others are at it.
        let (mut is_second, mut attempts) = (false, Attempts::new());
        loop {
            let found = self.find(by, request, release).await?;
            if let Some(answer) = self.answer_from(&found, by, request, digests, now).await? {
                return Ok(answer);
            }
            if !self.is_within_quota(by, request.package.size_bytes).await? {
                return Ok(Opened::QuotaExceeded);
            }
            fail_point("open.found");
            let session = new_session(&id, by, request, release, audience, &found, digests, now);
            let transaction = opening(by, &session, &found, digests, &manifest_json, now)?;
            match self.transact(transaction).await? {
                Outcome::Committed => {
                    fail_point("open.committed");
                    return Ok(Opened::Created(session));
                }
                Outcome::ConditionsFailed(_) if is_second => return Ok(Opened::Locked(None)),
                Outcome::ConditionsFailed(_) => is_second = true,
                Outcome::Busy => attempts.again(Outcome::Busy, rng).await?,
            }
        }
    }

    async fn is_within_quota(&self, by: OpenedBy<'_>, more_bytes: u64) -> Result<bool, StoreError> {
        let open = self.own_session_items(&by.caller.principal, by.quota.sessions, Freshness::Eventual).await?;
        let bytes: u64 = open.iter().map(|(_, item)| item.bytes).sum();
        Ok(open.len() < by.quota.sessions && bytes.saturating_add(more_bytes) <= by.quota.staged_bytes)
    }

    async fn find(&self, by: OpenedBy<'_>, request: &OpenUpload, release: &Release) -> Result<Found, StoreError> {
        let (namespace, principal) = (&by.membership.namespace_id, &by.caller.principal);
        let slug = Key::slug(namespace, &request.manifest.slug);
        let lock = Key::upload_lock(namespace, &request.manifest.slug, release);
        let idempotency = by.idempotency_key.map(|key| Key::idempotency(principal, key));
        let keys: Vec<_> =
            [Some(slug.clone()), Some(lock.clone()), idempotency.clone()].into_iter().flatten().collect();
        let mut items = self.get_batch(&keys).await?;
        let mut found = Found {
            slug: items.remove(&slug).map(decode).transpose()?,
            lock: items.remove(&lock).map(decode).transpose()?,
            idempotency: idempotency.and_then(|key| items.remove(&key)).map(decode).transpose()?,
            ..Found::default()
        };
        if let Some(slug) = &found.slug {
            let (skill, number) = (Key::skill(&slug.skill_id), Key::version_number(&slug.skill_id, release));
            let mut items = self.get_batch(&[skill.clone(), number.clone()]).await?;
            found.skill = items.remove(&skill).map(decode).transpose()?;
            found.number = items.remove(&number).map(decode).transpose()?;
        }
        Ok(found)
    }

    /// The answer that what was found gives already; `None` if a session has to be opened.
    async fn answer_from(
        &self,
        found: &Found,
        by: OpenedBy<'_>,
        request: &OpenUpload,
        digests: Digests,
        now: UtcMillis,
    ) -> Result<Option<Opened>, StoreError> {
        if let Some(record) = &found.idempotency {
            if record.request_sha256 != digests.request {
                return Ok(Some(Opened::IdempotencyMismatch));
            }
            return Ok(self.session(&record.session_id).await?.map(Opened::Existing));
        }
        if let Some(skill) = &found.skill {
            if by.membership.role < skill.least_role(&by.caller.principal) {
                return Ok(Some(Opened::NotMaintainer));
            }
            if request.scope.is_some_and(|scope| scope != skill.audience.scope()) {
                return Ok(Some(Opened::ScopeDiffers(skill.audience.clone())));
            }
        }
        if let (Some(slug), Some(number)) = (&found.slug, &found.number) {
            return Ok(Some(published_already(&slug.skill_id, number, digests.manifest)));
        }
        match &found.lock {
            Some(lock) if lock.principal != by.caller.principal && lock.expires_at > now => {
                Ok(Some(Opened::Locked(Some(lock.session_id.clone()))))
            }
            Some(lock) if lock.principal == by.caller.principal && lock.request_sha256 == digests.request => {
                let session = self.session(&lock.session_id).await?;
                Ok(session.filter(|s| !s.state.is_terminal()).map(Opened::Existing))
            }
            _ => Ok(None),
        }
    }
}

/// The two digests that a request is known by.
#[derive(Debug, Clone, Copy)]
struct Digests {
    request: Sha256,
    manifest: Sha256,
}

fn digest(text: &str) -> Sha256 {
    Sha256::from_bytes(Hasher::digest(text).into())
}

/// What opening a version that exists comes to: equal content is success, with the ids that it has.
pub(crate) fn published_already(skill: &SkillId, number: &VersionNumberItem, manifest: Sha256) -> Opened {
    if number.manifest_sha256 != manifest || number.state == VersionState::Blocked {
        return Opened::VersionExists;
    }
    let published = PublishedVersion {
        skill_id: skill.clone(),
        version_id: number.version_id.clone(),
        artifact_sha256: number.artifact_sha256,
        artifact_size_bytes: number.artifact_bytes,
    };
    Opened::Published { upload_id: number.upload_id.clone(), published }
}

#[expect(clippy::too_many_arguments, reason = "a session is made of everything that opening knows")]
fn new_session(
    id: &UploadId,
    by: OpenedBy<'_>,
    request: &OpenUpload,
    release: &Release,
    audience: &Audience,
    found: &Found,
    digests: Digests,
    now: UtcMillis,
) -> SessionItem {
    SessionItem {
        id: id.clone(),
        state: UploadState::Open,
        attempt: 0,
        claims: Vec::new(),
        lease_until: None,
        next_check_at: now.plus_millis(FIRST_CHECK_MS),
        principal: by.caller.principal.clone(),
        opener: by.caller.handle().cloned(),
        token_sha256: by.caller.token_sha256,
        namespace_id: by.membership.namespace_id.clone(),
        namespace: by.membership.namespace.clone(),
        audience: audience.clone(),
        slug: request.manifest.slug.clone(),
        version: release.clone(),
        tags: request.tags.clone(),
        package_bytes: request.package.size_bytes,
        package_sha256: request.package.sha256,
        manifest_sha256: digests.manifest,
        created_at: now,
        expires_at: now.plus_millis(SESSION_TTL_MS),
        skill_id: found.slug.as_ref().map(|slug| slug.skill_id.clone()),
        version_id: None,
        published_at: None,
        published: None,
        findings: Vec::new(),
    }
}

fn opening(
    by: OpenedBy<'_>,
    session: &SessionItem,
    found: &Found,
    digests: Digests,
    manifest_json: &str,
    now: UtcMillis,
) -> Result<Transaction, StoreError> {
    let mut transaction = Transaction::new();
    let mut item = encode(&Key::session(&session.id), session)?;
    item.insert(String::from("x"), AttributeValue::S(String::from(DUE_PARTITION)));
    item.insert(String::from("xs"), AttributeValue::S(due_key(session.next_check_at, &session.id)));
    transaction.put_new_raw(item)?;

    let mut manifest = Key::session_manifest(&session.id).attributes();
    manifest.insert(String::from("v"), AttributeValue::N(String::from("1")));
    manifest.insert(String::from("manifest"), AttributeValue::B(deflate(manifest_json)?));
    // Nobody needs it after the session's end, which is long before; a write for that would cost as much as this one.
    let ttl = session.expires_at.epoch_millis() / 1000 + KEEP_SECONDS;
    manifest.insert(String::from("ttl"), AttributeValue::N(ttl.to_string()));
    transaction.put_new_raw(manifest)?;

    let own =
        OwnSessionItem { slug: session.slug.clone(), version: session.version.clone(), bytes: session.package_bytes };
    transaction.put_new(&Key::own_session(&session.principal, &session.id), &own)?;

    let lock = UploadLockItem {
        principal: session.principal.clone(),
        session_id: session.id.clone(),
        request_sha256: digests.request,
        expires_at: session.expires_at,
        ttl: session.expires_at.epoch_millis() / 1000 + KEEP_LOCK_SECONDS,
    };
    // The lock is taken as it was read, so that of two equal requests at once the later one meets the earlier one's session.
    let free = match &found.lock {
        None => Expression { text: "attribute_not_exists(pk)", names: &[], values: Vec::new() },
        Some(seen) => {
            Expression { text: "session_id = :seen", names: &[], values: vec![(":seen", text(&seen.session_id))] }
        }
    };
    transaction.put_if(&Key::upload_lock(&session.namespace_id, &session.slug, &session.version), &lock, free)?;

    if let Some(key) = by.idempotency_key {
        let ttl = now.epoch_millis() / 1000 + REPEATED_SECONDS;
        let record = IdempotencyItem { request_sha256: digests.request, session_id: session.id.clone(), ttl };
        transaction.put_new(&Key::idempotency(&session.principal, key), &record)?;
    }
    Ok(transaction)
}
