//! What was done and found, in numbers; and what is wrong, in words.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::explain::Happened;
use super::world::World;
use crate::proxy::{Call, Fault};

/// Numbers of one history, or of many.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Histories.
    pub schedules: u64,
    /// Operations that were done in them, all reads at their ends included.
    pub operations: u64,
    /// Calls of the stores that they came to.
    pub calls: u64,
    /// Faults that calls have met, by kind.
    pub faults: BTreeMap<String, u64>,
    /// Versions whose publication was acknowledged, and that were read again at the end.
    pub acknowledged: u64,
    /// Acknowledged versions that were not there.
    pub lost: u64,
    /// Things that were shown and never made.
    pub phantom: u64,
    /// Versions or ids that became others.
    pub changed: u64,
    /// Things that were shown to somebody who may not see them.
    pub crossed: u64,
    /// Histories that could not be explained for other reasons.
    pub unexplained: u64,
}

impl Tally {
    /// Counts a turn; says whether it met any fault.
    pub(super) fn count(&mut self, operations: usize, attempts: &[Call]) -> bool {
        self.operations += operations as u64;
        self.calls += attempts.len() as u64;
        for fault in attempts.iter().filter_map(|call| call.fault) {
            *self.faults.entry(kind(fault).to_owned()).or_default() += 1;
        }
        attempts.iter().any(|call| call.fault.is_some() || call.attempt > 1)
    }

    /// Adds another's numbers.
    pub fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.schedules, other.schedules),
            (&mut self.operations, other.operations),
            (&mut self.calls, other.calls),
            (&mut self.acknowledged, other.acknowledged),
            (&mut self.lost, other.lost),
            (&mut self.phantom, other.phantom),
            (&mut self.changed, other.changed),
            (&mut self.crossed, other.crossed),
            (&mut self.unexplained, other.unexplained),
        ];
        pairs.into_iter().for_each(|(sum, more)| *sum += more);
        for (kind, more) in &other.faults {
            *self.faults.entry(kind.clone()).or_default() += more;
        }
    }

    /// Counts a failed history.
    pub fn add_broken(&mut self, broken: &Broken) {
        self.schedules += 1;
        let counter = match broken.kind {
            Kind::Lost => &mut self.lost,
            Kind::Phantom => &mut self.phantom,
            Kind::Changed => &mut self.changed,
            Kind::Crossed => &mut self.crossed,
            Kind::Other => &mut self.unexplained,
        };
        *counter += 1;
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
    /// Where.
    pub place: String,
    /// What.
    pub what: String,
}

impl Broken {
    pub(super) fn other(what: String) -> Self {
        let kind = if what.starts_with("changed:") { Kind::Changed } else { Kind::Other };
        Self { kind, place: String::new(), what }
    }

    pub(super) fn lost(what: String) -> Self {
        Self { kind: Kind::Lost, place: String::new(), what }
    }

    pub(super) fn changed(what: String) -> Self {
        Self { kind: Kind::Changed, place: String::new(), what }
    }

    pub(super) fn during(self, place: impl Into<String>) -> Self {
        Self { place: place.into(), ..self }
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
        Self { kind, place: String::new(), what }
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
        Self { kind, place: String::new(), what }
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
        write!(f, "{:?} in {}\n{}", self.kind, self.place, self.what)
    }
}
