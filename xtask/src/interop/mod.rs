//! `cargo xtask interop`: other people's clients, as they are published, against a registry on this machine.
//!
//! What each client is told to do, and what must come of it, is data: one file of scenarios for each client. Every client gets a
//! registry of its own, every scenario folders of its own. What came of it is written to `docs/interop.md`.

mod answers;
mod clawhub;
mod client;
mod issuer;
mod mcp;
mod opencode;
mod outside;
mod page;
mod play;
mod sandbox;
mod scenario;
mod skills;
mod sources;
mod stage;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use clap::{Args, ValueEnum};

use self::client::{Client, Family};
use self::issuer::Issuer;
use self::outside::Outside;
use self::play::{Played, play};
use self::scenario::Scenario;
use self::stage::Stage;
use crate::process::{build_programs, root, target};

/// Where the results are kept, from the root of the workspace.
const PAGE: &str = "docs/interop.md";
/// How many clients run at a time. They reckon more than they wait, most of it when they start.
const AT_A_TIME: usize = 3;

/// Options of the command.
#[derive(Args)]
pub(crate) struct Options {
    /// Runs this kind of client alone, and writes no page
    #[arg(long)]
    client: Option<Family>,
    /// Runs the scenarios alone whose titles have this in them, and writes no page
    #[arg(long, value_name = "TEXT")]
    scenario: Option<String>,
    /// Writes nothing, and fails if docs/interop.md is not what this run gives
    #[arg(long, conflicts_with_all = ["client", "scenario"])]
    check: bool,
}

/// A kind of client, and what its versions made of its scenarios.
struct Told {
    family: Family,
    versions: Vec<&'static str>,
    scenarios: Vec<&'static Scenario>,
    played: Vec<Played>,
}

/// What all clients are played with.
struct Backstage {
    sources: PathBuf,
    issuer: Issuer,
    outside: Outside,
}

/// Runs the clients that the options name, and writes or checks the page if that is all of them.
///
/// # Errors
/// Everything that is not as it should be; a client that cannot be installed; if the page is to be checked and would change.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    build_programs()?;
    let backstage = Backstage::new()?;
    let families = Family::value_variants().iter().filter(|family| options.client.is_none_or(|only| only == **family));
    let mut told: Vec<Told> = families.map(|family| Told::nothing_yet(*family)).collect();
    if let Some(part) = &options.scenario {
        told.iter_mut().for_each(|told| told.scenarios.retain(|scenario| scenario.title.contains(part)));
    }
    play_all(&mut told, &backstage)?;
    let answers = answers::compare(&folder().join("answers"), &backstage)?;
    let faults = told.iter().flat_map(|told| &told.played).flat_map(|played| &played.faults).chain(&answers.faults);
    match faults.count() {
        0 => {}
        count => {
            return Err(format!("{count} faults, each told above; what the clients left is in {}", folder().display()));
        }
    }
    backstage.outside.demand_none()?;
    let is_whole = options.client.is_none() && options.scenario.is_none();
    if is_whole { keep(&page::render(&told, &answers), options.check) } else { Ok(()) }
}

/// Runs all, and writes `docs/interop.md`.
///
/// # Errors
/// As [`run`].
pub(crate) fn all() -> Result<(), String> {
    run(&Options { client: None, scenario: None, check: false })
}

/// Writes the page, or compares it with the one that is there.
fn keep(text: &str, check: bool) -> Result<(), String> {
    let path = root().join(PAGE);
    if !check {
        return fs::write(&path, text).map_err(|e| format!("{PAGE}: {e}"));
    }
    let kept = fs::read_to_string(&path).map_err(|e| format!("{PAGE}: {e}"))?;
    if kept == text { Ok(()) } else { Err(format!("{PAGE} is out of date: `cargo xtask interop` writes it again")) }
}

/// Where everything of a run is. It stays until the next one, for a look at what went wrong.
fn folder() -> PathBuf {
    target().join("interop")
}

impl Backstage {
    /// Makes the folder of the run, with the skills in it.
    fn new() -> Result<Self, String> {
        let folder = folder();
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let sources = folder.join("sources");
        sources::write(&sources)?;
        Ok(Self { sources, issuer: Issuer::start()?, outside: Outside::watch(&folder)? })
    }

    /// A registry of its own, below a folder.
    fn stage(&self, folder: &Path) -> Result<Stage, String> {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Stage::set(folder, &self.sources, &self.issuer)
    }
}

impl Told {
    /// The scenarios of a family.
    fn nothing_yet(family: Family) -> Self {
        let scenarios = match family {
            Family::Clawhub => clawhub::scenarios(),
            Family::Skills => skills::SCENARIOS.iter().collect(),
            Family::Opencode => opencode::SCENARIOS.iter().collect(),
            Family::Mcp => mcp::SCENARIOS.iter().collect(),
        };
        Self { family, versions: Vec::new(), scenarios, played: Vec::new() }
    }
}

/// Installs the clients, then plays the scenarios of each, some at a time.
fn play_all(told: &mut [Told], backstage: &Backstage) -> Result<(), String> {
    let mut clients: Vec<Vec<Client>> = Vec::new();
    for told in told.iter_mut() {
        let versions = told.family.clients()?;
        told.versions = versions.iter().map(|client| client.version).collect();
        clients.push(versions);
    }
    let jobs = told.iter().zip(&clients).filter(|(told, _)| !told.scenarios.is_empty()).flat_map(|(told, clients)| {
        clients.iter().enumerate().map(move |(version, client)| (client, version, told.scenarios.as_slice()))
    });
    let jobs = Mutex::new(jobs.enumerate().collect::<VecDeque<_>>());
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let job = locked(&jobs).pop_front();
                    let Some((number, (client, version, scenarios))) = job else { return };
                    let played = play_one((client, version), scenarios, backstage);
                    locked(&done).push((number, played));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    let mut done = done.into_iter().map(|(_, played)| played);
    for told in told.iter_mut().filter(|told| !told.scenarios.is_empty()) {
        told.played = done.by_ref().take(told.versions.len()).collect::<Result<_, _>>()?;
    }
    Ok(())
}

fn play_one(
    (client, version): (&Client, usize),
    scenarios: &[&Scenario],
    backstage: &Backstage,
) -> Result<Played, String> {
    let (title, start) = (client.title(), Instant::now());
    let folder = folder().join(title.replace(' ', "-"));
    let stage = backstage.stage(&folder)?;
    let played = play((client, version), scenarios, (&stage, &backstage.outside), &folder)?;
    stage.strike()?;
    println!("{title}: {} scenarios in {:.1} s", scenarios.len(), start.elapsed().as_secs_f64());
    Ok(played)
}

/// What a lock guards. Where a thread has panicked, the scope panics as well.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
