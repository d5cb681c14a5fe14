//! Random histories: what the registry does with them must be what its model says.

use skillhub_tests::model::{generate, run};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn histories() {
    let seed: u64 = std::env::var("SKILLHUB_MODEL_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let count: u64 = std::env::var("SKILLHUB_MODEL_SCHEDULES").ok().and_then(|s| s.parse().ok()).unwrap_or(20);
    for seed in seed..seed + count {
        let mut schedule = generate(seed, 40);
        if std::env::var("NOFAULTS").is_ok() { schedule.one_in = None; }
        let started = std::time::Instant::now();
        match run(&schedule).await {
            Ok(tally) => println!("{seed} ok {:?} {:?}", started.elapsed(), tally),
            Err(broken) => { println!("{seed} BROKEN {broken}"); if std::env::var("STOP").is_ok() { println!("{schedule}"); break; } }
        }
    }
}
