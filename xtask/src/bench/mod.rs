//! `cargo xtask bench`: what things cost, as ratios within one run, held against targets and kept in `bench/`.

mod chart;
mod cli;
mod cold;
mod local;
mod page;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Subcommand;
use serde::Deserialize;
use skillhub_bench::Report;

use crate::process::{capture, cargo, line, root, run as run_command};
use crate::tools;

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Everything below, one after the other
    All,
    /// The validation of a full package, and the refusal of hostile ones
    Package,
    /// Requests to the functions: their calls of the stores, their time beside bare calls, their instructions
    Handlers,
    /// Reading, as the catalogue grows
    List,
    /// The command as a cold process, beside other clients; needs hyperfine
    Cli,
    /// The start of every function, built as it is deployed, beside the smallest function of its kind
    Cold,
    /// The registry on this machine under load, beside other registries
    Local(local::Options),
    /// What a million operations cost on AWS, from what they have asked of the stores
    Cost,
}

/// Measures, keeps the figures, and prints those that miss their target.
///
/// # Errors
/// If something cannot be measured, or a target is missed.
pub(crate) fn run(task: &Task) -> Result<(), String> {
    let mut report = page::read()?;
    let mut measured = Report::default();
    let done = measure(task, &mut measured);
    let missed: Vec<_> = measured.missed().map(page::sentence).collect();
    // What was measured before a failure counts.
    report.merge(measured);
    page::write_all(&mut report)?;
    done?;
    if missed.is_empty() { Ok(()) } else { Err(format!("targets missed:\n  {}", missed.join("\n  "))) }
}

fn measure(task: &Task, report: &mut Report) -> Result<(), String> {
    match task {
        Task::All => {
            let local = Task::Local(local::Options::default());
            let all = [Task::Package, Task::Handlers, Task::List, local, Task::Cli, Task::Cold, Task::Cost];
            all.iter().try_for_each(|task| measure(task, report))
        }
        Task::Package => program("package", &[], report),
        Task::Handlers => program("handlers", &[], report),
        Task::List => program("list", &[], report),
        Task::Cost => program("cost", &[], report),
        Task::Local(options) => local::run(report, options),
        Task::Cli => cli::run(report),
        Task::Cold => cold::run(report),
    }
}

/// What must hold at every change: counts, and ratios with slack. What can be told in the build of the tests is, since what grows
/// there grows elsewhere as well; the reader of packages is small enough to be built for speed, and the functions are built as
/// they are deployed.
///
/// # Errors
/// If it does not.
pub(crate) fn gate() -> Result<(), String> {
    tools::need("valgrind", &["--version"], "valgrind")?;
    run_command(&mut cargo("bench --quiet --profile measure --package skillhub-package --bench package"))?;
    run_command(&mut cargo("test --quiet --workspace --bench handlers -- --check"))?;
    run_command(&mut cargo("test --quiet --workspace --bench list -- --quick"))?;
    run_command(&mut cargo("test --quiet --workspace --bench cost -- --check"))?;
    cold::gate()
}

/// Builds and runs one measurement, and takes over what it prints.
fn program(name: &str, arguments: &[&str], report: &mut Report) -> Result<(), String> {
    let mut command = Command::new(programs()?.path(name)?);
    let printed = capture(command.args(arguments).current_dir(root()))?;
    report.take(&printed).iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// The programs that measure and those that are measured, all of one build, so that what they share is built once.
struct Programs(BTreeMap<String, PathBuf>);

/// Builds them.
///
/// # Errors
/// If the build fails.
fn programs() -> Result<Programs, String> {
    build("--profile measure --bins --bench *", &["bench", "package", "local", "cli"])
}

/// The same, but with the registry on this machine as its users build it: optimized as a whole, which takes minutes more.
///
/// # Errors
/// If a build fails.
fn programs_and_release() -> Result<Programs, String> {
    let mut programs = programs()?;
    programs.0.extend(build("--release --bins", &["local"])?.0);
    Ok(programs)
}

fn build(arguments: &str, packages: &[&str]) -> Result<Programs, String> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
        target: Option<Target>,
    }
    #[derive(Deserialize)]
    struct Target {
        name: String,
    }
    let mut build = cargo(&format!("build --quiet {arguments} --message-format json-render-diagnostics"));
    for package in packages {
        build.arg("--package").arg(format!("skillhub-{package}"));
    }
    let messages = build.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let messages = messages.map_err(|e| format!("{}: {e}", line(&build)))?;
    if !messages.status.success() {
        return Err(format!("{}: {}", line(&build), messages.status));
    }
    let built = messages.stdout.split(|byte| *byte == b'\n').filter_map(|line| {
        let message: Message = serde_json::from_slice(line).ok()?;
        Some((message.target?.name, message.executable?))
    });
    Ok(Programs(built.collect()))
}

impl Programs {
    /// Where one is.
    ///
    /// # Errors
    /// If there is none of that name.
    fn path(&self, name: &str) -> Result<&PathBuf, String> {
        self.0.get(name).ok_or_else(|| format!("no program `{name}` was built; there are {:?}", self.0.keys()))
    }
}

/// A file below `bench/`.
fn kept(name: &str) -> PathBuf {
    root().join("bench").join(name)
}

fn write(name: &str, text: &str) -> Result<(), String> {
    fs::write(kept(name), text).map_err(|e| format!("bench/{name}: {e}"))
}
