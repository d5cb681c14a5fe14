//! A registry that is killed in the middle of publishing loses nothing that it acknowledged, and publishing can go on.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use super::client::{self, Batch};
use super::fetch::Pack;
use super::listing;
use super::server::Server;

/// How long the first skills may take until the kill.
const PATIENCE: Duration = Duration::from_secs(120);
/// How the client begins a line that tells of a published skill.
const ACKNOWLEDGED: &str = "published ";

/// Kills the server once `after` skills are acknowledged, starts it again, publishes again, and demands that every skill that
/// can be published is there exactly once, at the same version as without a crash.
///
/// # Errors
/// What was lost, or published twice.
pub(crate) fn run(pack: &Pack, undisturbed: &Batch, after: usize, data: &Path) -> Result<(), String> {
    let acknowledged = interrupt(pack, after, data)?;
    println!("killed the server after {} skills of {} were acknowledged", acknowledged.len(), pack.name);
    let server = Server::start(data)?;
    let batch = client::publish_all(&server, &pack.skills())?;
    let there = coordinates(&batch);
    let lost: Vec<_> = acknowledged.difference(&there).collect();
    if !lost.is_empty() {
        return Err(format!("acknowledged before the crash, and gone: {lost:?}"));
    }
    if there != coordinates(undisturbed) {
        let failures = batch.skills.iter().filter_map(|verdict| verdict.error.as_ref());
        let failures: Vec<String> = failures.map(|failure| format!("[{}] {}", failure.code, failure.message)).collect();
        return Err(format!("after the crash other skills are published than without one: {failures:#?}"));
    }
    listing::demand(&server, 100, &batch.skills.iter().collect::<Vec<_>>())?;
    server.stop()
}

/// Publishes until the kill; gives the coordinates that the client printed as published.
fn interrupt(pack: &Pack, after: usize, data: &Path) -> Result<BTreeSet<String>, String> {
    let server = Server::start(data)?;
    let (mut child, lines) = client::start_publish_all(&server, &pack.skills())?;
    let deadline = Instant::now() + PATIENCE;
    let mut acknowledged = BTreeSet::new();
    while acknowledged.len() < after {
        let line = lines.next(deadline)?.ok_or("skillhub publish --all ended before the kill")?;
        acknowledged.extend(line.strip_prefix(ACKNOWLEDGED).map(str::to_owned));
    }
    server.kill()?;
    // What was acknowledged before the kill and printed after it counts, too.
    let (_, rest) = client::drain(&mut child, &lines)?;
    acknowledged.extend(rest.lines().filter_map(|line| line.strip_prefix(ACKNOWLEDGED)).map(str::to_owned));
    Ok(acknowledged)
}

fn coordinates(batch: &Batch) -> BTreeSet<String> {
    batch.skills.iter().filter_map(|verdict| verdict.coordinate.clone()).collect()
}
