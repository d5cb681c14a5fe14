//! The `skillhub` program, and what it says.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;
use skillhub_protocol::{Finding, SkillId, VersionId};

use super::server::Server;
use crate::process::{Lines, target, wait};

/// How long one run may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// What `skillhub publish --all --json` prints.
#[derive(Deserialize)]
pub(crate) struct Batch {
    /// One verdict for each folder with a skill.
    pub(crate) skills: Vec<Verdict>,
}

/// What became of one skill.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Verdict {
    /// Its folder.
    pub(crate) source: PathBuf,
    pub(crate) outcome: Outcome,
    /// `@namespace/slug@version`, if it is published.
    pub(crate) coordinate: Option<String>,
    pub(crate) skill_id: Option<SkillId>,
    pub(crate) version_id: Option<VersionId>,
    pub(crate) error: Option<Failure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Published,
    AlreadyPublished,
    Duplicate,
    Failed,
}

/// Why a skill was not published.
#[derive(Deserialize)]
pub(crate) struct Failure {
    pub(crate) code: String,
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) findings: Vec<Finding>,
}

impl Verdict {
    /// Whether the registry has the skill now.
    pub(crate) fn is_there(&self) -> bool {
        matches!(self.outcome, Outcome::Published | Outcome::AlreadyPublished)
    }
}

/// Publishes every skill of a folder.
///
/// # Errors
/// If the program does not print a verdict for each skill.
pub(crate) fn publish_all(server: &Server, folder: &Path) -> Result<Batch, String> {
    let mut command = skillhub(server, "publish")?;
    let text = finish(command.arg("--all").arg(folder).args(["--json", "--quiet"]))?.1;
    serde_json::from_str(&text).map_err(|e| format!("skillhub publish --all --json printed no verdicts: {e}\n{text}"))
}

/// Begins to publish every skill of a folder; each line tells of one verdict.
///
/// # Errors
/// If the program cannot start.
pub(crate) fn start_publish_all(server: &Server, folder: &Path) -> Result<(Child, Lines), String> {
    start(skillhub(server, "publish")?.arg("--all").arg(folder).arg("--quiet"))
}

/// Installs skills into folders below `folder`.
///
/// # Errors
/// If one of them cannot be installed.
pub(crate) fn install(server: &Server, coordinates: &[&str], folder: &Path) -> Result<(), String> {
    let mut command = skillhub(server, "install")?;
    match finish(command.args(coordinates).arg("--dir").arg(folder))? {
        (true, _) => Ok(()),
        (false, text) => {
            Err(format!("skillhub install failed:\n{text}\nits messages are in {}", log(server).display()))
        }
    }
}

/// The program with a home folder of its own, so that nobody's configuration matters; its messages go to a log.
fn skillhub(server: &Server, command: &str) -> Result<Command, String> {
    let log = log(server);
    let stderr = File::options().create(true).append(true).open(&log).map_err(|e| format!("{}: {e}", log.display()))?;
    let mut skillhub = Command::new(target().join("debug/skillhub"));
    skillhub.env_clear().env("HOME", server.data()).stdin(Stdio::null()).stderr(stderr);
    skillhub.arg(command).arg(format!("--local={}", server.data().display()));
    Ok(skillhub)
}

fn log(server: &Server) -> PathBuf {
    server.data().with_extension("client.log")
}

fn start(command: &mut Command) -> Result<(Child, Lines), String> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| format!("skillhub: {e}"))?;
    let lines = Lines::of(&mut child);
    Ok((child, lines))
}

/// Runs a command to its end: whether it succeeded, and its output.
fn finish(command: &mut Command) -> Result<(bool, String), String> {
    let (mut child, lines) = start(command)?;
    let ended = drain(&mut child, &lines);
    if ended.is_err() {
        // It runs no longer than this, whatever it does.
        let _ = child.kill();
    }
    ended.map_err(|e| format!("skillhub {e}"))
}

/// Reads the rest of the output and waits for the end.
///
/// # Errors
/// If that takes too long.
pub(crate) fn drain(child: &mut Child, lines: &Lines) -> Result<(bool, String), String> {
    let deadline = Instant::now() + PATIENCE;
    let mut text = String::new();
    while let Some(line) = lines.next(deadline)? {
        text.push_str(&line);
        text.push('\n');
    }
    Ok((wait(child, deadline)?.success(), text))
}
