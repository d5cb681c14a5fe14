//! Servers and other programs that end when nobody needs them any more.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use skillhub_bench::await_idle;

use super::Stage;
use super::contents::FIRST;
use super::registries::Registry;
use crate::process::{Lines, line, wait};

/// How long a start may take.
const START: Duration = Duration::from_secs(120);
/// How long a server may be busy after its start.
const SETTLE: Duration = Duration::from_secs(60);
/// The time between two looks at whether a server answers.
const LOOK: Duration = Duration::from_millis(1);
/// How long one answer may take.
const ANSWER: Duration = Duration::from_secs(30);

/// A running registry. It is killed when this value is dropped.
pub(super) struct Server {
    pub(super) registry: Registry,
    /// From its start to the first right answer, in seconds.
    pub(super) start: f64,
    port: u16,
    child: Running,
}

/// A process that is killed when this value is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only if it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Server {
    /// Starts a registry and waits until it tells of its first package.
    ///
    /// # Errors
    /// If it ends or does not answer in time: where its log is.
    pub(super) fn start(stage: &Stage<'_>, registry: Registry) -> Result<Self, String> {
        let port = free_port()?;
        let log = stage.folder.join(format!("{}.log", registry.name()));
        let file = File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
        let errors = file.try_clone().map_err(|e| format!("{}: {e}", log.display()))?;
        let mut command = registry.command(stage, port)?;
        command.stdin(Stdio::null()).stdout(file).stderr(errors);
        let begin = Instant::now();
        let child = command.spawn().map_err(|e| format!("{}: {e}", line(&command)))?;
        let mut server = Self { registry, start: 0.0, port, child: Running(child) };
        server.await_answer(begin).map_err(|e| format!("{} {e}; its log is {}", registry.name(), log.display()))?;
        server.start = begin.elapsed().as_secs_f64();
        await_idle(server.pid(), SETTLE)?;
        Ok(server)
    }

    fn await_answer(&mut self, begin: Instant) -> Result<(), String> {
        let path = self.registry.by_name(FIRST);
        loop {
            match self.get(&path) {
                Ok(_) => return Ok(()),
                Err(error) if begin.elapsed() > START => return Err(format!("does not answer: {error}")),
                Err(_) => thread::sleep(LOOK),
            }
            if let Some(status) = self.child.0.try_wait().map_err(|e| e.to_string())? {
                return Err(format!("ended with {status}"));
            }
        }
    }

    /// Its process.
    pub(super) fn pid(&self) -> u32 {
        self.child.0.id()
    }

    /// Host and port.
    pub(super) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The answer to a GET of a path that begins with `/`.
    ///
    /// # Errors
    /// If there is none, or it is not a success.
    pub(super) fn get(&self, path: &str) -> Result<String, String> {
        let request = ureq::get(format!("http://{}{path}", self.address()));
        let answer = request.config().timeout_global(Some(ANSWER)).build().call();
        let mut answer = answer.map_err(|e| format!("GET {path}: {e}"))?;
        answer.body_mut().read_to_string().map_err(|e| format!("GET {path}: {e}"))
    }
}

/// A port that nobody listens on now.
fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|e| format!("no free port: {e}"))?;
    listener.local_addr().map(|address| address.port()).map_err(|e| format!("no free port: {e}"))
}

/// Runs a program to its end, which must come in time: what it printed, and how it ended.
pub(super) fn bounded(command: &mut Command, patience: Duration) -> (String, Result<(), String>) {
    let mut printed = String::new();
    let ended = print_into(&mut printed, command, Instant::now() + patience);
    (printed, ended.map_err(|e| format!("{}: {e}", line(command))))
}

fn print_into(printed: &mut String, command: &mut Command, deadline: Instant) -> Result<(), String> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = Running(child.map_err(|e| e.to_string())?);
    let lines = Lines::of(&mut child.0);
    while let Some(line) = lines.next(deadline)? {
        printed.push_str(&line);
        printed.push('\n');
    }
    match wait(&mut child.0, deadline)? {
        status if status.success() => Ok(()),
        status => Err(status.to_string()),
    }
}
