//! A package of a hundred files and a megabyte, published to two registries in turn.

use std::time::{Duration, Instant};

use serde::Deserialize;
use skillhub_bench::{Bound, Row, Unit, await_idle, cpu_seconds, median, shares};
use skillhub_protocol::SkillId;

use crate::Ours;
use crate::ours::{self, Parcel};
use crate::packages::{Package, Shape};
use crate::selfhost::{self, Selfhost};

/// A megabyte together.
const LARGE: Shape = Shape { files: 100, bytes: 10_000..10_001 };
/// The processor time of a publish, as a multiple of the other's.
const MAX_CPU: f64 = 0.25;
/// Milliseconds between the end of the upload and the first list that shows the skill.
const MAX_VISIBLE: f64 = 100.0;
/// How long a registry may be busy with one publish.
const SETTLE: Duration = Duration::from_secs(20);
/// How long a package may stay invisible.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Deserialize)]
pub(crate) struct Plan {
    rounds: usize,
    seed: u64,
    ours: Ours,
    other: Selfhost,
}

/// What was measured, by round.
#[derive(Default)]
struct Measured {
    ours: Vec<f64>,
    other: Vec<f64>,
    visible: Vec<f64>,
}

/// Measures, and prints rows.
pub(crate) async fn run(plan: Result<Plan, String>) -> Result<(), String> {
    let plan = plan?;
    let mut ours = ours::Publisher::of(&plan.ours)?;
    let mut other = selfhost::Publisher::of(&plan.other).await?;
    let mut measured = Measured::default();
    for round in 0..=plan.rounds {
        let package = |what: &str| Package::new(plan.seed, format!("large-{what}-{round}"), &LARGE);
        let (counted, watched) = (package("counted"), package("watched"));
        let (parcel, form) = (Parcel::of(&counted)?, selfhost::form(&counted)?);
        let (ours_took, newest) = cpu_ms(plan.ours.pid, ours.publish(&parcel)).await?;
        let (other_took, ()) = cpu_ms(plan.other.pid, other.publish(&form)).await?;
        let visible = until_visible(&mut ours, &Parcel::of(&watched)?, &newest).await?;
        eprintln!(
            "round {round}: {ours_took:.1} ms of CPU, {other_took:.1} ms the other, visible after {visible:.1} ms"
        );
        // The first round warms up.
        if round > 0 {
            measured.ours.push(ours_took);
            measured.other.push(other_took);
            measured.visible.push(visible);
        }
    }
    measured.print(plan.rounds);
    Ok(())
}

/// Milliseconds that the processors have worked for a process while it did something, to the end of what followed.
async fn cpu_ms<T>(pid: u32, something: impl Future<Output = Result<T, String>>) -> Result<(f64, T), String> {
    settle(pid).await?;
    let before = cpu_seconds(pid)?;
    let done = something.await?;
    settle(pid).await?;
    Ok(((cpu_seconds(pid)? - before) * 1000.0, done))
}

async fn settle(pid: u32) -> Result<(), String> {
    tokio::task::spawn_blocking(move || await_idle(pid, SETTLE)).await.map_err(|e| e.to_string())?
}

/// Milliseconds from the end of an upload to the first list that shows a skill after the newest one so far.
async fn until_visible(ours: &mut ours::Publisher, parcel: &Parcel, newest: &SkillId) -> Result<f64, String> {
    ours.upload(parcel).await?;
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if !ours.list_after(Some(newest)).await?.is_empty() {
            return Ok(start.elapsed().as_secs_f64() * 1000.0);
        }
    }
    Err(format!("what was uploaded is in no list after {PATIENCE:?}"))
}

impl Measured {
    fn print(self, rounds: usize) {
        let method =
            "100 files, 1 MB: open, PUT, looks for the verdict; time on the processors, of all threads, in turn";
        let ratio = median(shares(&self.ours, &self.other));
        let row = |what: &str, figure, unit| Row::new("P11", what, figure, unit).method(method, rounds);
        row("publish: CPU, skillhub / skillhub-selfhost", ratio, Unit::Times).demands(Bound::AtMost(MAX_CPU)).print();
        row("publish: CPU, skillhub", median(self.ours), Unit::Millis).print();
        row("publish: CPU, skillhub-selfhost", median(self.other), Unit::Millis).print();
        let visible =
            Row::new("P11", "publish: PUT answered to visible in the list", median(self.visible), Unit::Millis);
        visible
            .demands(Bound::AtMost(MAX_VISIBLE))
            .method("the same package; the list asked again and again", rounds)
            .print();
    }
}
