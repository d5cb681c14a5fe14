//! Random histories: what the registry does with them must be what its model says.
#![expect(clippy::print_stdout, reason = "seeds and numbers, for who looks at the output")]

use std::time::Instant;

use skillhub_tests::model::{Broken, Tally, campaign, generate, shrink};

/// How many histories the ordinary run carries out, from which seed; `cargo xtask model` goes on from there.
const SCHEDULES: u64 = 300;
const SEED: u64 = 1;
/// How many at a time. They wait for time-outs more than for processors.
const PARALLEL: u64 = 6;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")))
}

fn tell(seed: u64, result: &Result<Tally, Broken>) {
    if let Err(broken) = result {
        println!("seed {seed}: {broken}");
    }
}

/// `SKILLHUB_MODEL_SEED`, `_SCHEDULES` and `_PARALLEL` choose others. `cargo xtask model` reads the line of numbers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn histories_are_explained_by_the_model() {
    let seed = number("SKILLHUB_MODEL_SEED").unwrap_or(SEED);
    let count = number("SKILLHUB_MODEL_SCHEDULES").unwrap_or(SCHEDULES);
    let parallel = number("SKILLHUB_MODEL_PARALLEL").unwrap_or(PARALLEL).max(1);
    println!("SKILLHUB_MODEL_SEED={seed} SKILLHUB_MODEL_SCHEDULES={count}");
    let started = Instant::now();
    let (tally, failed) = campaign(seed..seed + count, usize::try_from(parallel).unwrap_or(1), tell).await;
    println!("{}", serde_json::to_string(&tally).unwrap());
    println!("{:.0} s", started.elapsed().as_secs_f64());
    if let Some((seed, broken)) = failed {
        println!("looking for a shorter form of the history of seed {seed}");
        panic!("{}", shrink(generate(seed), broken).await);
    }
}
