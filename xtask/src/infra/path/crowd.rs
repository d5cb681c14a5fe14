//! Many at once at a deployed registry, and how long its events take.

use super::Stack;
use super::script::{demands, script};

/// Lets versions be published at once, measures the time from an upload to its verdict, and writes more often than one may, in a
/// registry that has published this skill. Adds what was `seen`.
///
/// The emulator runs all of it, but its table never cancels a transaction for a conflict, its events take no time, and nothing
/// but the registry itself ever throttles: that is for an account to show.
///
/// # Errors
/// What does not hold.
pub(super) fn demand(stack: &Stack<'_>, token: &str, slug: &str, seen: &mut Vec<String>) -> Result<(), String> {
    let held = demands(script(stack, token, "crowd.py")?.arg(slug), seen)?;
    println!("{held} demands on conflicts, the delay of events, and throttling");
    Ok(())
}
