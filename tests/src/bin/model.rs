//! `model SEED COUNT PARALLEL`: carries out the histories of COUNT seeds from SEED on, PARALLEL at a time, and prints what was
//! counted as JSON. `cargo xtask model` builds and calls it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command that reports on the terminal")]

use std::process::ExitCode;

use skillhub_tests::model::{OPERATIONS, campaign, generate, shrink};

#[tokio::main]
async fn main() -> ExitCode {
    let numbers: Option<Vec<u64>> = std::env::args().skip(1).map(|text| text.parse().ok()).collect();
    let Some([seed, count, parallel]) = numbers.as_deref() else {
        eprintln!("usage: model SEED COUNT PARALLEL");
        return ExitCode::FAILURE;
    };
    let parallel = usize::try_from(*parallel).unwrap_or(1).max(1);
    let (tally, failed) = campaign(*seed..seed.saturating_add(*count), parallel, |_, _| {}).await;
    if let Some((seed, broken)) = failed {
        eprintln!("{}", shrink(generate(seed, OPERATIONS), broken).await);
        return ExitCode::FAILURE;
    }
    println!("{}", serde_json::to_string(&tally).unwrap_or_default());
    ExitCode::SUCCESS
}
