//! Readers beside a publisher, for minutes: nothing may fail, and memory may not grow.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde::Deserialize;
use skillhub_bench::{Bound, Row, Unit, percentile, resident_bytes};
use skillhub_protocol::SkillId;
use tokio::task::JoinSet;

use crate::client::Trust;
use crate::exchange::Client;
use crate::ours::{Parcel, Publisher};
use crate::packages::{Package, SMALL};
use crate::{CONNECTIONS, Ours};

/// The kinds of requests, and how many of a hundred are of them.
const KINDS: [(&str, u32); 3] = [("detail", 60), ("list of 50", 30), ("download", 10)];
/// The time between two publishes.
const PUBLISH_EVERY: Duration = Duration::from_millis(200);
/// Memory at the end, as a multiple of that when warm.
const MAX_GROWTH: f64 = 1.10;
/// Publishes that may be on their way at the same time: more, and the registry does not keep up.
const MAX_ON_THEIR_WAY: usize = 100;

#[derive(Deserialize)]
pub(crate) struct Plan {
    /// How long the load goes on, after as long a time for warming up: the embedded DynamoDB remembers each transaction for
    /// ten minutes, as DynamoDB does.
    minutes: f64,
    seed: u64,
    ours: Ours,
    /// What is asked for, by kind.
    paths: Arc<[Vec<String>; 3]>,
}

/// What the readers have seen: milliseconds by kind, and what went wrong.
#[derive(Default)]
struct Seen {
    millis: [Vec<f64>; 3],
    errors: Vec<String>,
}

/// Measures, and prints rows.
pub(crate) async fn run(plan: Result<Plan, String>) -> Result<(), String> {
    let plan = plan?;
    let time = Duration::from_secs_f64(plan.minutes * 60.0);
    let warm_at = Instant::now() + time;
    let end = warm_at + time;
    let mut readers = JoinSet::new();
    for number in 0..CONNECTIONS {
        let client = Client::of(&plan.ours.address, Some(Trust::in_authority(&plan.ours.ca)?))?;
        let rng = StdRng::seed_from_u64(plan.seed.wrapping_mul(31).wrapping_add(number as u64));
        readers.spawn(read(client, Arc::clone(&plan.paths), rng, warm_at, end));
    }
    let publisher = tokio::spawn(publish(plan.ours.clone(), plan.seed, end));
    tokio::time::sleep_until(warm_at.into()).await;
    let warm = resident_bytes(plan.ours.pid)?;
    tokio::time::sleep_until(end.into()).await;
    let growth = resident_bytes(plan.ours.pid)? as f64 / warm as f64;
    let mut seen = Seen::default();
    while let Some(reader) = readers.join_next().await {
        seen.take(reader.map_err(|e| e.to_string())?);
    }
    let (published, errors) = publisher.await.map_err(|e| e.to_string())?;
    seen.errors.extend(errors);
    let missing = missing(&plan.ours, &published).await?;
    seen.print(&plan);
    let method = format!("{} publishes beside readers in {} minutes", published.len(), 2.0 * plan.minutes);
    let row = |what: &str, figure, unit| Row::new("mixed", what, figure, unit).method(method.as_str(), 1);
    row("publishes that no list shows", missing as f64, Unit::Count).demands(Bound::AtMost(0.0)).print();
    row("memory at the end / when warm", growth, Unit::Times).demands(Bound::AtMost(MAX_GROWTH)).print();
    row("memory when warm", warm as f64 / 1e6, Unit::Megabytes).print();
    Ok(())
}

/// Asks for one thing after the other until the end; what was asked for to warm up is not counted, but must be right, too.
async fn read(
    mut client: Client,
    paths: Arc<[Vec<String>; 3]>,
    mut rng: StdRng,
    warm_at: Instant,
    end: Instant,
) -> Seen {
    let mut seen = Seen::default();
    while Instant::now() < end {
        let kind = kind(rng.random_range(0..100));
        let path = &paths[kind][rng.random_range(0..paths[kind].len())];
        let start = Instant::now();
        let answer = if KINDS[kind].0 == "download" { client.download(path).await } else { client.get(path).await };
        match answer {
            Ok(_) if start < warm_at => {}
            Ok(_) => seen.millis[kind].push(start.elapsed().as_secs_f64() * 1000.0),
            Err(error) => seen.errors.push(error),
        }
    }
    seen
}

/// The kind that a number below a hundred stands for.
fn kind(number: u32) -> usize {
    let bounds = KINDS.iter().scan(0, |sum, (_, share)| {
        *sum += share;
        Some(*sum)
    });
    bounds.take_while(|bound| *bound <= number).count()
}

/// Publishes small skills at a steady pace until the end, however long each takes: their ids, and what went wrong.
async fn publish(ours: Ours, seed: u64, end: Instant) -> (Vec<SkillId>, Vec<String>) {
    let (mut ids, mut errors, mut running) = (Vec::new(), Vec::new(), JoinSet::new());
    let mut pace = tokio::time::interval(PUBLISH_EVERY);
    let mut take = |ended: Result<Result<SkillId, String>, _>| match ended {
        Ok(Ok(id)) => ids.push(id),
        Ok(Err(error)) => errors.push(error),
        Err(error) => errors.push(tokio::task::JoinError::to_string(&error)),
    };
    for number in 0.. {
        pace.tick().await;
        if Instant::now() >= end {
            break;
        }
        while running.len() >= MAX_ON_THEIR_WAY
            && let Some(ended) = running.join_next().await
        {
            take(ended);
        }
        running.spawn(publish_one(ours.clone(), seed, format!("mixed-{number:05}")));
    }
    while let Some(ended) = running.join_next().await {
        take(ended);
    }
    (ids, errors)
}

async fn publish_one(ours: Ours, seed: u64, name: String) -> Result<SkillId, String> {
    let parcel = Parcel::of(&Package::new(seed, name, &SMALL))?;
    Publisher::of(&ours)?.publish(&parcel).await
}

/// How many of these skills are in no page of the list.
async fn missing(ours: &Ours, published: &[SkillId]) -> Result<usize, String> {
    let mut publisher = Publisher::of(ours)?;
    let mut left: std::collections::BTreeSet<_> = published.iter().collect();
    let mut cursor = None;
    loop {
        let page = publisher.list_after(cursor.as_ref()).await?;
        page.iter().for_each(|id| {
            left.remove(id);
        });
        match page.into_iter().next_back() {
            Some(last) => cursor = Some(last),
            None => return Ok(left.len()),
        }
    }
}

impl Seen {
    fn take(&mut self, other: Self) {
        self.errors.extend(other.errors);
        for (mine, others) in self.millis.iter_mut().zip(other.millis) {
            mine.extend(others);
        }
    }

    fn print(self, plan: &Plan) {
        self.errors.iter().take(10).for_each(|error| eprintln!("{error}"));
        let count: usize = self.millis.iter().map(Vec::len).sum();
        let method = format!("{CONNECTIONS} readers beside 5 publishes a second for {} minutes, warm", plan.minutes);
        let row = |what: String, figure, unit| Row::new("mixed", what, figure, unit).method(method.as_str(), count);
        let errors = self.errors.len() as f64;
        row("errors".to_owned(), errors, Unit::Count).demands(Bound::AtMost(0.0)).print();
        row("requests".to_owned(), count as f64 / (plan.minutes * 60.0), Unit::PerSecond).print();
        for ((kind, _), millis) in KINDS.iter().zip(self.millis) {
            for percent in [50, 99] {
                row(format!("{kind}: p{percent}"), percentile(millis.clone(), percent), Unit::Millis).print();
            }
        }
    }
}
