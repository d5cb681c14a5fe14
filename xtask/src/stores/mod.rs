//! `cargo xtask stores`: what the registry needs of its stores, probed on three of them.
//!
//! The probes and the differences that are known are in `tests/tests/stores`; this starts servers, runs the probes against
//! them, and writes what they show to `docs/stores.md`.

mod page;
pub(crate) mod server;

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde::Deserialize;

use self::server::{Running, ministack, seaweedfs};
use crate::process::{cargo, root, run as run_command, target};

/// Where the results are kept, from the root of the workspace.
const PAGE: &str = "docs/stores.md";

/// Options of the command.
#[derive(Args)]
pub(crate) struct Options {
    /// Probes this one alone, and writes no page
    #[arg(long)]
    server: Option<Server>,
    /// Writes nothing, and fails if docs/stores.md is not what this run gives
    #[arg(long, conflicts_with = "server")]
    check: bool,
}

/// What can be probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Server {
    /// The stores of local mode
    Embedded,
    /// SeaweedFS, for S3
    Seaweedfs,
    /// MiniStack, for S3 and DynamoDB
    Ministack,
}

/// What a run of the probes leaves.
#[derive(Deserialize)]
struct Results {
    probes: Vec<Row>,
}

/// One probe.
#[derive(Deserialize)]
struct Row {
    store: String,
    probe: String,
    /// The behaviour.
    states: String,
    outcome: Outcome,
    /// What was seen instead of it.
    seen: Option<String>,
    /// What that means for an operator.
    means: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Holds,
    Differs,
    DoesNotApply,
}

impl Server {
    /// Its name in the list of differences.
    fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Seaweedfs => "seaweedfs",
            Self::Ministack => "ministack",
        }
    }

    /// Starts it; nothing is needed for the embedded stores, which the probes start themselves.
    fn start(self) -> Result<Option<Running>, String> {
        match self {
            Self::Embedded => Ok(None),
            Self::Seaweedfs => seaweedfs().map(Some),
            Self::Ministack => ministack().map(Some),
        }
    }
}

/// Probes the servers that the options name, and writes or checks the page if that is all of them.
///
/// # Errors
/// If a server does not start, or behaves in another way than the list of differences says; if the page is to be checked and
/// would change.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    if let Some(server) = options.server {
        return probe(server).map(drop);
    }
    let results = Server::value_variants().iter().map(|server| probe(*server)).collect::<Result<Vec<_>, _>>()?;
    let text = page::render(&results)?;
    let path = root().join(PAGE);
    if !options.check {
        return fs::write(&path, text).map_err(|e| format!("{PAGE}: {e}"));
    }
    let kept = fs::read_to_string(&path).map_err(|e| format!("{PAGE}: {e}"))?;
    if kept == text { Ok(()) } else { Err(format!("{PAGE} is out of date: `cargo xtask stores` writes it again")) }
}

/// Probes all; `docs/stores.md` must be what they show.
///
/// # Errors
/// As [`run`].
pub(crate) fn check() -> Result<(), String> {
    run(&Options { server: None, check: true })
}

/// Runs the probes against one server. It is ended whatever they say.
fn probe(server: Server) -> Result<Results, String> {
    let start = Instant::now();
    let running = server.start()?;
    let ready = start.elapsed();
    let file = results_file(server)?;
    // The packages of a whole test run, so that nothing that it has built is built again.
    let mut tests = cargo("test --quiet --workspace --test stores -- --nocapture");
    tests.env("SKILLHUB_STORES_RESULTS", &file).env("SKILLHUB_STORES_SERVER", server.name());
    running.iter().for_each(|running| running.tell(&mut tests));
    let probed = run_command(&mut tests);
    probed.map_err(|e| running.as_ref().map_or_else(|| e.clone(), |running| format!("{e}\n{}", running.log())))?;
    drop(running);
    let [ready, probed] = [ready, start.elapsed() - ready].map(|time| time.as_secs_f64());
    println!("{}: ready in {ready:.1} s, probed in {probed:.1} s", server.name());
    let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))
}

/// A file for the results that does not exist.
fn results_file(server: Server) -> Result<PathBuf, String> {
    let folder = target().join("stores");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let file = folder.join(server.name()).with_extension("json");
    match fs::remove_file(&file) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(format!("{}: {e}", file.display())),
        _ => Ok(file),
    }
}
