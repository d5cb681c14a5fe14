//! What must be refused in a deployed registry, and is.

use std::process::Command;

use serde::Deserialize;

use super::Stack;
use crate::process::capture;
use crate::tools::SAM;

#[derive(Deserialize)]
struct Attempt {
    what: String,
    code: Option<String>,
}

/// Who may do what of all that is tried. A read that is allowed finds nothing, because there is nothing at the key.
const ALLOWED: [&str; 6] = [
    "download reads an artifact",
    "compat reads an artifact",
    "validate reads an artifact",
    "validate reads an upload",
    "sweep reads an artifact",
    "sweep reads an upload",
];

/// Tries everything that `refusals.py` knows.
///
/// # Errors
/// If something is done that should be refused, or the other way round.
pub(super) fn demand(stack: &Stack<'_>) -> Result<(), String> {
    let mut python = Command::new(SAM.programs()?.join("python"));
    stack.cloud().tell(&mut python);
    let text = capture(python.args(["-c", include_str!("../refusals.py"), stack.name()]))?;
    let attempts = text.lines().map(|line| serde_json::from_str::<Attempt>(line).map_err(|e| format!("{e}: {line}")));
    let attempts = attempts.collect::<Result<Vec<_>, _>>()?;
    let wrong = attempts.iter().filter(|attempt| {
        let expected = match attempt.what.as_str() {
            "a download after its time" => "403",
            what if ALLOWED.contains(&what) => "NoSuchKey",
            what if what.ends_with("the table") => "AccessDeniedException",
            _ => "AccessDenied",
        };
        attempt.code.as_deref() != Some(expected)
    });
    let wrong: Vec<_> = wrong.map(|Attempt { what, code }| format!("{what}: {code:?}")).collect();
    println!("{} attempts of roles at what is not theirs, refused as they should be", attempts.len());
    if wrong.is_empty() { Ok(()) } else { Err(format!("not refused as it should be:\n  {}", wrong.join("\n  "))) }
}
