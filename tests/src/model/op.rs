//! What happens in a history.

use std::fmt;

use skillhub_protocol::{Role, Scope, VersionState};

use super::words::{Caller, Content, Grant, Name, Number, Person, Select, Slot, Space, TokenSlot};

/// One thing that happens.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Op {
    /// `POST /api/uploads`.
    Open(Caller, Slot, Request, Option<u8>),
    /// A PUT of the declared bytes, or of others past the signature's protection.
    Upload(Slot, Bytes),
    /// An event of the object store arrives, the first time or once more.
    Event(Slot),
    /// `DELETE /api/uploads/{id}`.
    Cancel(Caller, Slot),
    /// A run of the sweeper.
    Sweep,
    /// Time passes.
    Advance(Pause),
    /// `POST …/yank`, `…/unyank`, `…/block`.
    State(Caller, Name, Number, VersionState),
    /// `PUT …/tags/{tag}`.
    MoveTag(Caller, Name, &'static str, Number),
    /// `DELETE …/tags/{tag}`.
    RemoveTag(Caller, Name, &'static str),
    /// `PATCH /api/skills/{id}`.
    Scope(Caller, Name, Scope),
    /// `PUT …/maintainers/{handle}`.
    AddMaintainer(Caller, Name, Person),
    /// `DELETE …/maintainers/{handle}`.
    RemoveMaintainer(Caller, Name, Person),
    /// `PUT …/members/{handle}`.
    SetMember(Caller, Space, Person, Role),
    /// `DELETE …/members/{handle}`.
    RemoveMember(Caller, Space, Person),
    /// `POST /api/tokens`, for half an hour or for ever.
    CreateToken(Caller, TokenSlot, Grant, Life),
    /// `DELETE /api/tokens/{id}`.
    RevokeToken(Caller, TokenSlot),
    /// Something is read.
    Read(Caller, Read),
}

/// What an upload session is opened for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Request {
    /// The skill.
    pub name: Name,
    /// The version.
    pub number: Number,
    /// The package.
    pub content: Content,
    /// Who shall see it, if it is said.
    pub scope: Option<Scope>,
    /// The tags to move.
    pub tags: Vec<&'static str>,
}

/// What a PUT carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bytes {
    /// What was declared.
    Declared,
    /// As many bytes, but others.
    Others,
    /// More bytes.
    More,
}

/// How long nothing happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pause {
    /// Longer than a claim holds.
    Lease,
    /// Longer than a session waits, and than a short-lived token lives.
    Session,
}

impl Pause {
    /// In seconds. No sum of a few of them is near to any time that the registry keeps, so what a schedule itself takes does
    /// not matter.
    pub fn seconds(self) -> u64 {
        match self {
            Self::Lease => 97,
            Self::Session => 61 * 60,
        }
    }
}

/// How long a token lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Life {
    /// For ever.
    Unbounded,
    /// Half an hour.
    Short,
}

/// What is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Read {
    /// `GET /api/skills`, all pages of so many.
    List(ListFilter, u8),
    /// `GET /api/search`.
    Search(&'static str),
    /// `GET /api/skills/{id}`.
    Detail(Name),
    /// `GET …/versions`, all pages of so many.
    Versions(Name, u8),
    /// `GET …/versions/{vid}`.
    Version(Name, Number),
    /// `GET …/tags`.
    Tags(Name),
    /// `GET …/maintainers`.
    Maintainers(Name),
    /// `GET /api/resolve`.
    Resolve(Name, Select),
    /// `GET …/download`, then the bytes.
    Download(Name, Number),
    /// `GET /api/uploads/{id}`.
    Session(Slot),
    /// `GET /api/uploads`.
    OwnSessions,
    /// `GET /api/whoami`.
    WhoAmI,
    /// `GET /api/namespaces/{ns}`.
    Members(Space),
    /// `GET …/audit`, all pages.
    Audit(Space),
    /// `GET /api/tokens`.
    Tokens,
}

/// What a list is narrowed to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ListFilter {
    /// `scope`.
    pub scope: Option<Scope>,
    /// `namespace`.
    pub space: Option<Space>,
    /// `organizationId`, that of `@team`.
    pub team: bool,
}

impl Op {
    /// Who does it; `None` for what happens by itself.
    pub fn caller(&self) -> Option<Caller> {
        match self {
            Self::Open(caller, ..)
            | Self::Cancel(caller, _)
            | Self::State(caller, ..)
            | Self::MoveTag(caller, ..)
            | Self::RemoveTag(caller, ..)
            | Self::Scope(caller, ..)
            | Self::AddMaintainer(caller, ..)
            | Self::RemoveMaintainer(caller, ..)
            | Self::SetMember(caller, ..)
            | Self::RemoveMember(caller, ..)
            | Self::CreateToken(caller, ..)
            | Self::RevokeToken(caller, _)
            | Self::Read(caller, _) => Some(*caller),
            Self::Upload(..) | Self::Event(_) | Self::Sweep | Self::Advance(_) => None,
        }
    }

    /// The same, done by somebody else.
    pub(super) fn set_caller(&mut self, by: Caller) {
        match self {
            Self::Open(caller, ..)
            | Self::Cancel(caller, _)
            | Self::State(caller, ..)
            | Self::MoveTag(caller, ..)
            | Self::RemoveTag(caller, ..)
            | Self::Scope(caller, ..)
            | Self::AddMaintainer(caller, ..)
            | Self::RemoveMaintainer(caller, ..)
            | Self::SetMember(caller, ..)
            | Self::RemoveMember(caller, ..)
            | Self::CreateToken(caller, ..)
            | Self::RevokeToken(caller, _)
            | Self::Read(caller, _) => *caller = by,
            Self::Upload(..) | Self::Event(_) | Self::Sweep | Self::Advance(_) => {}
        }
    }
}

/// What happens at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// One thing, or several that are under way together.
    pub ops: Vec<Op>,
    /// From which the faults of this turn come.
    pub fault_seed: u64,
}

/// A history to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// From which everything comes.
    pub seed: u64,
    /// One in so many calls meets a fault; `None` if the stores are sound.
    pub one_in: Option<u32>,
    /// What happens, one after the other.
    pub turns: Vec<Turn>,
}

impl Schedule {
    /// How many things happen.
    pub fn operations(&self) -> usize {
        self.turns.iter().map(|turn| turn.ops.len()).sum()
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}, a fault in one of {:?} calls", self.seed, self.one_in)?;
        for (i, turn) in self.turns.iter().enumerate() {
            for (j, op) in turn.ops.iter().enumerate() {
                let mark = if j > 0 { "  &" } else { "" };
                writeln!(f, "{i:4}{mark} {op:?}")?;
            }
        }
        Ok(())
    }
}
