//! `cargo xtask infra`: the template for AWS, read by those who know such templates, held against what the registry needs, and
//! deployed to an emulator where the whole path runs through it.

mod cloud;
mod costs;
mod demands;
mod emulator;
mod lint;
mod page;
mod path;
mod roles;
mod routes;
mod smoke;
mod stack;
mod templates;

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use self::cloud::Cloud;
use self::emulator::Emulator;
pub(crate) use self::smoke::{Options as SmokeOptions, run as smoke};
use self::templates::Templates;
use crate::package::{self, Build};
use crate::process::root;

/// Options of the command.
#[derive(Args)]
pub(crate) struct Options {
    /// Runs this part alone; may be given more than once
    #[arg(long, value_name = "PART", value_parser = PARTS.map(|part| part.name))]
    only: Vec<String>,
    /// Writes RESOURCES.md and the costs in README.md of infra/aws, instead of demanding that they are as they should be
    #[arg(long)]
    write: bool,
    /// Deploys debug builds: they are there sooner, and prove the same but for their size and speed
    #[arg(long)]
    debug: bool,
}

struct Part {
    name: &'static str,
    run: fn(&Options) -> Result<(), String>,
}

/// What fails fast comes first.
const PARTS: [Part; 5] = [
    Part { name: "lint", run: |_| lint::run() },
    Part { name: "demands", run: |_| demands::run(&Templates::read()?) },
    Part { name: "resources", run: |options| page::run(&Templates::read()?, options.write) },
    Part { name: "costs", run: |options| costs::run(options.write) },
    Part { name: "deploy", run: |options| deploy(if options.debug { Build::Debug } else { Build::Release }) },
];

/// Runs the parts that the options name, all of them if they name none.
///
/// # Errors
/// The first part that fails.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let chosen = |part: &&Part| options.only.is_empty() || options.only.iter().any(|name| name == part.name);
    PARTS.iter().filter(chosen).try_for_each(|part| {
        let start = Instant::now();
        (part.run)(options).map_err(|e| format!("{}: {e}", part.name))?;
        println!("{}: ok in {:.1} s", part.name, start.elapsed().as_secs_f64());
        Ok(())
    })
}

/// All parts, with the zips that are deployed.
///
/// # Errors
/// As [`run`].
pub(crate) fn check() -> Result<(), String> {
    run(&Options { only: Vec::new(), write: false, debug: false })
}

fn deploy(build: Build) -> Result<(), String> {
    let zips = package::zips(build)?;
    let emulator = Emulator::start()?;
    let (url, log) = (emulator.url().to_owned(), emulator.log());
    path::run(&Cloud::Emulator(emulator), &url, &zips).map_err(|e| format!("{e}\n{log}"))
}

/// Where the templates are.
fn folder() -> PathBuf {
    root().join("infra/aws")
}
