//! `cargo xtask test`: what a change must pass.

use std::time::{Duration, Instant};

use clap::Args;

use crate::process::{cargo, run as run_command};
use crate::{api, bench, clients, corpus, infra, interop, stores, tools};

/// Options of the command.
#[derive(Args)]
pub(crate) struct Options {
    /// Runs this stage alone; may be given more than once
    #[arg(long, value_name = "STAGE", value_parser = STAGES.map(|stage| stage.name))]
    only: Vec<String>,
    /// Runs the stages after one that failed as well
    #[arg(long)]
    keep_going: bool,
    /// Lists the stages and runs none
    #[arg(long)]
    list: bool,
}

#[derive(Clone, Copy)]
struct Stage {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<(), String>,
}

/// In the order in which they run: what fails fast comes first, and each build serves the stages after it.
const STAGES: [Stage; 12] = [
    Stage { name: "fmt", about: "the source is formatted", run: fmt },
    Stage { name: "clippy", about: "no compiler or clippy warning in any target", run: clippy },
    Stage { name: "deny", about: "dependencies: bans, licenses, sources", run: deny },
    Stage { name: "docs", about: "the documentation builds without a warning", run: docs },
    Stage { name: "tests", about: "every test of the workspace", run: tests },
    Stage { name: "bench", about: "counts of calls and instructions, sizes, ratios with slack", run: bench::gate },
    Stage { name: "stores", about: "the stores behave as docs/stores.md says", run: stores::check },
    Stage { name: "infra", about: "the template for AWS", run: infra::check },
    Stage { name: "api", about: "what the API answers is what its OpenAPI document says", run: api::check },
    Stage { name: "clients", about: "other clients of the same folders, and ours", run: clients::run },
    Stage { name: "interop", about: "clients of other registries and agents, and this registry", run: interop::all },
    Stage { name: "corpus", about: "real skills through the registry on this machine", run: corpus::check },
];

fn fmt() -> Result<(), String> {
    run_command(&mut cargo("fmt --all --check"))
}

fn clippy() -> Result<(), String> {
    run_command(&mut cargo("clippy --workspace --all-targets -- -D warnings"))
}

fn deny() -> Result<(), String> {
    // It looks at the dependencies of every platform, and a build fetches those of its own.
    run_command(&mut cargo("fetch --locked"))?;
    run_command(tools::CARGO_DENY.command()?.args(["--offline", "check", "bans", "licenses", "sources"]))
}

fn docs() -> Result<(), String> {
    run_command(cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))
}

fn tests() -> Result<(), String> {
    run_command(&mut cargo("test --workspace --no-fail-fast"))
}

/// Runs the stages that the options name, all of them if they name none.
///
/// # Errors
/// The stages that failed, each with the command that runs it alone: the first one, unless the options say to keep going.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    if options.list {
        STAGES.iter().for_each(|stage| println!("{:10}{}", stage.name, stage.about));
        return Ok(());
    }
    let chosen = |stage: &&Stage| options.only.is_empty() || options.only.iter().any(|name| name == stage.name);
    let (mut times, mut failures) = (Vec::new(), Vec::new());
    for stage in STAGES.iter().filter(chosen) {
        failures.extend(run_stage(stage, &mut times).err());
        if !failures.is_empty() && !options.keep_going {
            break;
        }
    }
    print_times(&times);
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

fn run_stage(stage: &Stage, times: &mut Vec<(&'static str, Duration)>) -> Result<(), String> {
    println!("\n==== {}: {}", stage.name, stage.about);
    let start = Instant::now();
    let done = (stage.run)();
    let time = start.elapsed();
    println!("==== {}: {} in {:.1} s", stage.name, if done.is_ok() { "ok" } else { "FAILED" }, time.as_secs_f64());
    times.push((stage.name, time));
    done.map_err(|e| format!("stage {0} failed: {e}\nrun it alone with: cargo xtask test --only {0}", stage.name))
}

fn print_times(times: &[(&str, Duration)]) {
    println!();
    for (name, time) in times {
        println!("{name:10}{:>8.1} s", time.as_secs_f64());
    }
    let total: Duration = times.iter().map(|(_, time)| time).sum();
    println!("{:10}{:>8.1} s", "total", total.as_secs_f64());
}
