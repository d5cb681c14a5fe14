//! A history, carried out and explained turn by turn.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use skillhub_protocol::{Role, Sha256, TokenResponse, UploadSession};
use skillhub_store::TokenSecret;

use super::answer::Answer;
use super::drive::{PATIENCE, Stage};
use super::explain::{Happened, explain};
use super::generate::prologue;
use super::names::Names;
use super::observe::{Unanswered, observe};
use super::op::{ListFilter, Op, Pause, Read, Schedule};
use super::tally::{Broken, Tally};
use super::understand::{Raw, understand};
use super::words::{Caller, Name, Number, Person, QUERIES};
use super::world::World;
use crate::in_process::Answer as Http;
use crate::proxy::{Chaos, Fault};

/// What the proxy does to calls, as often as it stands here. Delays are beyond the patience of the SDK.
const FAULTS: [Fault; 16] = [
    Fault::Unavailable,
    Fault::Unavailable,
    Fault::Throttled,
    Fault::Throttled,
    Fault::CONFLICT,
    Fault::CONFLICT,
    Fault::CONFLICT,
    Fault::FailedAfterwards,
    Fault::FailedAfterwards,
    Fault::ResetBefore,
    Fault::ResetAfterwards,
    Fault::Truncated,
    Fault::Truncated,
    Fault::Truncated,
    Fault::Late(Duration::from_millis(2800)),
    Fault::AnsweredLate(Duration::from_millis(2800)),
];
/// Operations that a history carries out, besides its prologue and what is read at its end.
pub const OPERATIONS: u64 = 40;
/// How many sessions a sweep may find, and how much may be done at once with it, together: the orders in which more can happen are
/// too many to look at, so one thing is then done after the other.
const MAX_BESIDE_A_SWEEP: usize = 5;
/// How often the sweeper may run until nothing is under way any more.
const MAX_SWEEPS: usize = 12;

/// Carries a history out, from the beginning to the point at which nothing is under way any more.
///
/// # Errors
/// What cannot be explained, and where.
pub async fn run(schedule: &Schedule) -> Result<Tally, Broken> {
    let (stage, names) = Stage::set().await;
    let mut run = Run {
        stage,
        names,
        worlds: vec![World::beginning()],
        tally: Tally::default(),
        counts: Tally::OPERATIONS,
        published: BTreeMap::new(),
    };
    for op in prologue() {
        run.turn(vec![op]).await?;
    }
    run.tally = Tally::default();
    for (i, turn) in schedule.turns.iter().enumerate() {
        if run.tally.get(Tally::OPERATIONS) >= OPERATIONS {
            break;
        }
        if let Some(one_in) = schedule.one_in {
            run.stage.registry.proxy.rain(Chaos { seed: turn.fault_seed, one_in, faults: FAULTS.to_vec() });
        }
        run.turn(turn.ops.clone()).await.map_err(|broken| broken.during(i))?;
    }
    run.counts = Tally::LAST_READS;
    run.settle().await?;
    run.tally.count(Tally::SCHEDULES, 1);
    Ok(run.tally)
}

struct Run {
    stage: Arc<Stage>,
    names: Names,
    /// What may be, as far as is known.
    worlds: Vec<World>,
    tally: Tally,
    /// As what operations count now.
    counts: &'static str,
    /// What was acknowledged as published, with its digest.
    published: BTreeMap<(Name, Number), Sha256>,
}

impl Run {
    /// Does these things at once, and demands that the model explains what came of them.
    async fn turn(&mut self, ops: Vec<Op>) -> Result<(), Broken> {
        let ops: Vec<_> = ops.into_iter().filter_map(|op| self.possible(op)).collect();
        if ops.is_empty() {
            return Ok(());
        }
        if ops.len() > 1 && ops.contains(&Op::Sweep) && self.unfinished() + ops.len() > MAX_BESIDE_A_SWEEP {
            for op in ops {
                Box::pin(self.turn(vec![op])).await?;
            }
            return Ok(());
        }
        for op in &ops {
            if let Op::Open(_, slot, request, _) = op {
                self.names.packages.insert(*slot, (request.name.slug, request.content));
            }
        }
        let started = Instant::now();
        let raw = self.stage.perform(&ops, &self.names).await?;
        // A machine that is busy with other things runs into the time-out without any fault of the proxy's.
        let slow = started.elapsed() >= PATIENCE.attempt;
        let proxy = &self.stage.registry.proxy;
        proxy.clear();
        proxy.idle().await;
        self.tally.count(self.counts, ops.len() as u64);
        let disturbed = self.tally.count_calls(&proxy.take_attempts()) || slow;
        self.learn(&ops, &raw)?;
        let changed = !ops.iter().all(|op| matches!(op, Op::Read(..) | Op::Advance(_)));
        let facts = if changed { Some(self.look(&ops, &raw).await?) } else { None };
        let mut happened = Vec::new();
        for (op, raw) in ops.into_iter().zip(&raw) {
            let answer = understand(&op, raw, &self.names)?;
            if answer.status == 500 || answer.is_unknown() && !disturbed {
                return Err(Broken::other(format!("{op:?} failed, and no store is to blame: {answer:?}")));
            }
            happened.push(Happened { op, answer });
        }
        self.explain(&happened, disturbed, facts.as_deref())?;
        raw.iter().for_each(|raw| self.acknowledge(last(raw)));
        Ok(())
    }

