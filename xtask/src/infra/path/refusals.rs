//! What must be refused in a deployed registry, and is.

use serde::Deserialize;

use super::script::{lines, script};
use super::{Cloud, Stack};

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

/// Tries everything that `refusals.py` knows. Adds what was `seen` of it.
///
/// # Errors
/// If something is done that should be refused, or the other way round.
pub(super) fn demand(stack: &Stack<'_>, token: &str, seen: &mut Vec<String>) -> Result<(), String> {
    // AWS gives credentials for 15 minutes at least.
    let seconds = match stack.cloud() {
        Cloud::Emulator(_) => "5",
        Cloud::Account(_) => "900",
    };
    let mut refusals = script(stack, token, "refusals.py")?;
    refusals.args([stack.output("BucketName")?, stack.output("TableName")?, seconds]);
    let attempts: Vec<Attempt> = lines(&mut refusals)?;
    let told = |Attempt { what, code }: &Attempt| format!("{what}: {}", code.as_deref().unwrap_or("done"));
    let wrong = attempts.iter().filter(|attempt| attempt.code.as_deref() != expected(&attempt.what));
    let wrong: Vec<_> = wrong.map(told).collect();
    seen.extend(attempts.iter().map(told));
    if !wrong.is_empty() {
        return Err(format!("not refused as it should be:\n  {}", wrong.join("\n  ")));
    }
    println!("{} attempts of roles and of URLs at what is not theirs, refused as they should be", attempts.len());
    Ok(())
}

/// What an attempt should come to: an error's code, or a status where there is none; nothing if it is done.
fn expected(what: &str) -> Option<&'static str> {
    match what {
        // So that what follows is not refused for another reason.
        "an administrator lists the bucket" => None,
        "a download in its time" | "a download while its credentials live" => Some("404"),
        "a download after its credentials" => Some("ExpiredToken"),
        what if ALLOWED.contains(&what) => Some("NoSuchKey"),
        what if what.ends_with("the table") => Some("AccessDeniedException"),
        _ => Some("AccessDenied"),
    }
}
