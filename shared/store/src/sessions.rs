//! Upload sessions: opening, claiming, giving up, and finding those that need a look.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};
use rand::Rng;
use sha2::{Digest, Sha256 as Hasher};
use skillhub_protocol::{
    Finding, Manifest, OpenUpload, PublishedVersion, Release, Role, Sha256, SkillId, UploadId, UploadState, UtcMillis,
};

use crate::audience::Audience;
use crate::codec::{Attributes, decode, deflate, encode, inflate};
use crate::error::{StoreError, sdk_error};
use crate::identity::Authenticated;
use crate::ids::{PrincipalId, mint_skill_id, mint_upload_id, mint_version_id};
use crate::items::{
    IdempotencyItem, MembershipItem, OwnSessionItem, SessionItem, SkillItem, SlugItem, UploadLockItem,
    VersionNumberItem, VersionState,
};
use crate::keys::{DUE_INDEX, DUE_PARTITION, Key, OWN_SESSIONS, due_key, principal_partition};
use crate::table::{Freshness, SortKeys, Table};
use crate::transaction::{Expression, Outcome, Transaction};

/// How long a session waits for its bytes.
const SESSION_TTL_MS: i64 = 60 * 60 * 1000;
/// When the sweeper looks at a new session for the first time; then twice as long, and so on.
const FIRST_CHECK_MS: i64 = 2 * 60 * 1000;
/// How long a claim holds. Longer than a validator may run (60 s).
const LEASE_MS: i64 = 90 * 1000;
/// How often a session may be claimed before it counts as poison.
pub(crate) const MAX_ATTEMPTS: u32 = 5;
/// How long a finished session can be read, in seconds.
const KEEP_SECONDS: i64 = 30 * 24 * 60 * 60;

/// Who opens a session, and for which of its namespaces.
#[derive(Debug, Clone, Copy)]
pub struct OpenedBy<'a> {
    /// The caller.
    pub caller: &'a Authenticated,
    /// Its membership of the namespace.
    pub membership: &'a MembershipItem,
    /// The request's `Idempotency-Key`.
    pub idempotency_key: Option<&'a str>,
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
    /// Somebody else is publishing the same version right now.
    Locked,
    /// The `Idempotency-Key` was used for another request.
    IdempotencyMismatch,
}

/// What became of an attempt to claim a session.
#[derive(Debug)]
pub enum Claim {
    /// It is ours until the lease ends.
    Won(Box<SessionItem>),
    /// Another validator has it.
    Held,
    /// It has ended; this is how.
    Ended(Box<SessionItem>),
    /// There is no such session.
    Unknown,
}

