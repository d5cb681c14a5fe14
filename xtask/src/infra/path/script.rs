//! The scripts of this folder: they ask a deployed registry and what it stands on, and tell what they saw.

use std::process::Command;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Stack;
use crate::process::{capture, root};
use crate::tools::SAM;

/// Something that must hold, and what was seen of it.
#[derive(Deserialize)]
struct Seen {
    what: String,
    holds: bool,
    seen: String,
}

/// A script that is told where the registry is, and that asks with this token.
///
/// # Errors
/// If Python cannot be installed.
pub(super) fn script(stack: &Stack<'_>, token: &str, name: &str) -> Result<Command, String> {
    let mut python = Command::new(SAM.programs()?.join("python"));
    stack.cloud().tell(&mut python);
    // In the arguments the token would be in the message of a failure.
    python.env("SKILLHUB_REGISTRY", stack.registry()?).env("SKILLHUB_TOKEN", token);
    python.env("SKILLHUB_NAME", stack.prefix()?);
    // Nothing that Python compiles is left among the sources.
    python.arg("-B").arg(root().join("xtask/src/infra").join(name));
    Ok(python)
}

/// Runs a script that tells one thing in each line.
///
/// # Errors
/// If it fails, or tells something else or nothing.
pub(super) fn lines<T: DeserializeOwned>(script: &mut Command) -> Result<Vec<T>, String> {
    let text = capture(script)?;
    let told = text.lines().map(|line| serde_json::from_str(line).map_err(|e| format!("{e}: {line}")));
    let told = told.collect::<Result<Vec<T>, _>>()?;
    if told.is_empty() { Err("a script has told nothing".to_owned()) } else { Ok(told) }
}

/// Runs a script that tells what must hold. What holds is added to what was `seen`, whatever else does not; says how much it is.
///
/// # Errors
/// What does not hold.
pub(super) fn demands(script: &mut Command, seen: &mut Vec<String>) -> Result<usize, String> {
    let (held, wrong): (Vec<_>, Vec<_>) = lines::<Seen>(script)?.into_iter().partition(|seen| seen.holds);
    let told = |Seen { what, seen, .. }: Seen| format!("{what}: {seen}");
    let (count, wrong) = (held.len(), wrong.into_iter().map(told).collect::<Vec<_>>());
    seen.extend(held.into_iter().map(told));
    if wrong.is_empty() { Ok(count) } else { Err(format!("does not hold:\n  {}", wrong.join("\n  "))) }
}
