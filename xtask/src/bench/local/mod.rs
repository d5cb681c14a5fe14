//! `cargo xtask bench local`: the registry on this machine under load, beside other registries with the same packages.
//!
//! The programs `fill`, `load` and `packs` of skillhub-bench do the work; what is here starts and ends servers.

mod contents;
mod plans;
mod registries;
mod server;
mod starts;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clap::{Args, ValueEnum};
use skillhub_bench::Report;

use self::registries::Registry;
use self::server::{Server, bounded};
use super::Programs;
use crate::corpus;
use crate::process::target;

/// How long the load on several registries may take, and a run over all real skills.
const PATIENCE: Duration = Duration::from_secs(3600);

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Requests each second, beside three other registries
    P9,
    /// A start, and memory when nothing is asked, beside verdaccio
    P10,
    /// A publish of 100 files, beside skillhub-selfhost
    P11,
    /// Readers beside a publisher, for minutes
    Mixed,
    /// The validation of real skills
    Packs,
}

/// Options of a run.
#[derive(Args)]
pub(crate) struct Options {
    /// One part alone
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// How many skills every registry has
    #[arg(long, default_value_t = 10_000)]
    skills: usize,
    /// How long readers and a publisher go on, after as long a time for warming up
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// How often the registries take their turn
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// How long each turn of a registry under load takes
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// What the packages and the choices are made from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A folder with the programs, which are not built then
    #[arg(long, hide = true)]
    programs: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        let (skills, minutes, rounds, seconds, seed) = (10_000, 10.0, 15, 2.0, 1);
        Self { only: None, skills, minutes, rounds, seconds, seed, programs: None }
    }
}

/// What every part needs.
struct Stage<'a> {
    options: &'a Options,
    programs: Programs,
    /// For everything that a run makes. It stays until the next one, for a look at what went wrong.
    folder: PathBuf,
}

/// Measures, and takes the figures over.
///
/// # Errors
/// If a program or a registry cannot be had or started, or an answer is wrong.
pub(super) fn run(report: &mut Report, options: &Options) -> Result<(), String> {
    println!("seed {}", options.seed);
    let wants = |part| options.only.is_none_or(|only| only == part);
    let stage = Stage::new(options)?;
    if wants(Part::Packs) {
        stage.packs(report)?;
    }
    // A first start is of the very skills that all the registries have, so it comes before what is published.
    let parts = [Part::P10, Part::P9, Part::P11, Part::Mixed].into_iter().filter(|part| wants(*part));
    let mut filled = Vec::new();
    for part in parts {
        for registry in registries_of(part) {
            if !filled.contains(registry) {
                contents::fill(&stage, *registry)?;
                filled.push(*registry);
            }
        }
        match part {
            Part::P10 => report.merge(starts::measure(&stage)?),
            _ => stage.under_load(part, report)?,
        }
    }
    Ok(())
}

/// The registries that take part; ours first.
fn registries_of(part: Part) -> &'static [Registry] {
    match part {
        Part::P9 => &[Registry::Skillhub, Registry::Verdaccio, Registry::Pypiserver, Registry::Selfhost],
        Part::P10 => &[Registry::Skillhub, Registry::Verdaccio],
        Part::P11 => &[Registry::Skillhub, Registry::Selfhost],
        Part::Mixed => &[Registry::Skillhub],
        Part::Packs => &[],
    }
}

impl<'a> Stage<'a> {
    fn new(options: &'a Options) -> Result<Self, String> {
        let programs = match &options.programs {
            Some(folder) => {
                let names = ["fill", "load", "packs", "skillhub-local", "skillhub"];
                Programs(names.map(|name| (name.to_owned(), folder.join(name))).into())
            }
            None => super::programs_and_release()?,
        };
        let folder = target().join("bench/local");
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Self { options, programs, folder })
    }

    fn program(&self, name: &str) -> Result<Command, String> {
        self.programs.path(name).map(Command::new)
    }

    /// Where a registry keeps its data.
    fn home(&self, registry: Registry) -> PathBuf {
        self.folder.join(registry.name())
    }

    /// The packages of all registries, a line of JSON each.
    fn packages(&self) -> PathBuf {
        self.folder.join("packages.jsonl")
    }

    fn packs(&self, report: &mut Report) -> Result<(), String> {
        let mut packs = self.program("packs")?;
        for pack in &corpus::PACKS {
            pack.fetch()?;
            packs.arg(format!("{}={}", pack.name, pack.skills().display()));
        }
        take(report, &mut packs, PATIENCE)
    }

    /// Starts the registries of a part and puts load on them.
    fn under_load(&self, part: Part, report: &mut Report) -> Result<(), String> {
        let servers = registries_of(part).iter().map(|registry| Server::start(self, *registry));
        let servers = servers.collect::<Result<Vec<_>, _>>()?;
        let minutes =
            Duration::try_from_secs_f64(self.options.minutes * 60.0).map_err(|e| format!("--minutes: {e}"))?;
        let (what, plan, patience) = match part {
            Part::P9 => ("peers", plans::peers(self, &servers)?, PATIENCE),
            Part::P11 => ("publish", plans::publish(self, &servers)?, PATIENCE),
            _ => ("mixed", plans::mixed(self, &servers)?, 2 * minutes + PATIENCE),
        };
        let file = self.folder.join(format!("{what}.json"));
        fs::write(&file, plan.to_string()).map_err(|e| format!("{}: {e}", file.display()))?;
        take(report, self.program("load")?.arg(what).arg(&file), patience)
    }
}

/// Runs a program that measures; what it has printed before a failure counts.
fn take(report: &mut Report, command: &mut Command, patience: Duration) -> Result<(), String> {
    let (printed, ended) = bounded(command, patience);
    report.take(&printed).iter().for_each(|line| println!("{line}"));
    ended
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}
