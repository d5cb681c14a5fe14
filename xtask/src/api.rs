//! `cargo xtask api`: Schemathesis against a registry on this machine, by the OpenAPI document that it serves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;

use crate::corpus::client::{Batch, publish_all};
use crate::corpus::server::Server;
use crate::process::{build_programs, line, root, target, wait};
use crate::tools;

/// How long Schemathesis may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// Options of a run.
#[derive(Args)]
pub(crate) struct Options {
    /// Makes other requests than the seed of xtask/schemathesis.toml does
    #[arg(long)]
    seed: Option<u64>,
}

/// Runs it with the seed of its configuration.
///
/// # Errors
/// As [`run`].
pub(crate) fn check() -> Result<(), String> {
    run(&Options { seed: None })
}

/// Starts a registry with the example skills, and runs Schemathesis against it.
///
/// # Errors
/// If an answer is not what the document says.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    build_programs()?;
    let folder = fresh_folder()?;
    let server = Server::start(&folder.join("data"))?;
    let published = publish_all(&server, &root().join("examples/skills"))?;
    let config = folder.join("schemathesis.toml");
    let tested = write_config(&config, &published).and_then(|()| {
        let command = &mut schemathesis(&server, &config, options.seed)?;
        run_bounded(command)
    });
    server.stop()?;
    tested
}

/// The configuration, with ids of this registry.
fn write_config(to: &Path, published: &Batch) -> Result<(), String> {
    let from = root().join("xtask/schemathesis.toml");
    let mut text = fs::read_to_string(&from).map_err(|e| format!("{}: {e}", from.display()))?;
    for (place, name) in [("HELLO", "hello-skill"), ("VICTIM", "sql-review")] {
        let verdict = published.skills.iter().find(|verdict| verdict.source.ends_with(name));
        let ids = verdict.and_then(|verdict| verdict.skill_id.as_ref().zip(verdict.version_id.as_ref()));
        let (skill, version) = ids.ok_or_else(|| format!("the example {name} was not published"))?;
        text = text.replace(&format!("{place}_SKILL"), skill.as_str());
        text = text.replace(&format!("{place}_VERSION"), version.as_str());
    }
    fs::write(to, text).map_err(|e| format!("{}: {e}", to.display()))
}

/// Schemathesis, which prints its seed at the end.
fn schemathesis(server: &Server, config: &Path, seed: Option<u64>) -> Result<Command, String> {
    let mut command = tools::SCHEMATHESIS.command()?;
    command.arg("--config-file").arg(config).arg("run");
    if let Some(seed) = seed {
        command.arg(format!("--seed={seed}"));
    }
    command.arg(format!("{}/openapi.json", server.registry()));
    // The token is not among the arguments, which everybody on the machine can read.
    command.env("SKILLHUB_TOKEN", server.token());
    Ok(command)
}

/// Runs a command to its end, or until it takes too long.
fn run_bounded(command: &mut Command) -> Result<(), String> {
    let mut child = command.stdin(Stdio::null()).spawn().map_err(|e| format!("{}: {e}", line(command)))?;
    let ended = wait(&mut child, Instant::now() + PATIENCE);
    if ended.is_err() {
        let _ = child.kill().and_then(|()| child.wait());
    }
    match ended.map_err(|e| format!("{}: {e}", line(command)))? {
        status if status.success() => Ok(()),
        status => Err(format!("{}: {status}", line(command))),
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
