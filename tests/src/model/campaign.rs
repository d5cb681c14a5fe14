//! Many histories, several at a time; and the shortest form of one that fails.

use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::generate::generate;
use super::op::{Schedule, Turn};
use super::run::run;
use super::tally::{Broken, Tally};

/// How long shorter forms of a failed history are looked for.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often one is tried: what depends on which of two comes first does not show every time.
const TRIES: usize = 2;

/// A history that fails, as short as it was found to.
#[derive(Debug)]
pub struct Failure {
    /// The seed of the whole history.
    pub seed: u64,
    /// What is left of it.
    pub schedule: Schedule,
    /// What is wrong.
    pub broken: Broken,
}

/// Carries out the histories of these seeds, `parallel` at a time, each with a registry of its own. Stops beginning new ones
/// after the first that fails. `done` is told of each.
pub async fn campaign(
    seeds: Range<u64>,
    parallel: usize,
    mut done: impl FnMut(u64, &Result<Tally, Broken>),
) -> (Tally, Option<(u64, Broken)>) {
    let (mut running, mut seeds) = (JoinSet::new(), seeds);
    let (mut tally, mut failed) = (Tally::default(), None);
    loop {
        while failed.is_none() && running.len() < parallel {
            let Some(seed) = seeds.next() else { break };
            running.spawn(async move { (seed, run(&generate(seed)).await) });
        }
        let Some(ended) = running.join_next().await else { break };
        // A panic is a failure of the harness itself.
        let (seed, result) = ended.expect("the harness does not panic");
        done(seed, &result);
        match result {
            Ok(more) => tally.add(&more),
            Err(broken) => {
                tally.add_broken(&broken);
                failed.get_or_insert((seed, broken));
            }
        }
    }
    (tally, failed)
}

/// The shortest form of a failed history that some attempts find: first without what comes after the fault, then without
/// more and more of what comes before.
pub async fn shrink(schedule: Schedule, broken: Broken) -> Failure {
    let seed = schedule.seed;
    let mut best = Failure { seed, schedule, broken };
    let until = Instant::now() + PATIENCE;
    if let Some(turn) = best.broken.turn {
        let turns = best.schedule.turns.iter().take(turn + 1).cloned().collect();
        best.attempt(turns, until).await;
    }
    let mut size = best.schedule.turns.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < best.schedule.turns.len() {
            let turns = without(&best.schedule.turns, at..at + size);
            if !best.attempt(turns, until).await {
                at += size;
            }
        }
        size /= 2;
    }
    best.thin_out(until).await;
    best
}

fn without(turns: &[Turn], gone: Range<usize>) -> Vec<Turn> {
    turns.iter().enumerate().filter(|(i, _)| !gone.contains(i)).map(|(_, turn)| turn.clone()).collect()
}

impl Failure {
    /// Whether the history still fails with these turns; if so, they are what is left. Not tried when the time is over.
    async fn attempt(&mut self, turns: Vec<Turn>, until: Instant) -> bool {
        if turns.is_empty() || Instant::now() > until {
            return false;
        }
        let schedule = Schedule { turns, ..self.schedule };
        for _ in 0..TRIES {
            if let Err(broken) = run(&schedule).await {
                (self.schedule, self.broken) = (schedule, broken);
                return true;
            }
        }
        false
    }

    /// Leaves out single operations of what happens at once.
    async fn thin_out(&mut self, until: Instant) {
        let mut turn = 0;
        while turn < self.schedule.turns.len() {
            let mut op = 0;
            while self.schedule.turns.get(turn).is_some_and(|turn| turn.ops.len() > 1 && op < turn.ops.len()) {
                let mut turns = self.schedule.turns.clone();
                turns[turn].ops.remove(op);
                if !self.attempt(turns, until).await {
                    op += 1;
                }
            }
            turn += 1;
        }
    }
}

/// What is wrong, the short history, and the command that carries the whole one out again.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n\nThe history, shortened:\n{}", self.broken, self.schedule)?;
        let seed = self.seed;
        writeln!(f, "The whole history again:")?;
        write!(f, "SKILLHUB_MODEL_SEED={seed} SKILLHUB_MODEL_SCHEDULES=1 cargo test --workspace --test model")
    }
}