/// A session that the sweeper should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// The session.
    pub id: UploadId,
    /// When it was due.
    pub since: UtcMillis,
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
    /// Opens a session, or says why not. At most five calls.
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
        rng: &mut impl Rng,
    ) -> Result<Opened, StoreError> {
        let manifest_json = request.manifest.to_json();
        let digests = Digests {
            request: digest(&serde_json::to_string(request).map_err(|e| StoreError::corrupt("request", e))?),
            manifest: digest(&manifest_json),
        };
        let id = mint_upload_id(now, rng);
        // A second round only if somebody wrote between our reads and our writes.
        for _ in 0..2 {
            let found = self.find(by, request, release).await?;
            if let Some(answer) = self.answer_from(&found, by, request, digests, now).await? {
                return Ok(answer);
            }
            let session = new_session(&id, by, request, release, audience, &found, digests, now);
            let transaction = opening(by, &session, digests, &manifest_json, now)?;
            match self.transact(transaction).await? {
                Outcome::Committed => return Ok(Opened::Created(session)),
                Outcome::ConditionsFailed(_) | Outcome::Busy => {}
            }
        }
        Ok(Opened::Locked)
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
            if by.membership.role != Role::Owner && !skill.maintainers.contains(&by.caller.principal) {
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
            Some(lock) if lock.principal != by.caller.principal && lock.expires_at > now => Ok(Some(Opened::Locked)),
            Some(lock) if lock.principal == by.caller.principal && lock.request_sha256 == digests.request => {
                let session = self.session(&lock.session_id).await?;
                Ok(session.filter(|s| !s.state.is_terminal()).map(Opened::Existing))
            }
            _ => Ok(None),
        }
    }

    /// A session, read strongly.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn session(&self, id: &UploadId) -> Result<Option<SessionItem>, StoreError> {
        self.get_strong(&Key::session(id)).await
    }

    /// The manifest that a session was opened with.
    ///
    /// # Errors
    /// If the store fails or the item cannot be read.
    pub(crate) fn session_manifest(attributes: &Attributes) -> Result<Manifest, StoreError> {
        let json = inflate("session manifest", attributes, "manifest")?;
        Manifest::from_json(&json).map_err(|e| StoreError::corrupt("session manifest", e))
    }

    /// Takes a session for validation, if it is open or its lease has ended. The first claim mints the ids and the time of
    /// publication; later claims keep them. The session's own time-out is ignored: bytes that are there are looked at.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn claim_session(&self, id: &UploadId, now: UtcMillis, rng: &mut impl Rng) -> Result<Claim, StoreError> {
        let lease = now.plus_millis(LEASE_MS);
        let request = self.client.update_item().table_name(&self.name).set_key(Some(Key::session(id).attributes()));
        let request = request
            .update_expression(
                "SET #state = :validating, attempt = attempt + :one, lease_until = :lease, next_check_at = :lease, xs = :xs, \
                 skill_id = if_not_exists(skill_id, :skill), version_id = if_not_exists(version_id, :version), \
                 published_at = if_not_exists(published_at, :now)",
            )
            .condition_expression("#state = :open OR (#state = :validating AND lease_until < :now)")
            .expression_attribute_names("#state", "state")
            .expression_attribute_values(":open", text(UploadState::Open))
            .expression_attribute_values(":validating", text(UploadState::Validating))
            .expression_attribute_values(":one", AttributeValue::N(String::from("1")))
            .expression_attribute_values(":now", text(now))
            .expression_attribute_values(":lease", text(lease))
            .expression_attribute_values(":xs", AttributeValue::S(due_key(lease, id)))
            .expression_attribute_values(":skill", text(mint_skill_id(now, rng)))
            .expression_attribute_values(":version", text(mint_version_id(now, rng)))
            .return_values(ReturnValue::AllNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        match request.send().await {
            Ok(answer) => {
                let item = answer.attributes.ok_or_else(|| StoreError::corrupt("upload session", "no attributes"))?;
                Ok(Claim::Won(Box::new(decode(item)?)))
            }
            Err(error) => {
                let old = error.as_service_error().and_then(|e| match e {
                    aws_sdk_dynamodb::operation::update_item::UpdateItemError::ConditionalCheckFailedException(e) => {
                        Some(e.item.clone())
                    }
                    _ => None,
                });
                match old {
                    None => Err(sdk_error("UpdateItem", error)),
                    Some(None) => Ok(Claim::Unknown),
                    Some(Some(item)) => {
                        let session: SessionItem = decode(item)?;
                        Ok(if session.state.is_terminal() { Claim::Ended(Box::new(session)) } else { Claim::Held })
                    }
                }
            }
        }
    }

    /// Gives a session up that waits for bytes; says whether it did. A session that is being validated, or has ended, stays.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn close_open_session(
        &self,
        session: &SessionItem,
        state: UploadState,
        now: UtcMillis,
    ) -> Result<bool, StoreError> {
        let mut transaction = Transaction::new();
        end_session(&mut transaction, session, state, Fence::Open, None, &[], now)?;
        Ok(self.transact(transaction).await? == Outcome::Committed)
    }

    /// Ends a claimed session with a verdict other than publication; says whether the claim still held.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn end_claimed_session(
        &self,
        session: &SessionItem,
        state: UploadState,
        findings: &[Finding],
        now: UtcMillis,
    ) -> Result<bool, StoreError> {
        let mut transaction = Transaction::new();
        end_session(&mut transaction, session, state, Fence::Claimed, None, findings, now)?;
        Ok(self.transact(transaction).await? == Outcome::Committed)
    }

    /// Ends a claimed session as published already, with the ids of the publication that exists.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn end_as_published(
        &self,
        session: &SessionItem,
        published: &PublishedVersion,
        findings: &[Finding],
        now: UtcMillis,
    ) -> Result<bool, StoreError> {
        let mut transaction = Transaction::new();
        end_session(&mut transaction, session, UploadState::Published, Fence::Claimed, Some(published), findings, now)?;
        Ok(self.transact(transaction).await? == Outcome::Committed)
    }

    /// Gives a claim back, because no bytes were there: the session waits for them again.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn reopen_session(&self, session: &SessionItem, now: UtcMillis) -> Result<(), StoreError> {
        let next = now.plus_millis(FIRST_CHECK_MS);
        let mut transaction = Transaction::new();
        let change = Expression {
            text: "SET #state = :open, next_check_at = :next, xs = :xs REMOVE lease_until",
            names: &[("#state", "state")],
            values: vec![
                (":open", text(UploadState::Open)),
                (":next", text(next)),
                (":xs", AttributeValue::S(due_key(next, &session.id))),
                (":claimed", text(UploadState::Validating)),
                (":attempt", AttributeValue::N(session.attempt.to_string())),
            ],
        };
        transaction.update(&Key::session(&session.id), change, CLAIMED)?;
        self.transact(transaction).await?;
        Ok(())
    }

    /// Takes the id of the skill that has won the slug, if the claim still holds.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn adopt_skill(&self, session: &SessionItem, skill: &SkillId) -> Result<bool, StoreError> {
        let mut transaction = Transaction::new();
        let change = Expression {
            text: "SET skill_id = :skill",
            names: &[("#state", "state")],
            values: vec![
                (":skill", text(skill)),
                (":claimed", text(UploadState::Validating)),
                (":attempt", AttributeValue::N(session.attempt.to_string())),
            ],
        };
        transaction.update(&Key::session(&session.id), change, CLAIMED)?;
        Ok(self.transact(transaction).await? == Outcome::Committed)
    }

    /// Frees the advisory lock, if it still belongs to this session. Never part of a verdict: a lock may be gone or taken.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn release_lock(&self, session: &SessionItem) -> Result<(), StoreError> {
        let key = Key::upload_lock(&session.namespace_id, &session.slug, &session.version);
        let request = self.client.delete_item().table_name(&self.name).set_key(Some(key.attributes()));
        let request = request
            .condition_expression("session_id = :session")
            .expression_attribute_values(":session", text(&session.id));
        match request.send().await {
            Ok(_) => Ok(()),
            Err(e) if e.as_service_error().is_some_and(|e| e.is_conditional_check_failed_exception()) => Ok(()),
            Err(e) => Err(sdk_error("DeleteItem", e)),
        }
    }

    /// Up to `limit` sessions that are due by `now`, the longest due first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn due_sessions(&self, now: UtcMillis, limit: i32) -> Result<Vec<Due>, StoreError> {
        let request = self.client.query().table_name(&self.name).index_name(DUE_INDEX).limit(limit);
        let request = request
            .key_condition_expression("x = :x AND xs < :until")
            .expression_attribute_values(":x", AttributeValue::S(String::from(DUE_PARTITION)))
            // "~" is above "#": everything due at this very millisecond is in.
            .expression_attribute_values(":until", AttributeValue::S(format!("{now}~")));
        let answer = request.send().await.map_err(|e| sdk_error("Query", e))?;
        let due = |item: &Attributes| {
            let (since, id) = item.get("xs")?.as_s().ok()?.split_once('#')?;
            Some(Due { id: id.parse().ok()?, since: since.parse().ok()? })
        };
        let due =
            answer.items().iter().map(|i| due(i).ok_or_else(|| StoreError::corrupt("due session", "bad sort key")));
        due.collect()
    }

    /// Looks at an open session again later: after twice the time, at the latest when it expires.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn postpone_session(&self, session: &SessionItem, now: UtcMillis) -> Result<(), StoreError> {
        let waited = now.epoch_millis().saturating_sub(session.created_at.epoch_millis()).max(FIRST_CHECK_MS);
        let next = now.plus_millis(waited);
        let next = if now < session.expires_at { next.min(session.expires_at) } else { next };
        let request =
            self.client.update_item().table_name(&self.name).set_key(Some(Key::session(&session.id).attributes()));
        let request = request
            .update_expression("SET next_check_at = :next, xs = :xs")
            .condition_expression("#state = :open")
            .expression_attribute_names("#state", "state")
            .expression_attribute_values(":open", text(UploadState::Open))
            .expression_attribute_values(":next", text(next))
            .expression_attribute_values(":xs", AttributeValue::S(due_key(next, &session.id)));
        match request.send().await {
            Ok(_) => Ok(()),
            Err(e) if e.as_service_error().is_some_and(|e| e.is_conditional_check_failed_exception()) => Ok(()),
            Err(e) => Err(sdk_error("UpdateItem", e)),
        }
    }

    /// The caller's own sessions that have not ended, oldest first, at most `limit`.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn own_sessions(&self, principal: &PrincipalId, limit: usize) -> Result<Vec<UploadId>, StoreError> {
        let partition = principal_partition(principal);
        let items = self.query(&partition, SortKeys::Prefix(OWN_SESSIONS), limit, Freshness::Eventual).await?;
        let id = |item: Attributes| item.get("sk")?.as_s().ok()?.strip_prefix(OWN_SESSIONS)?.parse().ok();
        items
            .into_iter()
            .map(|i| id(i).ok_or_else(|| StoreError::corrupt("own upload session", "bad sort key")))
            .collect()
    }
}

