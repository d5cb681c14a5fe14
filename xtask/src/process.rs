//! Running other programs, and where things are.

use std::env;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// Where cargo builds, and where everything that a command makes goes.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// `cargo` with arguments, in the root of the workspace.
pub(crate) fn cargo(arguments: &str) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments.split_whitespace()).current_dir(root());
    // What cargo has told this program of itself: build scripts that look at it would run again after each cargo from a shell.
    let told = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(told)) {
        command.env_remove(name);
    }
    command
}

/// Builds every program of the workspace for debugging. Together with the tests, although those are not run: with them cargo
/// chooses the features of dependencies that `cargo test` does, and nothing is built twice.
///
/// # Errors
/// If the build fails.
pub(crate) fn build_programs() -> Result<(), String> {
    run(&mut cargo("build --quiet --workspace --bins --tests"))
}

/// Runs a program to its end with the terminal as its output. It reads no input.
///
/// # Errors
/// If it cannot start or does not succeed: the command line, and how it ended.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let status = command.stdin(Stdio::null()).status().map_err(|e| format!("{}: {e}", line(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", line(command))) }
}

/// Runs a program to its end and gives what it wrote to standard output; its standard error goes to the terminal.
///
/// # Errors
/// As [`run`].
pub(crate) fn capture(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|e| format!("{}: {e}", line(command)))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(text) } else { Err(format!("{}: {}\n{text}", line(command), output.status)) }
}

/// The command as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut line = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        let argument = argument.to_string_lossy();
        let quoted = argument.contains(' ') || argument.is_empty();
        let _ = if quoted { write!(line, " '{argument}'") } else { write!(line, " {argument}") };
    }
    line
}

/// The lines that a child writes to standard output, as they come.
///
/// A thread reads them, so that waiting for one can end; it goes on until the child closes its output.
pub(crate) struct Lines(mpsc::Receiver<String>);

impl Lines {
    /// Takes over the output of a child that was started with [`Stdio::piped`].
    pub(crate) fn of(child: &mut Child) -> Self {
        let (sender, receiver) = mpsc::channel();
        let output = child.stdout.take();
        thread::spawn(move || {
            let lines = output.into_iter().flat_map(|output| BufReader::new(output).lines().map_while(Result::ok));
            // Without a receiver the lines are still read, since a full pipe would stop the child.
            lines.for_each(|line| drop(sender.send(line)));
        });
        Self(receiver)
    }

    /// The next line, or nothing at the end of the output.
    ///
    /// # Errors
    /// If `deadline` passes.
    pub(crate) fn next(&self, deadline: Instant) -> Result<Option<String>, String> {
        match self.0.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => Ok(Some(line)),
            Err(mpsc::RecvTimeoutError::Disconnected) => Ok(None),
            Err(mpsc::RecvTimeoutError::Timeout) => Err("took too long".to_owned()),
        }
    }
}

/// Waits for a child to end.
///
/// # Errors
/// If `deadline` passes, or the system cannot tell.
pub(crate) fn wait(child: &mut Child, deadline: Instant) -> Result<ExitStatus, String> {
    loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => return Ok(status),
            None if Instant::now() > deadline => return Err("did not end in time".to_owned()),
            // The standard library has no wait with a bound.
            None => thread::sleep(Duration::from_millis(10)),
        }
    }
}
