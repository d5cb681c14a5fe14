//! Whether what was answered can be explained, and which worlds it leaves possible.
//!
//! A request, an event and a sweep are short sequences of steps; each step happens in one moment. What is under way together
//! is explained if some interleaving of the steps gives all the answers. An operation whose answer is unknown has come to
//! any of its steps. A fault may let the last step of an operation happen and hide that, so that it is made again: the answer
//! is then that of the repetition.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher as _};

use skillhub_protocol::{Scope, UploadState};

use super::access::Viewer;
use super::answer::Answer;
use super::op::{Bytes, Op, Read};
use super::read::AUDIENCES;
use super::upload::Verdict;
use super::words::{Name, Slot};
use super::world::World;

/// How often opening looks again, because somebody came between.
const ROUNDS: u8 = 2;
/// How many worlds and positions one turn may come to; more would be a fault of the model.
const MAX_STATES: usize = 200_000;

/// Where an operation stands: what it does next.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Stage {
    Begin,
    /// One step that reads or changes.
    Act(Viewer),
    /// What opening writes, after what it has read.
    Write(Viewer, u8),
    /// Frees the lock of a session, then answers.
    Release(Slot, Answer),
    Claim(Slot),
    Fetch(Slot, u32),
    Decide(Slot, u32, Bytes),
    End(Slot, u32, Verdict),
    /// Gives a claim back.
    Reopen(Slot, u32),
    /// Removes the upload of a session that has ended so.
    CleanUp(Slot, UploadState, Effort),
    /// Frees the lock of a session.
    ReleaseAfter(Slot, Effort),
    /// A list or search that has found these, and has so many audiences left to read.
    Gather(Viewer, BTreeMap<Name, (Scope, String)>, usize),
    /// The end of a sweep: uploads that are left to look at.
    Uploads(Vec<Slot>),
    /// The session's part of a sweep or the event is over.
    Over,
    /// Ended with this answer, or without one.
    Done(Option<Answer>),
}

/// What happens if a step meets a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Effort {
    /// It is left out, and nobody is told.
    Best,
    /// The operation fails.
    Full,
}

/// An operation under way.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Running {
    stage: Stage,
    /// What a sweep has looked at.
    swept: BTreeSet<Slot>,
    /// Whether the step may still be made again.
    repeats: bool,
}

/// An operation, and how it was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened {
    /// What was done.
    pub op: Op,
    /// What came of it.
    pub answer: Answer,
}

/// The worlds that are possible after a turn, given those before it. `disturbed` says that faults may have been met; `facts` is
/// what a look at the table gave afterwards.
///
/// # Errors
/// If there are too many.
pub fn explain(
    before: &[World],
    happened: &[Happened],
    disturbed: bool,
    facts: Option<&[String]>,
) -> Result<Vec<World>, String> {
    let outcome = facts.filter(|_| happened.len() == 1).map(|facts| facts.iter().map(String::as_str).collect());
    let outcome: Option<HashSet<&str>> = outcome;
    let start = Running { stage: Stage::Begin, swept: BTreeSet::new(), repeats: disturbed };
    let mut open: Vec<_> = before.iter().map(|world| (world.clone(), vec![start.clone(); happened.len()])).collect();
    let mut seen: HashSet<_> = open.iter().cloned().collect();
    let twins = twins(happened);
    let mut after = Vec::new();
    while let Some((world, running)) = open.pop() {
        if seen.len() > MAX_STATES {
            return Err(format!("more than {MAX_STATES} states to look at"));
        }
        if running.iter().all(|one| matches!(one.stage, Stage::Done(_))) {
            if !after.contains(&world) {
                after.push(world);
            }
            continue;
        }
        for (i, one) in running.iter().enumerate() {
            for (world, next) in
                (Step { world: &world, happened: &happened[i], disturbed, outcome: outcome.as_ref() }).next(one)
            {
                let mut running = running.clone();
                running[i] = next;
                twins.iter().for_each(|twins| in_one_order(&mut running, twins));
                let state = (world, running);
                if !seen.contains(&state) {
                    seen.insert(state.clone());
                    open.push(state);
                }
            }
        }
    }
    Ok(after)
}

/// Where operations stand that are the same and were answered alike. Nobody can tell which of them is which.
fn twins(happened: &[Happened]) -> Vec<Vec<usize>> {
    let alike = |i: usize| (i..happened.len()).filter(|j| happened[*j] == happened[i]).collect::<Vec<_>>();
    let first = |i: &usize| !happened[..*i].contains(&happened[*i]);
    (0..happened.len()).filter(first).map(alike).filter(|twins| twins.len() > 1).collect()
}

