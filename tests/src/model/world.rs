//! The state of a registry, as its users think of it.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use skillhub_protocol::{Role, Scope, UploadState, VersionState};

use super::op::{Bytes, Request};
use super::words::{Caller, Content, Grant, Name, Number, Person, Slot, Space, TokenSlot};

/// How long a claim holds, in seconds.
const LEASE: u64 = 90;
/// How long a session waits for its bytes, and its lock keeps others away, in seconds.
pub(super) const SESSION: u64 = 60 * 60;

/// Everything that there is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct World {
    /// Seconds since the beginning, as far as they were let pass.
    pub time: u64,
    /// Who belongs to a namespace, and as what.
    pub members: BTreeMap<(Space, Person), Role>,
    /// The tokens that were made and not revoked.
    pub tokens: BTreeMap<TokenSlot, Token>,
    /// The skills that have at least one version.
    pub skills: BTreeMap<Name, Skill>,
    /// The upload sessions.
    pub sessions: BTreeMap<Slot, Session>,
    /// Which session keeps others from a version; advisory.
    pub locks: BTreeMap<(Name, Number), Slot>,
    /// What a person's `Idempotency-Key` was used for.
    pub keys: BTreeMap<(Person, u8), Slot>,
    /// Bytes that were uploaded and not removed.
    pub staged: BTreeMap<Slot, Bytes>,
    /// What was done, sorted.
    pub audit: Vec<(Space, Arc<str>)>,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Token {
    /// Whose it is.
    pub person: Person,
    /// What it is for.
    pub grant: Grant,
    /// When it stops working.
    pub until: Option<u64>,
}

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Skill {
    /// Who sees it.
    pub scope: Scope,
    /// Who publishes versions besides the owners, creator first.
    pub maintainers: Vec<Person>,
    /// Its versions; none is ever removed.
    pub versions: BTreeMap<Number, Version>,
    /// Names for available versions.
    pub tags: BTreeMap<&'static str, Number>,
}

/// A version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Version {
    /// Whether it may be had.
    pub state: VersionState,
    /// What it is; this never changes.
    pub content: Content,
    /// The session that published it.
    pub slot: Slot,
}

/// An attempt to publish one version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Session {
    /// Who opened it.
    pub by: Caller,
    /// Its opener.
    pub person: Person,
    /// For what.
    pub request: Request,
    /// Where it stands.
    pub state: UploadState,
    /// How often it was claimed.
    pub attempt: u32,
    /// Until when the last claim holds.
    pub lease: u64,
    /// When it stops waiting for bytes.
    pub until: u64,
    /// What is wrong with it.
    pub code: Option<&'static str>,
}

impl Skill {
    /// What `latest` means: the highest available release, or else the highest available pre-release.
    pub fn current(&self) -> Option<Number> {
        let available = self.versions.iter().filter(|(_, version)| version.state == VersionState::Available);
        available.map(|(number, _)| *number).max_by_key(|number| (!number.is_prerelease(), *number))
    }
}

impl Session {
    /// Takes it for validation, until the lease ends; says whether that was possible.
    pub fn claim(&mut self, now: u64) -> bool {
        let free = self.state == UploadState::Open || self.state == UploadState::Validating && self.lease < now;
        if free {
            (self.state, self.attempt, self.lease) = (UploadState::Validating, self.attempt + 1, now + LEASE);
        }
        free
    }

    /// The session as one line.
    pub fn fact(&self, slot: Slot) -> String {
        session_fact(slot, self.state, self.attempt, self.code)
    }

    /// Whether this claim, and no later one, is the one that counts.
    pub fn is_claimed_by(&self, attempt: u32) -> bool {
        self.state == UploadState::Validating && self.attempt == attempt
    }
}

