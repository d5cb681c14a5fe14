//! The command on a terminal, with somebody at the keyboard.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// How long the command may be silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal that a command runs on.
pub(crate) struct Terminal {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    seen: Vec<u8>,
}

impl Terminal {
    /// Runs the command with all three of its streams on a new terminal.
    pub(crate) fn run(mut command: Command) -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap();
        let side = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let side = File::from(open(OsStr::from_bytes(name.as_bytes()), side, Mode::empty()).unwrap());
        let stream = || Stdio::from(side.try_clone().unwrap());
        let child = command.env("TERM", "xterm").stdin(stream()).stdout(stream()).stderr(stream()).spawn().unwrap();
        let keyboard = File::from(keyboard);
        let screen = lines(keyboard.try_clone().unwrap());
        Self { child, keyboard, screen, seen: Vec::new() }
    }

    /// Waits until this stands on the screen, after what was waited for before.
    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) {
        loop {
            if let Some(at) = self.seen.windows(text.len()).position(|window| window == text.as_bytes()) {
                self.seen.drain(..at + text.len());
                return;
            }
            match self.screen.recv_timeout(PATIENCE) {
                Ok(more) => self.seen.extend(more),
                Err(error) => panic!("{error}, and no {text:?} in: {}", String::from_utf8_lossy(&self.seen)),
            }
        }
    }

    /// Types a line.
    pub(crate) fn types(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Waits for the end; gives the exit code, and what was shown since the last wait.
    pub(crate) fn ends(mut self) -> (i32, String) {
        loop {
            match self.screen.recv_timeout(PATIENCE) {
                Ok(more) => self.seen.extend(more),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("no end: {}", String::from_utf8_lossy(&self.seen)),
            }
        }
        let code = self.child.wait().unwrap().code().unwrap();
        (code, String::from_utf8_lossy(&self.seen).into_owned())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What is written to the screen, until nobody is left who could write.
fn lines(mut screen: File) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        // Linux answers a terminal that everybody has left with an error.
        while let Ok(length @ 1..) = screen.read(&mut buffer) {
            if sender.send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}