    /// How many sessions a sweep may find.
    fn unfinished(&self) -> usize {
        self.worlds.iter().map(|world| world.unfinished().len()).max().unwrap_or_default()
    }

    fn explain(&mut self, happened: &[Happened], disturbed: bool, facts: Option<&[String]>) -> Result<(), Broken> {
        let possible = explain(&self.worlds, happened, disturbed, facts)?;
        if possible.is_empty() {
            return Err(self.unexplained(happened));
        }
        let fits = |world: &World| facts.is_none_or(|facts| world.facts() == facts);
        let (fitting, others): (Vec<_>, Vec<_>) = possible.into_iter().partition(fits);
        if fitting.is_empty() {
            let difference = |world: &World| difference(&world.facts(), facts.unwrap_or_default());
            let nearest = others.iter().map(difference).min_by_key(|(here, there)| here.len() + there.len());
            return Err(Broken::facts(happened, disturbed, nearest.unwrap_or_default()));
        }
        self.worlds = fitting;
        Ok(())
    }

    fn unexplained(&self, happened: &[Happened]) -> Broken {
        let one = |one: &Happened| {
            let expected = |world: &World| match &one.op {
                Op::Read(caller, read) => world.authenticate(&one.op, *caller).map(|viewer| world.read(read, &viewer)),
                op => op.caller().map_or(Ok(Answer::done(200)), |caller| {
                    world.authenticate(op, caller).map(|viewer| world.clone().change(op, &viewer))
                }),
            };
            let expected = self.worlds.first().map(|world| expected(world).unwrap_or_else(|refusal| refusal));
            (one.clone(), expected)
        };
        Broken::answers(happened.iter().map(one).collect(), self.worlds.first())
    }

    /// The operation with the slots that it means; `None` if there is nothing that it could be done to.
    fn possible(&self, op: Op) -> Option<Op> {
        let caller = match op.caller() {
            Some(Caller::With(_, slot)) => Some(Caller::With(self.names.secrets.get(&slot)?.0, slot)),
            caller => caller,
        };
        let slot = |slot| self.names.primary(slot);
        Some(match (op, caller) {
            (Op::Upload(at, bytes), _) => Op::Upload(slot(at)?, bytes),
            (Op::Event(at), _) => Op::Event(slot(at)?),
            (Op::Cancel(_, at), Some(caller)) => Op::Cancel(caller, slot(at)?),
            (Op::Read(_, Read::Session(at)), Some(caller)) => Op::Read(caller, Read::Session(slot(at)?)),
            (mut op, Some(caller)) => {
                op.set_caller(caller);
                op
            }
            (op, None) => op,
        })
    }

