//! Upload sessions: opening, canceling, validating, sweeping. These are no single moments, so they are told step by step.

use std::collections::BTreeSet;

use skillhub_protocol::{Role, UploadState, VersionState};

use super::access::Viewer;
use super::answer::{Answer, session_line};
use super::op::{Bytes, Request};
use super::words::{Content, Slot};
use super::world::{SESSION, Session, Skill, Version, World};

/// How often a session may be claimed before it counts as poison.
const MAX_ATTEMPTS: u32 = 5;

/// What a validator has decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Publish it: decided and done in one moment.
    Publish,
    /// The same content has the number already.
    Join,
    /// It is refused, with this code.
    Reject(&'static str),
    /// It has met too many validators.
    Fail,
}

impl World {
    /// What opening a session is answered without opening one; `None` if one has to be opened.
    pub fn look(&self, request: &Request, key: Option<u8>, viewer: &Viewer) -> Option<Answer> {
        let Request { name, number, content, scope, .. } = *request;
        let role = viewer.role(name.space).filter(|role| role.may_publish());
        let (Some(role), Some(person)) = (role, viewer.person) else { return Some(Answer::forbidden()) };
        if scope.is_some_and(|scope| !name.space.can_have(scope)) {
            return Some(Answer::problem(400, "invalid_request"));
        }
        if let Some(used) = key.and_then(|key| self.keys.get(&(person, key))) {
            let same = self.sessions.get(used).is_some_and(|session| session.request == *request);
            return Some(if same { self.shown(*used) } else { Answer::conflict("idempotency_mismatch") });
        }
        if let Some(skill) = self.skills.get(&name) {
            if role != Role::Owner && !skill.maintainers.contains(&person) {
                return Some(Answer::forbidden());
            }
            if scope.is_some_and(|scope| scope != skill.scope) {
                return Some(Answer::conflict("conflict"));
            }
            if let Some(version) = skill.versions.get(&number) {
                let same = version.content == content && version.state != VersionState::Blocked;
                let published = session_line(version.slot, UploadState::Published, name, number, None);
                return Some(if same { Answer::says(200, vec![published]) } else { Answer::conflict("version_exists") });
            }
        }
        let (holder, lock) = self.locks.get(&(name, number)).and_then(|at| Some((*at, self.sessions.get(at)?)))?;
        let others = lock.person != person && lock.until > self.time;
        let mine = lock.person == person && lock.request == *request && !lock.state.is_terminal();
        if others { Some(Answer::conflict("session_open")) } else { mine.then(|| self.shown(holder)) }
    }

    /// Opens a session, if nobody has come between; says so.
    pub fn open(&mut self, slot: Slot, request: &Request, key: Option<u8>, viewer: &Viewer) -> Option<Answer> {
        let person = viewer.person?;
        let place = (request.name, request.number);
        let lock = self.locks.get(&place).and_then(|slot| self.sessions.get(slot));
        let free = lock.is_none_or(|lock| lock.person == person || lock.until <= self.time);
        let key = key.map(|key| (person, key));
        if !free || key.is_some_and(|key| self.keys.contains_key(&key)) {
            return None;
        }
        let session = Session {
            by: viewer.caller,
            person,
            request: request.clone(),
            state: UploadState::Open,
            attempt: 0,
            lease: 0,
            until: self.time + SESSION,
            code: None,
        };
        self.sessions.insert(slot, session);
        self.locks.insert(place, slot);
        self.keys.extend(key.map(|key| (key, slot)));
        Some(Answer { status: 201, ..self.shown(slot) })
    }

    /// A session as its opener is shown it.
    fn shown(&self, slot: Slot) -> Answer {
        let line =
            |s: &Session| session_line(slot, s.state, s.request.name, s.request.number, s.code);
        self.sessions.get(&slot).map_or_else(Answer::not_found, |s| Answer::says(200, vec![line(s)]))
    }