/// The two digests that a request is known by.
#[derive(Debug, Clone, Copy)]
struct Digests {
    request: Sha256,
    manifest: Sha256,
}

pub(crate) fn digest(text: &str) -> Sha256 {
    Sha256::from_bytes(Hasher::digest(text).into())
}

fn attribute<T: serde::Serialize>(value: &T) -> Result<AttributeValue, StoreError> {
    let value: serde_dynamo::AttributeValue =
        serde_dynamo::to_attribute_value(value).map_err(|e| StoreError::corrupt("upload session", e))?;
    Ok(value.into())
}

fn text(value: impl std::fmt::Display) -> AttributeValue {
    AttributeValue::S(value.to_string())
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
        lease_until: None,
        next_check_at: now.plus_millis(FIRST_CHECK_MS),
        principal: by.caller.principal.clone(),
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
    transaction.put_new_raw(manifest)?;

    let own = OwnSessionItem { slug: session.slug.clone(), version: session.version.clone() };
    transaction.put_new(&Key::own_session(&session.principal, &session.id), &own)?;

    let lock = UploadLockItem {
        principal: session.principal.clone(),
        session_id: session.id.clone(),
        request_sha256: digests.request,
        expires_at: session.expires_at,
    };
    let free = Expression {
        text: "attribute_not_exists(pk) OR principal = :me OR expires_at <= :now",
        names: &[],
        values: vec![(":me", text(session.principal.as_str())), (":now", text(now))],
    };
    transaction.put_if(&Key::upload_lock(&session.namespace_id, &session.slug, &session.version), &lock, free)?;

    if let Some(key) = by.idempotency_key {
        let record = IdempotencyItem { request_sha256: digests.request, session_id: session.id.clone() };
        transaction.put_new(&Key::idempotency(&session.principal, key), &record)?;
    }
    Ok(transaction)
}

