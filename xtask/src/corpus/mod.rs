//! `cargo xtask corpus`: real skills, which other people wrote, through the registry on this machine.

pub(crate) mod client;
mod crash;
mod fetch;
mod install;
mod listing;
mod refusals;
pub(crate) mod server;
mod verdicts;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use self::client::Verdict;
pub(crate) use self::client::{Batch, publish_all};
pub(crate) use self::fetch::{PACKS, Pack};
pub(crate) use self::server::Server;
use crate::process::{build_programs, target};

/// A pack of which every skill can be published.
pub(crate) const ARC: &Pack = &PACKS[0];

/// How many skills are installed and compared.
const INSTALLED: usize = 10;

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Downloads the packs of skills, unless they are there
    Fetch,
    /// Publishes the packs, lists and installs them, and once more with a crash in the middle
    Publish(Options),
    /// Both: fetch, then publish
    Check(Options),
    /// Runs the checks of `skillhub pack` over every skill of public packs, and writes what they say to docs/corpus.md
    Verdicts(verdicts::Options),
}

/// Options of a run.
#[derive(Args)]
pub(crate) struct Options {
    /// Repeats the choices of an earlier run, which printed this number
    #[arg(long)]
    seed: Option<u64>,
}

/// Runs one command.
///
/// # Errors
/// The first thing that is not as it should be.
pub(crate) fn run(task: &Task) -> Result<(), String> {
    match task {
        Task::Fetch => fetch::fetch(),
        Task::Publish(options) => publish(options.seed),
        Task::Check(options) => fetch::fetch().and_then(|()| publish(options.seed)),
        Task::Verdicts(options) => verdicts::run(options),
    }
}

/// Runs all of it; `docs/corpus.md` must be what the checks say now.
///
/// # Errors
/// As [`run`].
pub(crate) fn check() -> Result<(), String> {
    run(&Task::Check(Options { seed: None }))?;
    run(&Task::Verdicts(verdicts::Options { check: true }))
}

fn publish(seed: Option<u64>) -> Result<(), String> {
    let seed = seed.unwrap_or_else(seed_of_now);
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    build_programs()?;
    let folder = fresh_folder()?;
    let batches = undisturbed(&mut random, &folder)?;
    let (pack, batch) = batches.first().ok_or("there is no pack")?;
    let after = random.random_range(1..=pack.count / 2);
    crash::run(pack, batch, after, &folder.join("crash"))
}

/// Publishes all packs into one registry, and looks at what is in it.
fn undisturbed(random: &mut StdRng, folder: &Path) -> Result<Vec<(&'static Pack, Batch)>, String> {
    let server = Server::start(&folder.join("data"))?;
    let mut batches = Vec::new();
    for pack in &PACKS {
        batches.push((pack, client::publish_all(&server, &pack.skills())?));
    }
    refusals::print_table(&batches);
    batches.iter().try_for_each(|(pack, batch)| refusals::demand(pack, batch))?;
    let published = batches.iter().flat_map(|(_, batch)| &batch.skills).filter(|verdict| verdict.is_there());
    let published: Vec<&Verdict> = published.collect();
    listing::demand(&server, 7, &published)?;
    listing::demand(&server, 100, &published)?;
    let chosen: Vec<&Verdict> = published.sample(random, INSTALLED).copied().collect();
    install::demand(&server, &chosen, &folder.join("project"))?;
    server.stop()?;
    Ok(batches)
}

/// An empty folder for everything that a run makes. It stays until the next run, for a look at what went wrong.
fn fresh_folder() -> Result<PathBuf, String> {
    let folder = target().join("corpus/run");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

fn seed_of_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
