//! What was done and found, in numbers; and what is wrong, in words.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::explain::Happened;
use super::world::World;
use crate::proxy::{Call, Fault};

/// What is counted, under its name. Names of faults begin with `fault: `.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally(pub BTreeMap<String, u64>);

impl Tally {
    /// Histories.
    pub const SCHEDULES: &str = "schedules";
    /// Operations of the histories that were carried out.
    pub const OPERATIONS: &str = "operations";
    /// Reads at the ends of the histories.
    pub const LAST_READS: &str = "last reads";
    /// Attempts at calls of the stores.
    pub const CALLS: &str = "calls";
    /// Versions whose publication was acknowledged; each was read again at the end.
    pub const ACKNOWLEDGED: &str = "acknowledged";
    /// What must stay 0, and what each means.
    pub const BROKEN: [(Kind, &str); 5] = [
        (Kind::Lost, "lost"),
        (Kind::Phantom, "phantom"),
        (Kind::Changed, "changed"),
        (Kind::Crossed, "cross-scope"),
        (Kind::Other, "unexplained"),
    ];

    /// How many there are under a name.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or_default()
    }

    pub(super) fn count(&mut self, name: &str, more: u64) {
        *self.0.entry(name.to_owned()).or_default() += more;
    }

    /// Counts calls of the stores; says whether any has met a fault.
    pub(super) fn count_calls(&mut self, attempts: &[Call]) -> bool {
        self.count(Self::CALLS, attempts.len() as u64);
        for fault in attempts.iter().filter_map(|call| call.fault) {
            self.count(&format!("fault: {}", kind(fault)), 1);
        }
        attempts.iter().any(|call| call.fault.is_some() || call.attempt > 1)
    }

    /// Adds another's numbers.
    pub fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|(name, more)| self.count(name, *more));
    }

    /// Counts a failed history.
    pub fn add_broken(&mut self, broken: &Broken) {
        self.count(Self::SCHEDULES, 1);
        let name = Self::BROKEN.iter().find(|(kind, _)| *kind == broken.kind).map_or("unexplained", |(_, name)| name);
        self.count(name, 1);
    }
}

fn kind(fault: Fault) -> &'static str {
    match fault {
        Fault::Unavailable => "503, not carried out",
        Fault::Throttled => "throttled, not carried out",
        Fault::Canceled(_) => "TransactionConflict, not carried out",
        Fault::FailedAfterwards => "carried out, then 500",
        Fault::ResetBefore => "connection reset before",
        Fault::ResetAfterwards => "carried out, connection reset in the answer",
        Fault::Truncated => "carried out, answer truncated",
        Fault::Late(_) => "carried out after the time-out",
        Fault::AnsweredLate(_) => "carried out, answered after the time-out",
    }
}

/// In which way something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What was there is not.
    Lost,
    /// What never was is shown.
    Phantom,
    /// Something became something else.
    Changed,
    /// Something is shown to somebody whom it is hidden from.
    Crossed,
    /// Anything else.
    Other,
}

/// What is wrong with a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// In which way.
    pub kind: Kind,
    /// In which turn; `None` after all of them.
    pub turn: Option<usize>,
    /// What.
    pub what: String,
}

impl Broken {
    pub(super) fn other(what: String) -> Self {
        let kind = if what.starts_with("changed:") { Kind::Changed } else { Kind::Other };
        Self { kind, turn: None, what }
    }

    pub(super) fn lost(what: String) -> Self {
        Self { kind: Kind::Lost, turn: None, what }
    }

    pub(super) fn changed(what: String) -> Self {
        Self { kind: Kind::Changed, turn: None, what }
    }

    pub(super) fn during(self, turn: usize) -> Self {
        Self { turn: Some(turn), ..self }
    }

    /// Answers that no order of the operations explains.
    pub(super) fn answers(answers: Vec<(Happened, Option<Answer>)>, world: Option<&World>) -> Self {
        let mut what = String::from("these answers have no explanation:");
        let mut kind = Kind::Other;
        for (Happened { op, answer }, expected) in &answers {
            let _ = write!(what, "\n  {op:?}\n    was answered {answer:?}");
            if let Some(expected) = expected {
                let _ = write!(what, "\n    alone, one would expect {expected:?}");
                kind = compare(expected, answer, world).unwrap_or(kind);
            }
        }
        let facts = world.map(|world| world.facts().join("\n  ")).unwrap_or_default();
        let _ = write!(what, "\nbefore, there was\n  {facts}");
        Self { kind, turn: None, what }
    }

    /// Answers that are explained, but not by what is there.
    pub(super) fn facts(happened: &[Happened], disturbed: bool, (expected, found): (Vec<String>, Vec<String>)) -> Self {
        let lost = expected.iter().any(|fact| fact.starts_with("version "));
        let phantom = found.iter().any(|fact| fact.starts_with("version "));
        let kind = match (lost, phantom) {
            (true, true) => Kind::Changed,
            (true, false) => Kind::Lost,
            (false, true) => Kind::Phantom,
            (false, false) => Kind::Other,
        };
        let mut what = format!("after these answers{}:", if disturbed { ", with faults" } else { "" });
        for Happened { op, answer } in happened {
            let _ = write!(what, "\n  {op:?}\n    was answered {answer:?}");
        }
        let _ = write!(what, "\nthere should be\n  {}\nbut there is\n  {}", expected.join("\n  "), found.join("\n  "));
        Self { kind, turn: None, what }
    }
}

/// In which way a success says something else than it should.
fn compare(expected: &Answer, answer: &Answer, world: Option<&World>) -> Option<Kind> {
    let more: Vec<_> = answer.lines.iter().filter(|line| !expected.lines.contains(line)).collect();
    let less = expected.lines.iter().any(|line| !answer.lines.contains(line));
    if expected.lines.is_empty() && answer.lines.is_empty() {
        return None;
    }
    let facts = world.map(World::facts).unwrap_or_default();
    let known = |line: &&&String| {
        let name = line.split(' ').next().unwrap_or_default();
        facts.iter().any(|fact| fact.starts_with(&format!("version {name} ")))
    };
    match (more.iter().find(|line| !known(line)), more.is_empty(), less) {
        (Some(_), ..) => Some(Kind::Phantom),
        (None, false, true) => Some(Kind::Changed),
        (None, false, false) => Some(Kind::Crossed),
        (None, true, true) => Some(Kind::Lost),
        (None, true, false) => None,
    }
}

impl From<String> for Broken {
    fn from(what: String) -> Self {
        Self::other(what)
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.turn {
            Some(turn) => write!(f, "{:?}, in turn {turn}: {}", self.kind, self.what),
            None => write!(f, "{:?}, at the end: {}", self.kind, self.what),
        }
    }
}