/// What must still hold when a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fence {
    /// Nobody has claimed it.
    Open,
    /// It is claimed, and the attempt is ours.
    Claimed,
}

const CLAIMED: &str = "#state = :claimed AND attempt = :attempt";

/// Adds the end of a session: the state, out of the sweeper's index, readable for a while, no longer among "mine".
pub(crate) fn end_session(
    transaction: &mut Transaction,
    session: &SessionItem,
    state: UploadState,
    fence: Fence,
    published: Option<&PublishedVersion>,
    findings: &[Finding],
    now: UtcMillis,
) -> Result<(), StoreError> {
    let ttl = AttributeValue::N((now.epoch_millis() / 1000 + KEEP_SECONDS).to_string());
    let mut values = vec![(":state", text(state)), (":findings", attribute(&findings)?), (":ttl", ttl.clone())];
    let mut change = String::from("SET #state = :state, findings = :findings, #ttl = :ttl");
    if let Some(published) = published {
        change.push_str(", published = :published");
        values.push((":published", attribute(published)?));
    }
    change.push_str(" REMOVE x, xs, lease_until");
    let when = match fence {
        Fence::Open => "#state = :open",
        Fence::Claimed => CLAIMED,
    };
    match fence {
        Fence::Open => values.push((":open", text(UploadState::Open))),
        Fence::Claimed => {
            values.push((":claimed", text(UploadState::Validating)));
            values.push((":attempt", AttributeValue::N(session.attempt.to_string())));
        }
    }
    let names = &[("#state", "state"), ("#ttl", "ttl")];
    transaction.update(&Key::session(&session.id), Expression { text: &change, names, values }, when)?;
    transaction.delete(&Key::own_session(&session.principal, &session.id))?;
    let ttl = Expression { text: "SET #ttl = :ttl", names: &[("#ttl", "ttl")], values: vec![(":ttl", ttl)] };
    transaction.update(&Key::session_manifest(&session.id), ttl, "attribute_exists(pk)")
}