    /// Cancels a session that waits. `Ok` if it is canceled, and its lock is to be released.
    pub fn cancel(&mut self, slot: Slot, viewer: &Viewer) -> Result<Answer, Answer> {
        let answer = self.session(slot, viewer);
        let Some(session) = self.sessions.get_mut(&slot).filter(|_| answer.status == 200) else { return Err(answer) };
        if session.state == UploadState::Open {
            session.state = UploadState::Canceled;
        }
        match session.state {
            UploadState::Canceled => Ok(self.shown(slot)),
            _ => Err(Answer::conflict("session_closed")),
        }
    }

    /// A PUT through the session's URL: once, while nothing is there.
    pub fn put(&mut self, slot: Slot, bytes: Bytes) -> Answer {
        if self.staged.contains_key(&slot) {
            return Answer::done(412);
        }
        self.staged.insert(slot, bytes);
        Answer::done(200)
    }

    /// Frees a lock, if the session has it.
    pub fn release(&mut self, slot: Slot) {
        self.locks.retain(|_, holder| *holder != slot);
    }

    /// What becomes of a claimed session with these bytes, as things are now.
    pub fn decide(&self, session: &Session, bytes: Bytes) -> Verdict {
        let Request { name, number, content, .. } = session.request;
        if bytes != Bytes::Declared {
            return Verdict::Reject("upload_mismatch");
        }
        if content == Content::Bad {
            return Verdict::Reject("manifest_mismatch");
        }
        let skill = self.skills.get(&name);
        let maintains = skill.is_none_or(|skill| skill.maintainers.contains(&session.person));
        let permitted = match self.valid_role(name.space, session.by) {
            Some(Role::Owner) => true,
            Some(Role::Publisher) => maintains,
            _ => false,
        };
        if !permitted {
            return Verdict::Reject("forbidden");
        }
        match skill.and_then(|skill| skill.versions.get(&number)) {
            Some(there) if there.content == content && there.state != VersionState::Blocked => Verdict::Join,
            Some(_) => Verdict::Reject("version_exists"),
            None => Verdict::Publish,
        }
    }

    /// Ends a session whose claim still counts; says whether it did.
    pub fn end(&mut self, slot: Slot, attempt: u32, verdict: Verdict) -> Option<UploadState> {
        let session = self.sessions.get_mut(&slot).filter(|session| session.is_claimed_by(attempt))?;
        (session.state, session.code) = match verdict {
            Verdict::Publish | Verdict::Join => (UploadState::Published, None),
            Verdict::Reject(code) => (UploadState::Rejected, Some(code)),
            Verdict::Fail => (UploadState::Failed, Some("internal")),
        };
        let session = session.clone();
        if verdict == Verdict::Publish {
            self.publish(slot, &session);
        }
        Some(session.state)
    }

    fn publish(&mut self, slot: Slot, session: &Session) {
        let Request { name, number, content, scope, .. } = session.request;
        let skill = self.skills.entry(name).or_insert_with(|| Skill {
            scope: scope.unwrap_or(name.space.default_scope()),
            maintainers: vec![session.person],
            versions: Default::default(),
            tags: Default::default(),
        });
        skill.versions.insert(number, Version { state: VersionState::Available, content, slot });
        skill.tags.extend(session.request.tags.iter().map(|tag| (*tag, number)));
        self.record(name.space, session.person, "publish", format_args!("{name}@{number}"), content);
    }

    /// The sessions that a run of the sweeper may look at.
    pub fn unfinished(&self) -> BTreeSet<Slot> {
        self.sessions.iter().filter(|(_, session)| !session.state.is_terminal()).map(|(slot, _)| *slot).collect()
    }
}

impl Session {
    /// Whether another attempt at it is pointless.
    pub fn is_poison(&self) -> bool {
        self.attempt > MAX_ATTEMPTS
    }

    /// Whether it has waited long enough for its bytes.
    pub fn has_expired(&self, now: u64) -> bool {
        now >= self.until
    }
}
