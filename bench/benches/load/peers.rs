//! The same kinds of requests to several registries in turn, so that a busy moment hits all of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde::Deserialize;
use skillhub_bench::{Bound, Line, Row, Unit, await_idle, median, shares};
use tokio::task::JoinSet;

use crate::CONNECTIONS;
use crate::client::Trust;
use crate::exchange::Client;

/// How long a registry may work on after its last answer.
const SETTLE: Duration = Duration::from_secs(60);
/// How many times longer than its slice a contestant may take for what it has begun. Who takes longer has no more turns.
const MAX_SLOWNESS: u32 = 8;

/// What ours must do in the time in which another does one.
const TARGETS: [(&str, &str, f64); 3] =
    [("detail", "verdaccio", 10.0), ("list of 50", "skillhub-selfhost", 100.0), ("download", "verdaccio", 3.0)];
const OURS: &str = "skillhub";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plan {
    /// Rounds that count; one more warms up.
    rounds: usize,
    /// The time of each contestant in a round.
    seconds: f64,
    seed: u64,
    /// The certificate of our authority, as PEM.
    ca: String,
    contestants: Vec<Contestant>,
}

/// A registry that is asked for one kind of thing.
#[derive(Deserialize)]
struct Contestant {
    registry: String,
    kind: String,
    pid: u32,
    address: String,
    /// What is asked for, one at random each time.
    paths: Arc<Vec<String>>,
    /// Whether the answer tells a URL, which is then read.
    follow: bool,
    /// Right answers each second, by round.
    #[serde(skip)]
    rates: Vec<f64>,
    #[serde(skip)]
    is_slow: bool,
    /// How many answers were wrong or never came, and the first of them.
    #[serde(skip)]
    errors: (usize, Option<String>),
}

/// Measures, and prints rows and lines.
pub(crate) async fn run(plan: Result<Plan, String>) -> Result<(), String> {
    let mut plan = plan?;
    let trust = Trust::in_authority(&plan.ca)?;
    let time = Duration::from_secs_f64(plan.seconds);
    for round in 0..=plan.rounds {
        for (i, contestant) in plan.contestants.iter_mut().enumerate().filter(|(_, contestant)| !contestant.is_slow) {
            let start = Instant::now();
            let rate = contestant.slice(time, &trust, plan.seed.wrapping_add((round * 1000 + i) as u64)).await?;
            contestant.is_slow = start.elapsed() > time * MAX_SLOWNESS;
            eprintln!("round {round}: {:18} {:11} {rate:9.1}/s", contestant.registry, contestant.kind);
            // The first round warms up; who has no other turn is known by it.
            if round > 0 || contestant.is_slow {
                contestant.rates.push(rate);
            }
        }
    }
    plan.contestants.iter().for_each(|contestant| contestant.print(&plan));
    plan.contestants.iter().try_for_each(Contestant::demand_no_errors)?;
    TARGETS.iter().try_for_each(|target| plan.compare(*target))
}

impl Contestant {
    /// Sends requests on all connections for this time, and waits for the answers to all of them, since what is begun takes
    /// work, too: right answers each second.
    async fn slice(&mut self, time: Duration, trust: &Trust, seed: u64) -> Result<f64, String> {
        let (start, mut clients) = (Instant::now(), JoinSet::new());
        for number in 0..CONNECTIONS {
            let client = Client::of(&self.address, Some(trust.clone()))?;
            let rng = StdRng::seed_from_u64(seed.wrapping_mul(31).wrapping_add(number as u64));
            clients.spawn(ask(client, Arc::clone(&self.paths), self.follow, rng, start + time));
        }
        let mut right = 0;
        while let Some(asked) = clients.join_next().await {
            let (good, bad, first) = asked.map_err(|e| e.to_string())?;
            right += good;
            self.errors.0 += bad;
            self.errors.1 = self.errors.1.take().or(first);
        }
        let seconds = start.elapsed().as_secs_f64();
        let pid = self.pid;
        let idle = tokio::task::spawn_blocking(move || await_idle(pid, SETTLE)).await.map_err(|e| e.to_string())?;
        idle.map_err(|e| format!("{}, {}: {e}", self.registry, self.kind))?;
        Ok(f64::from(right) / seconds)
    }

    fn print(&self, plan: &Plan) {
        let method =
            format!("{CONNECTIONS} connections, in turn for {} s each, {} wrong answers", plan.seconds, self.errors.0);
        let (what, rate) = (format!("{}: {}", self.registry, self.kind), median(self.rates.clone()));
        Row::new("P9", &what, rate, Unit::PerSecond).method(method, self.rates.len()).print();
        Line { chart: "peers".to_owned(), name: what, points: vec![(0.0, rate)] }.print();
    }

    fn demand_no_errors(&self) -> Result<(), String> {
        let is_judged = |(kind, other, _): &(&str, &str, f64)| self.kind == *kind && self.registry == *other;
        match &self.errors {
            (count, Some(first)) if self.registry == OURS || TARGETS.iter().any(is_judged) => {
                Err(format!("{}, {}: {count} wrong answers; the first: {first}", self.registry, self.kind))
            }
            (count, Some(first)) => {
                eprintln!("{}, {}: {count} wrong answers; the first: {first}", self.registry, self.kind);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Plan {
    /// Prints what ours does as a multiple of what the other does, if both took part.
    fn compare(&self, (kind, other, least): (&str, &str, f64)) -> Result<(), String> {
        let find = |registry: &str| self.contestants.iter().find(|c| c.registry == registry && c.kind == kind);
        let (Some(ours), Some(theirs)) = (find(OURS), find(other)) else {
            return Err(format!("the plan lacks {kind} of {OURS} or {other}"));
        };
        if theirs.rates.len() != ours.rates.len() || theirs.rates.contains(&0.0) {
            return Err(format!("{other}, {kind}: too slow to be compared"));
        }
        let ratio = median(shares(&ours.rates, &theirs.rates));
        let row = Row::new("P9", format!("{kind}: {OURS} / {other}"), ratio, Unit::Times);
        let method = format!("{CONNECTIONS} connections, in turn, median of the rounds' ratios, no wrong answers");
        row.demands(Bound::AtLeast(least)).method(method, self.rounds).print();
        Ok(())
    }
}

/// Asks for one thing after the other until the deadline: right answers, wrong ones, the first wrong one.
async fn ask(
    mut client: Client,
    paths: Arc<Vec<String>>,
    follow: bool,
    mut rng: StdRng,
    deadline: Instant,
) -> (u32, usize, Option<String>) {
    let (mut right, mut wrong, mut first) = (0, 0, None);
    while Instant::now() < deadline {
        let path = &paths[rng.random_range(0..paths.len())];
        match if follow { client.download(path).await } else { client.get(path).await } {
            Ok(_) => right += 1,
            Err(error) => {
                wrong += 1;
                first.get_or_insert(error);
            }
        }
    }
    (right, wrong, first)
}
