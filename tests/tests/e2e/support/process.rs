//! Processes: the registry and the command.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::Http;

/// How long anything may take before a test gives up on it.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running registry with data of its own. Dropping it kills it.
pub(crate) struct Registry {
    child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
    data: TempDir,
    /// Every line that the process has written so far, as far as it was read.
    seen: Vec<String>,
}

impl Registry {
    /// Starts one on free ports, with new data.
    pub(crate) fn start() -> Self {
        Self::start_on(TempDir::new().unwrap(), &[])
    }

    /// Starts one that publishes the skills in `examples` at first.
    pub(crate) fn start_with_examples(examples: &Path) -> Self {
        Self::start_on(TempDir::new().unwrap(), &["--examples", examples.to_str().unwrap()])
    }

    /// Starts one that accepts JWTs of this issuer for this audience.
    pub(crate) fn start_with_issuer(url: &str, audience: &str) -> Self {
        Self::start_on(TempDir::new().unwrap(), &["--oidc-issuer", url, "--oidc-audience", audience])
    }

    fn start_on(data: TempDir, more: &[&str]) -> Self {
        let mut process = registry_process(data.path());
        let mut child = process.args(more).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdout, stderr) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        let mut registry = Self { child, stdout, stderr, data, seen: Vec::new() };
        registry.wait_until_ready();
        registry
    }

    fn wait_until_ready(&mut self) {
        loop {
            match self.stdout.recv_timeout(PATIENCE) {
                Ok(line) if line.contains("skillhub-cli -- publish") => return self.seen.push(line),
                Ok(line) => self.seen.push(line),
                Err(_) => panic!("the registry did not start: {:?}", self.output()),
            }
        }
    }

    /// Waits for a line of the log that contains `text`, and gives it.
    pub(crate) fn wait_for_log(&mut self, text: &str) -> String {
        loop {
            let line = self.stderr.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no line with {text:?} came"));
            self.seen.push(line.clone());
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Ends the process as a crash would, and starts another on the same data.
    pub(crate) fn crash_and_restart(mut self) -> Self {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let data = std::mem::replace(&mut self.data, TempDir::new().unwrap());
        let mut seen = self.output();
        drop(self);
        let mut next = Self::start_on(data, &[]);
        seen.append(&mut next.seen);
        next.seen = seen;
        next
    }

    /// Asks it to stop, as Ctrl-C does, and gives its exit code and everything that it has written.
    #[cfg(unix)]
    pub(crate) fn interrupt(mut self) -> (Option<i32>, Vec<String>) {
        let status = Process::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
        let status = self.child.wait().unwrap();
        (status.code(), self.output())
    }

    /// Everything that the process has written. Complete once it has ended.
    pub(crate) fn output(&mut self) -> Vec<String> {
        self.seen.extend(self.stdout.try_iter());
        if self.child.try_wait().unwrap().is_some() {
            self.seen.extend(self.stdout.iter());
            self.seen.extend(self.stderr.iter());
        } else {
            self.seen.extend(self.stderr.try_iter());
        }
        self.seen.clone()
    }

    /// Where its data is.
    pub(crate) fn data(&self) -> &Path {
        self.data.path()
    }

    /// What it tells clients in `local.json`.
    pub(crate) fn local_json(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.data().join("local.json")).unwrap()).unwrap()
    }

    /// Where the object store is, as the start has printed it.
    pub(crate) fn object_endpoint(&self) -> String {
        let line = self.seen.iter().find(|line| line.contains("objects  https://")).unwrap();
        line.split_whitespace().nth(1).unwrap().to_owned()
    }

    /// The administrator's token.
    pub(crate) fn token(&self) -> String {
        self.local_json()["token"].as_str().unwrap().to_owned()
    }

    /// A client with the administrator's token.
    pub(crate) fn http(&self) -> Http {
        Http::new(self, Some(self.token()))
    }

    /// A client without a token.
    pub(crate) fn anonymous(&self) -> Http {
        Http::new(self, None)
    }

    /// The command in a project of its own.
    pub(crate) fn command(&self) -> Command {
        Command { project: TempDir::new().unwrap(), local: self.data().to_owned() }
    }

    /// Another process on the same data.
    pub(crate) fn second_instance(&self) -> Run {
        run(registry_process(self.data()))
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn registry_process(data: &Path) -> Process {
    let mut process = Process::new(env!("CARGO_BIN_EXE_e2e-registry"));
    process.arg("--data").arg(data).args(["--port", "0", "--object-port", "0", "--log", "debug"]);
    process.stdin(Stdio::null());
    process
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The `skillhub` command, run in a project directory of its own.
pub(crate) struct Command {
    project: TempDir,
    local: PathBuf,
}

/// What a process has done.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code.
    pub(crate) code: Option<i32>,
    /// What it wrote to standard output.
    pub(crate) stdout: String,
    /// What it wrote to standard error.
    pub(crate) stderr: String,
}

impl Command {
    /// Where it runs.
    pub(crate) fn project(&self) -> &Path {
        self.project.path()
    }

    fn process(&self, args: &[&str]) -> Process {
        let mut process = self.remote_process(args);
        process.arg(format!("--local={}", self.local.display()));
        process
    }

    /// The same without the configuration of the registry on this machine.
    fn remote_process(&self, args: &[&str]) -> Process {
        let mut process = Process::new(env!("CARGO_BIN_EXE_e2e-command"));
        process.args(args);
        process.current_dir(self.project.path()).stdin(Stdio::null());
        process.env("SKILLHUB_CONFIG_DIR", self.project.path().join("config"));
        process.env("SKILLHUB_CACHE_DIR", self.project.path().join("cache"));
        process
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        run(self.process(args))
    }

    /// Runs it to its end, for a registry that the arguments name or that it has signed in to.
    pub(crate) fn run_remote(&self, args: &[&str]) -> Run {
        run(self.remote_process(args))
    }

    /// Starts it and does not wait.
    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        let output = File::create(self.project.path().join("spawned.log")).unwrap();
        self.process(args).stdout(output.try_clone().unwrap()).stderr(output).spawn().unwrap()
    }
}

fn run(mut process: Process) -> Run {
    let output = process.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}