    /// Ids and secrets that answers give.
    fn learn(&mut self, ops: &[Op], raw: &[Raw]) -> Result<(), Broken> {
        let answers = ops.iter().zip(raw).filter_map(|(op, raw)| Some((op, last(raw)?)));
        for (op, answer) in answers.filter(|(_, answer)| answer.status == 201) {
            match op {
                Op::Open(_, slot, ..) => self.names.place(&answer.session().id, *slot),
                Op::CreateToken(caller, slot, ..) => {
                    let text = String::from_utf8_lossy(&answer.body);
                    let made = TokenResponse::from_json(&text).map_err(|e| Broken::other(e.to_string()))?;
                    let secret = TokenSecret::parse(&made.token).ok_or_else(|| Broken::other("no token".to_owned()))?;
                    let person = caller.person().ok_or_else(|| Broken::other("a token for nobody".to_owned()))?;
                    self.names.secrets.insert(*slot, (person, secret));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The table as it stands. What was opened without an answer is found here.
    async fn look(&mut self, ops: &[Op], raw: &[Raw]) -> Result<Vec<String>, Broken> {
        let rows = self.stage.registry.table.scan().await.map_err(|e| Broken::other(e.to_string()))?;
        let unanswered: Vec<Unanswered<'_>> = ops
            .iter()
            .zip(raw)
            .filter_map(|(op, raw)| match op {
                Op::Open(caller, slot, request, _) if last(raw).is_none_or(|answer| answer.status != 201) => {
                    Some((*slot, caller.person()?, request))
                }
                _ => None,
            })
            .collect();
        let facts = observe(&rows, &mut self.names, &unanswered)?;
        for (op, raw) in ops.iter().zip(raw) {
            if let (Op::Open(_, slot, ..), Some(answer)) = (op, last(raw).filter(|answer| answer.status == 200)) {
                // Another session is answered: whatever the history does with this slot, it does with that one.
                self.names.uploads.entry(*slot).or_insert_with(|| answer.session().id);
            }
        }
        Ok(facts)
    }

    /// Keeps what an answer says to be published.
    fn acknowledge(&mut self, answer: Option<&Http>) {
        let text = answer.map(|answer| String::from_utf8_lossy(&answer.body).into_owned()).unwrap_or_default();
        let Ok(session) = UploadSession::from_json(&text) else { return };
        let Some(published) = &session.published else { return };
        let slot = self.names.slots.get(&session.id);
        let request = slot.and_then(|slot| Some(&self.worlds.first()?.sessions.get(slot)?.request));
        if let Some(request) = request {
            self.published.entry((request.name, request.number)).or_insert(published.artifact_sha256);
        }
    }

    /// Until nothing is under way any more; then everything that must hold, holds.
    async fn settle(&mut self) -> Result<(), Broken> {
        for _ in 0..MAX_SWEEPS {
            let open = self.worlds.iter().any(|world| !world.unfinished().is_empty() || !world.staged.is_empty());
            if !open {
                break;
            }
            self.turn(vec![Op::Advance(Pause::Session)]).await?;
            self.turn(vec![Op::Sweep]).await?;
        }
        let left = |world: &World| !world.unfinished().is_empty() || !world.staged.is_empty();
        if self.worlds.iter().all(left) {
            return Err(Broken::other(format!("not at its end after {MAX_SWEEPS} sweeps: {:?}", self.worlds)));
        }
        let stage = self.stage.clone();
        let settled = tokio::spawn(async move { stage.registry.settled().await }).await;
        settled.map_err(|e| Broken::other(format!("an invariant does not hold: {}", message(e))))?;
        self.read_everything().await
    }

    /// Every acknowledged version is there; and everybody is shown what the model says, nothing else.
    async fn read_everything(&mut self) -> Result<(), Broken> {
        let world = self.worlds.first().cloned().unwrap_or_default();
        for (slot, session) in &world.sessions {
            self.turn(vec![Op::Read(Caller::Main(session.person), Read::Session(*slot))]).await?;
        }
        let names: BTreeSet<Name> = world.skills.keys().copied().collect();
        for (i, caller) in Person::ALL.map(Caller::Main).into_iter().chain([Caller::Anonymous]).enumerate() {
            let mut reads = vec![Read::List(ListFilter::default(), 2), Read::Search(QUERIES[1])];
            // Lists show what one may see; every other caller looks at the rest of a skill, too, and which ones differs.
            for name in names.iter().skip((i + world.sessions.len()) % 2).step_by(2) {
                let number = world.skills.get(name).and_then(|skill| skill.versions.keys().next_back().copied());
                reads.extend([Read::Detail(*name), Read::Versions(*name, 100)]);
                reads.extend(number.map(|number| Read::Download(*name, number)));
            }
            for read in reads {
                self.turn(vec![Op::Read(caller, read)]).await?;
            }
        }
        self.read_published(&world).await
    }

    async fn read_published(&mut self, world: &World) -> Result<(), Broken> {
        for ((name, number), digest) in self.published.clone() {
            self.tally.count(Tally::ACKNOWLEDGED, 1);
            let there = world.skills.get(&name).and_then(|skill| skill.versions.get(&number));
            let there = there.ok_or_else(|| Broken::lost(format!("{name}@{number}")))?;
            if Names::content(name.slug, digest)? != there.content {
                return Err(Broken::changed(format!("{name}@{number} was {digest}")));
            }
            let reader = self.reader(world, name);
            self.turn(vec![Op::Read(Caller::Main(reader), Read::Download(name, number))]).await?;
        }
        Ok(())
    }

    /// Somebody who sees everything of a namespace.
    fn reader(&self, world: &World, name: Name) -> Person {
        let owner = world.members.iter().find(|((space, _), role)| *space == name.space && **role == Role::Owner);
        owner.map_or(Person::Admin, |((_, person), _)| *person)
    }
}

fn last(raw: &Raw) -> Option<&Http> {
    match raw {
        Raw::Http(pages) => pages.last(),
        Raw::Download(first, ..) => Some(first),
        Raw::Silent(_) => None,
    }
}

fn difference(expected: &[String], found: &[String]) -> (Vec<String>, Vec<String>) {
    let without =
        |some: &[String], others: &[String]| some.iter().filter(|line| !others.contains(line)).cloned().collect();
    (without(expected, found), without(found, expected))
}

fn message(error: tokio::task::JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_else(|| String::from("a panic without words")),
        Err(error) => error.to_string(),
    }
}
