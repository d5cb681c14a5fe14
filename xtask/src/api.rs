//! `cargo xtask api`: Schemathesis against a registry on this machine, by the OpenAPI document that it serves.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use clap::Args;

use crate::corpus::client::publish_all;
use crate::corpus::server::Server;
use crate::process::{cargo, line, root, run as run_command, target, wait};
use crate::tools;

/// How long Schemathesis may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// Options of a run.
#[derive(Args)]
pub(crate) struct Options {
    /// Chooses the requests; the same seed makes the same ones
    #[arg(long, default_value_t = 20_260_101)]
    seed: u64,
}

/// Runs it with the default seed.
///
/// # Errors
/// As [`run`].
pub(crate) fn check() -> Result<(), String> {
    run(&Options { seed: 20_260_101 })
}

/// Starts a registry with the example skills, and runs Schemathesis against it.
///
/// # Errors
/// If an answer is not what the document says.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    run_command(&mut cargo("build --quiet --package skillhub-local --package skillhub-cli"))?;
    let folder = fresh_folder()?;
    let server = Server::start(&folder.join("data"))?;
    publish_all(&server, &root().join("examples/skills"))?;
    println!("seed {}", options.seed);
    let tested = schemathesis(&server, options.seed);
    server.stop()?;
    tested
}

fn schemathesis(server: &Server, seed: u64) -> Result<(), String> {
    let mut command = tools::SCHEMATHESIS.command()?;
    command.args(["--config-file", "xtask/schemathesis.toml", "run", "--seed", &seed.to_string()]);
    command.arg(format!("{}/openapi.json", server.registry()));
    // The token is not among the arguments, which everybody on the machine can read.
    command.env("SKILLHUB_TOKEN", server.token()).stdin(Stdio::null());
    let mut child = command.spawn().map_err(|e| format!("{}: {e}", line(&command)))?;
    let ended = wait(&mut child, Instant::now() + PATIENCE);
    if ended.is_err() {
        // It runs no longer than this, whatever it does.
        let _ = child.kill().and_then(|()| child.wait());
    }
    match ended.map_err(|e| format!("schemathesis {e}"))? {
        status if status.success() => Ok(()),
        status => Err(format!("{}: {status}", line(&command))),
    }
}

/// An empty folder for the registry's data and log.
fn fresh_folder() -> Result<PathBuf, String> {
    let folder = target().join("api");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}
