//! The registry on this machine, as a process of its own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::process::{Lines, run, target, wait};

/// How long a start may take, which makes a CA and publishes nothing.
const START: Duration = Duration::from_secs(60);
/// How long a clean end may take.
const STOP: Duration = Duration::from_secs(30);
/// What the server says when everything answers.
const READY: &str = "skillhub is running";

/// A running registry. It is killed when this value is dropped.
pub(crate) struct Server {
    child: Child,
    data: PathBuf,
    config: LocalConfig,
}

/// What the server leaves for its clients; the rest of the file is the client's business.
#[derive(Default, Deserialize)]
struct LocalConfig {
    registry: String,
    token: String,
}

impl Server {
    /// Starts a registry that keeps its data in `data`, on free ports, and waits until it is ready.
    ///
    /// # Errors
    /// If it ends or does not get ready in time: where its log is.
    pub(crate) fn start(data: &Path) -> Result<Self, String> {
        Self::start_with(data, &[])
    }

    /// The same, with more arguments.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub(crate) fn start_with(data: &Path, arguments: &[String]) -> Result<Self, String> {
        fs::create_dir_all(data).map_err(|e| format!("{}: {e}", data.display()))?;
        let log = data.with_extension("log");
        let stderr =
            File::options().create(true).append(true).open(&log).map_err(|e| format!("{}: {e}", log.display()))?;
        let mut command = Command::new(target().join("debug/skillhub-local"));
        command.args(["--port", "0", "--object-port", "0", "--data"]).arg(data).args(arguments);
        // The current folder holds no example skills, so the registry begins empty.
        command.current_dir(data).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr);
        let mut child = command.spawn().map_err(|e| format!("skillhub-local: {e}"))?;
        let ready = await_ready(&Lines::of(&mut child));
        let mut server = Self { child, data: data.to_owned(), config: LocalConfig::default() };
        ready.map_err(|e| format!("the server did not get ready: {e}; its log is {}", log.display()))?;
        server.config = read_config(data)?;
        Ok(server)
    }

    /// Where it keeps its data.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// Where its API is.
    pub(crate) fn registry(&self) -> &str {
        &self.config.registry
    }

    /// The administrator's token.
    pub(crate) fn token(&self) -> &str {
        &self.config.token
    }

    /// The answer to a plain GET of a path that begins with `/`.
    ///
    /// # Errors
    /// If there is none, or it is not a success.
    pub(crate) fn get(&self, path: &str) -> Result<String, String> {
        let answer = ureq::get(format!("{}{path}", self.registry())).call();
        let mut answer = answer.map_err(|e| format!("GET {path}: {e}"))?;
        answer.body_mut().read_to_string().map_err(|e| format!("GET {path}: {e}"))
    }

    /// Ends it as a power cut would.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn kill(mut self) -> Result<(), String> {
        self.child.kill().and_then(|()| self.child.wait()).map(drop).map_err(|e| format!("cannot kill the server: {e}"))
    }

    /// Ends it as a person would.
    ///
    /// # Errors
    /// If it does not end in time, or not with success.
    pub(crate) fn stop(mut self) -> Result<(), String> {
        run(Command::new("kill").args(["-TERM", &self.child.id().to_string()]))?;
        match wait(&mut self.child, Instant::now() + STOP).map_err(|e| format!("the server {e}"))? {
            status if status.success() => Ok(()),
            status => Err(format!("the server ended with {status}")),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn await_ready(lines: &Lines) -> Result<(), String> {
    let deadline = Instant::now() + START;
    while let Some(line) = lines.next(deadline)? {
        if line.starts_with(READY) {
            return Ok(());
        }
    }
    Err("it ended".to_owned())
}

fn read_config(data: &Path) -> Result<LocalConfig, String> {
    let path = data.join("local.json");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}