/// Puts what twins have come to into one order out of all, so that states which differ in nothing else are one.
fn in_one_order(running: &mut [Running], twins: &[usize]) {
    let key = |one: &Running| {
        let mut hasher = DefaultHasher::new();
        one.hash(&mut hasher);
        hasher.finish()
    };
    let mut come_to: Vec<_> = twins.iter().map(|i| running[*i].clone()).collect();
    come_to.sort_by_cached_key(key);
    twins.iter().zip(come_to).for_each(|(i, one)| running[*i] = one);
}

/// One step of one operation.
struct Step<'a> {
    world: &'a World,
    happened: &'a Happened,
    disturbed: bool,
    /// What the table says afterwards, if nothing else is under way.
    outcome: Option<&'a HashSet<&'a str>>,
}

type Next = (World, Running);

impl Step<'_> {
    /// Everything that may come next, as far as the answer allows it.
    fn next(&self, from: &Running) -> Vec<Next> {
        let mut next = match &from.stage {
            Stage::Done(_) => return Vec::new(),
            stage => self.stages(stage, from),
        };
        if self.disturbed && self.happened.answer.is_unknown() {
            next.push((self.world.clone(), Running { stage: Stage::Done(None), ..from.clone() }));
            if matches!(self.happened.op, Op::Sweep) {
                // A session that fails does not keep the others waiting.
                next.push((self.world.clone(), Running { stage: Stage::Over, ..from.clone() }));
            }
        }
        next.retain(|(_, one)| self.fits(&one.stage));
        next
    }

    fn fits(&self, stage: &Stage) -> bool {
        match stage {
            Stage::Done(Some(answer)) => *answer == self.happened.answer || self.happened.answer.is_unknown(),
            _ => true,
        }
    }

    fn stages(&self, stage: &Stage, from: &Running) -> Vec<Next> {
        let to = |world: World, stage: Stage| (world, Running { stage, ..from.clone() });
        let same = |stage: Stage| to(self.world.clone(), stage);
        let done = |answer: Answer| same(Stage::Done(Some(answer)));
        match stage {
            Stage::Begin => self.begin(from),
            Stage::Act(viewer) => self.act(viewer, from),
            Stage::Write(viewer, round) => self.write(viewer, *round, from),
            Stage::Release(slot, answer) => {
                let mut world = self.world.clone();
                world.release(*slot);
                vec![to(world, Stage::Done(Some(answer.clone())))]
            }
            Stage::Claim(slot) => self.claim(*slot, from),
            Stage::Fetch(slot, attempt) => vec![same(match self.world.staged.get(slot) {
                Some(bytes) => Stage::Decide(*slot, *attempt, *bytes),
                None => Stage::Reopen(*slot, *attempt),
            })],
            Stage::Decide(slot, attempt, bytes) => self.decide(*slot, *attempt, *bytes, from),
            Stage::End(slot, attempt, verdict) => {
                let end = self.end((*slot, *attempt), *verdict, from);
                [end].into_iter().chain(self.is_overdue(*slot).then(|| same(Stage::Over))).collect()
            }
            Stage::Reopen(slot, attempt) => {
                let mut world = self.world.clone();
                if let Some(session) = world.sessions.get_mut(slot).filter(|s| s.is_claimed_by(*attempt)) {
                    session.state = UploadState::Open;
                }
                let left = self.is_overdue(*slot).then(|| same(Stage::Over));
                left.into_iter().chain([to(world, Stage::Over)]).collect()
            }
            Stage::CleanUp(slot, state, effort) => {
                let mut world = self.world.clone();
                world.staged.remove(slot);
                let is_published = *state == UploadState::Published;
                let stage = if is_published { Stage::Over } else { Stage::ReleaseAfter(*slot, *effort) };
                let left = self.may_be_left(*effort).then(|| same(stage.clone()));
                left.into_iter().chain([to(world, stage)]).collect()
            }
            Stage::ReleaseAfter(slot, effort) => {
                let mut world = self.world.clone();
                world.release(*slot);
                let left = self.may_be_left(*effort).then(|| same(Stage::Over));
                left.into_iter().chain([to(world, Stage::Over)]).collect()
            }
            Stage::Gather(viewer, found, left) => vec![self.gather(viewer, found, *left, from)],
            Stage::Uploads(left) => vec![self.late_upload(left, from)],
            Stage::Over => self.over(from),
            Stage::Done(Some(answer)) => vec![done(answer.clone())],
            Stage::Done(None) => Vec::new(),
        }
    }

    fn begin(&self, from: &Running) -> Vec<Next> {
        let same = |stage: Stage| vec![(self.world.clone(), Running { stage, ..from.clone() })];
        match (&self.happened.op, self.happened.op.caller()) {
            (op, Some(caller)) => same(match self.world.authenticate(op, caller) {
                Ok(viewer) => Stage::Act(viewer),
                Err(refusal) => Stage::Done(Some(refusal)),
            }),
            (Op::Upload(slot, bytes), _) => {
                let mut world = self.world.clone();
                let answer = world.put(*slot, *bytes);
                vec![(world, Running { stage: Stage::Done(Some(answer)), ..from.clone() })]
            }
            (Op::Event(slot), _) => same(Stage::Claim(*slot)),
            (Op::Advance(pause), _) => {
                let mut world = self.world.clone();
                world.time += pause.seconds();
                vec![(world, Running { stage: Stage::Done(Some(Answer::done(200))), ..from.clone() })]
            }
            _ => self.over(from),
        }
    }

    /// What a request does in one moment; made again, if a fault hid that it was done.
    fn act(&self, viewer: &Viewer, from: &Running) -> Vec<Next> {
        let mut world = self.world.clone();
        let stage = match &self.happened.op {
            Op::Read(_, Read::List(..) | Read::Search(_)) => {
                Stage::Gather(viewer.clone(), BTreeMap::new(), AUDIENCES.len())
            }
            Op::Read(_, read) => Stage::Done(Some(world.read(read, viewer))),
            Op::Open(_, _, request, key) => match world.look(request, *key, viewer) {
                Some(answer) => Stage::Done(Some(answer)),
                None => Stage::Write(viewer.clone(), 1),
            },
            Op::Cancel(_, slot) => match world.cancel(*slot, viewer) {
                Ok(answer) => Stage::Release(*slot, answer),
                Err(answer) => Stage::Done(Some(answer)),
            },
            op => Stage::Done(Some(world.change(op, viewer))),
        };
        self.perhaps_again(world, stage, viewer, from)
    }

    fn write(&self, viewer: &Viewer, round: u8, from: &Running) -> Vec<Next> {
        let mut world = self.world.clone();
        let Op::Open(_, slot, request, key) = &self.happened.op else { return Vec::new() };
        let stage = match world.open(*slot, request, *key, viewer) {
            Some(answer) => Stage::Done(Some(answer)),
            None if round == ROUNDS => Stage::Done(Some(Answer::conflict("session_open"))),
            None => match world.look(request, *key, viewer) {
                Some(answer) => Stage::Done(Some(answer)),
                None => Stage::Write(viewer.clone(), round + 1),
            },
        };
        self.perhaps_again(world, stage, viewer, from)
    }

    /// A change that is made, and, where a fault may hide that, made again.
    fn perhaps_again(&self, world: World, stage: Stage, viewer: &Viewer, from: &Running) -> Vec<Next> {
        let again = (from.repeats && world != *self.world)
            .then(|| (world.clone(), Running { stage: Stage::Act(viewer.clone()), repeats: false, ..from.clone() }));
        again.into_iter().chain([(world, Running { stage, ..from.clone() })]).collect()
    }

    fn claim(&self, slot: Slot, from: &Running) -> Vec<Next> {
        let mut world = self.world.clone();
        let now = world.time;
        let Some(session) = world.sessions.get_mut(&slot) else {
            return vec![(world, Running { stage: Stage::Over, ..from.clone() })];
        };
        let won = session.claim(now);
        let (attempt, poison, state) = (session.attempt, session.is_poison(), session.state);
        let stage = match won {
            true if poison => Stage::End(slot, attempt, Verdict::Fail),
            true => Stage::Fetch(slot, attempt),
            // Whoever ended it may not have come to that.
            false if state.is_terminal() => Stage::CleanUp(slot, state, Effort::Full),
            false => Stage::Over,
        };
        vec![(world, Running { stage, ..from.clone() })]
    }

    fn decide(&self, slot: Slot, attempt: u32, bytes: Bytes, from: &Running) -> Vec<Next> {
        let same = |stage: Stage| (self.world.clone(), Running { stage, ..from.clone() });
        let Some(session) = self.world.sessions.get(&slot) else { return Vec::new() };
        let verdict = self.world.decide(session, bytes);
        let mut next = vec![match verdict {
            // What was decided still holds at the moment at which it is done, or it is decided again.
            Verdict::Publish => self.end((slot, attempt), verdict, from),
            _ => same(Stage::End(slot, attempt, verdict)),
        }];
        if self.is_overdue(slot) {
            next.push(same(Stage::Over));
        }
        next
    }

    fn may_be_left(&self, effort: Effort) -> bool {
        self.disturbed && effort == Effort::Best
    }

    /// Whether a claim has ended by itself: its validator leaves the verdict to the next one.
    fn is_overdue(&self, slot: Slot) -> bool {
        self.world.sessions.get(&slot).is_some_and(|session| self.world.time > session.lease)
    }

    fn end(&self, (slot, attempt): (Slot, u32), verdict: Verdict, from: &Running) -> Next {
        let mut world = self.world.clone();
        let stage = match world.end(slot, attempt, verdict) {
            Some(state) => Stage::CleanUp(slot, state, Effort::Best),
            None => Stage::Over,
        };
        (world, Running { stage, ..from.clone() })
    }

    /// The end of an event; of a sweep, unless it looks at another session. Which are due is its own affair; uploads that
    /// nobody waits for go at its end.
    fn over(&self, from: &Running) -> Vec<Next> {
        let same = |stage: Stage| (self.world.clone(), Running { stage, ..from.clone() });
        if !matches!(self.happened.op, Op::Sweep) {
            return vec![same(Stage::Done(Some(Answer::done(200))))];
        }
        let as_seen = |outcome: &HashSet<&str>| {
            self.world.sessions.iter().all(|(slot, session)| outcome.contains(session.fact(*slot).as_str()))
        };
        let mut next = Vec::new();
        if self.outcome.is_none_or(as_seen) {
            next.push(same(Stage::Uploads(self.world.staged.keys().rev().copied().collect())));
        }
        for slot in self.world.unfinished().difference(&from.swept).filter(|slot| self.may_be_next(**slot, from)) {
            next.extend(self.sweep(*slot, from));
        }
        next
    }

    /// Nobody can tell in which order a sweep that is alone looks at sessions of different skills, so one order stands for all:
    /// skill by skill, and within a skill in any order. What it has passed must be what the table says afterwards. Both keep
    /// the number of states small.
    fn may_be_next(&self, slot: Slot, from: &Running) -> bool {
        let Some(outcome) = self.outcome else { return true };
        let name = |slot: Slot| self.world.sessions.get(&slot).map(|session| session.request.name);
        let in_order = from.swept.iter().all(|done| name(*done) <= name(slot));
        let mut passed = self.world.sessions.iter().filter(|(other, _)| name(**other) < name(slot));
        in_order && passed.all(|(other, session)| outcome.contains(session.fact(*other).as_str()))
    }

    fn late_upload(&self, left: &[Slot], from: &Running) -> Next {
        let mut world = self.world.clone();
        let stage = match left.split_last() {
            Some((slot, left)) => {
                if world.sessions.get(slot).is_some_and(|session| session.state.is_terminal()) {
                    world.staged.remove(slot);
                }
                Stage::Uploads(left.to_vec())
            }
            None => Stage::Done(Some(Answer::done(200))),
        };
        (world, Running { stage, ..from.clone() })
    }

    /// A list is read audience by audience; what a search finds is looked up at its end, and may have gone by then.
    fn gather(&self, viewer: &Viewer, found: &BTreeMap<Name, (Scope, String)>, left: usize, from: &Running) -> Next {
        let Op::Read(_, read) = &self.happened.op else { return (self.world.clone(), from.clone()) };
        let mut found = found.clone();
        let stage = match AUDIENCES.len().checked_sub(left).and_then(|next| AUDIENCES.get(next)) {
            Some(audience) => {
                for (name, line) in self.world.listed(read, viewer, *audience) {
                    found.entry(name).or_insert((*audience, line));
                }
                Stage::Gather(viewer.clone(), found, left - 1)
            }
            None => {
                let now = |audience| self.world.listed(read, viewer, audience).into_iter();
                let lines = found.into_iter().filter_map(|(name, (audience, line))| match read {
                    Read::Search(_) => now(audience).find(|(other, _)| *other == name).map(|(_, line)| line),
                    _ => Some(line),
                });
                let mut lines: Vec<_> = lines.collect();
                lines.sort();
                Stage::Done(Some(Answer::says(200, lines)))
            }
        };
        (self.world.clone(), Running { stage, ..from.clone() })
    }

    fn sweep(&self, slot: Slot, from: &Running) -> Option<Next> {
        let session = self.world.sessions.get(&slot)?;
        let mut swept = from.swept.clone();
        swept.insert(slot);
        let mut world = self.world.clone();
        let stage = if session.state != UploadState::Open || self.world.staged.contains_key(&slot) {
            Stage::Claim(slot)
        } else if session.has_expired(world.time) {
            if let Some(session) = world.sessions.get_mut(&slot) {
                session.state = UploadState::Expired;
            }
            Stage::ReleaseAfter(slot, Effort::Full)
        } else {
            Stage::Over
        };
        Some((world, Running { stage, swept, ..from.clone() }))
    }
}

#[cfg(test)]
mod tests;