impl World {
    /// The world at the beginning: people with their personal namespaces, and the members of the other two.
    pub fn beginning() -> Self {
        let mut world = Self::default();
        for person in Person::ALL {
            world.members.insert((Space::Own(person), person), Role::Owner);
        }
        world.members.insert((Space::Global, Person::Admin), Role::Owner);
        world.members.insert((Space::Team, Person::Lead), Role::Owner);
        world.note(Space::Global, None, "namespace.create", Space::Global, "global");
        world.note(Space::Team, Some(Person::Lead), "namespace.create", Space::Team, "organization");
        for person in Person::ALL {
            world.note(Space::Own(person), Some(person), "namespace.create", Space::Own(person), "personal");
        }
        world
    }

    /// A person's role in a namespace.
    pub fn role(&self, space: Space, person: Person) -> Option<Role> {
        self.members.get(&(space, person)).copied()
    }

    /// Whether a caller's token is accepted.
    pub fn is_valid(&self, caller: Caller) -> bool {
        match caller {
            Caller::Anonymous => false,
            Caller::Main(_) => true,
            Caller::With(_, slot) => {
                self.tokens.get(&slot).is_some_and(|token| token.until.is_none_or(|until| self.time < until))
            }
        }
    }

    /// The role of somebody whose token is still accepted.
    pub fn valid_role(&self, space: Space, caller: Caller) -> Option<Role> {
        match caller {
            Caller::Main(person) | Caller::With(person, _) if self.is_valid(caller) => self.role(space, person),
            _ => None,
        }
    }

    /// Whether somebody maintains a skill.
    pub fn maintains(&self, name: Name, person: Person) -> bool {
        self.skills.get(&name).is_some_and(|skill| skill.maintainers.contains(&person))
    }

    /// Notes what was done.
    pub fn record(&mut self, space: Space, by: Person, action: &str, subject: impl Display, detail: impl Display) {
        self.note(space, Some(by), action, subject, detail);
    }

    fn note(&mut self, space: Space, by: Option<Person>, action: &str, subject: impl Display, detail: impl Display) {
        let entry = (space, Arc::from(audit_line(by.map(Person::handle), action, subject, detail)));
        let place = self.audit.partition_point(|other| *other <= entry);
        self.audit.insert(place, entry);
    }

    /// All of it but what waits in the object store, as sorted lines: what a look at the table must give.
    pub fn facts(&self) -> Vec<String> {
        let mut facts = Vec::new();
        for ((space, person), role) in &self.members {
            facts.push(format!("member {space} {person} {role}"));
        }
        for (slot, token) in &self.tokens {
            facts.push(format!("{slot} of {} for {}", token.person, token.grant));
        }
        for (name, skill) in &self.skills {
            facts.push(format!("skill {name} {} maintained by {:?}", skill.scope, skill.maintainers));
            facts.extend(skill.current().map(|number| format!("tag {name}@latest {number}")));
            facts.extend(skill.tags.iter().map(|(tag, number)| format!("tag {name}@{tag} {number}")));
            let version = |(number, v): (&Number, &Version)| {
                format!("version {name}@{number} {} {} {}", v.content, v.state, v.slot)
            };
            facts.extend(skill.versions.iter().map(version));
        }
        for (slot, session) in &self.sessions {
            facts.push(session.fact(*slot));
        }
        facts.extend(self.locks.iter().map(|((name, number), slot)| format!("lock {name}@{number} {slot}")));
        facts.extend(self.keys.iter().map(|((person, _), slot)| format!("key of {person} {slot}")));
        facts.extend(self.audit.iter().map(|(space, entry)| format!("audit {space} {entry}")));
        facts.sort();
        facts
    }
}

/// A session as one line.
pub fn session_fact(slot: Slot, state: UploadState, attempt: u32, code: Option<&str>) -> String {
    format!("{slot} {state} attempt {attempt} {}", code.unwrap_or("-"))
}

/// An entry of the audit as one line.
pub fn audit_line(actor: Option<&str>, action: &str, subject: impl Display, detail: impl Display) -> String {
    format!("{} {action} {subject} {detail}", actor.unwrap_or("nobody"))
}
