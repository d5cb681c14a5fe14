//! Events as AWS sends them, recorded, for the functions of a deployed registry; and what they have logged.

use std::process::Command;

use serde::Deserialize;

use super::watch::Watch;
use super::{Cloud, Stack};
use crate::process::{capture, root};
use crate::tools::SAM;

#[derive(Deserialize)]
struct Seen {
    what: String,
    holds: bool,
    seen: String,
}

/// Sends everything that is recorded in `xtask/src/infra/events`.
///
/// # Errors
/// What does not hold.
pub(super) fn demand(stack: &Stack<'_>) -> Result<(), String> {
    let mut python = Command::new(SAM.programs()?.join("python"));
    stack.cloud().tell(&mut python);
    python.args(["-c", include_str!("../events.py"), stack.name()]).arg(root().join("xtask/src/infra/events"));
    // In an account, the programs of this machine have no role.
    let watch = match stack.cloud() {
        Cloud::Emulator(_) => Some(Watch::start(stack)?),
        Cloud::Account(_) => None,
    };
    python.args(watch.iter().map(Watch::url));
    let text = capture(&mut python)?;
    let seen = text.lines().map(|line| serde_json::from_str::<Seen>(line).map_err(|e| format!("{e}: {line}")));
    let seen = seen.collect::<Result<Vec<_>, _>>()?;
    println!("{} demands on what events lead to, and on logs", seen.len());
    let wrong: Vec<_> = seen.iter().filter(|s| !s.holds).map(|s| format!("{}: {}", s.what, s.seen)).collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("does not hold:\n  {}", wrong.join("\n  "))) }
}
