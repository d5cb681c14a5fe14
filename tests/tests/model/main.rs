//! Random histories: what the registry does with them must be what its model says.
#![expect(clippy::print_stdout, reason = "seeds and numbers, for who looks at the output")]

use std::time::Instant;

use skillhub_tests::model::{OPERATIONS, campaign, generate, shrink};

/// How many histories the ordinary run carries out, from which seed; `cargo xtask model` goes on from there.
const SCHEDULES: u64 = 24;
const SEED: u64 = 1;
/// How many at a time. They wait for time-outs more than for processors.
const PARALLEL: usize = 6;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// `SKILLHUB_MODEL_SEED` and `SKILLHUB_MODEL_SCHEDULES` choose others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn histories_are_explained_by_the_model() {
    let seed = number("SKILLHUB_MODEL_SEED").unwrap_or(SEED);
    let count = number("SKILLHUB_MODEL_SCHEDULES").unwrap_or(SCHEDULES);
    println!("SKILLHUB_MODEL_SEED={seed} SKILLHUB_MODEL_SCHEDULES={count}");
    let started = Instant::now();
    let (tally, failed) = campaign(seed..seed + count, PARALLEL, |_, _| {}).await;
    println!("{:?} in {:.0} s", tally.0, started.elapsed().as_secs_f64());
    if let Some((seed, broken)) = failed {
        panic!("{}", shrink(generate(seed, OPERATIONS), broken).await);
    }
}
