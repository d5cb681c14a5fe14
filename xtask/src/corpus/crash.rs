//! A registry that is killed in the middle of publishing loses nothing that it acknowledged, and publishing can go on.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use skillhub_protocol::SkillSummary;

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
    let server = Server::start(data)?;
    let survivors = listing::traverse(&server, 100)?;
    let (told, there) = (acknowledged.len(), survivors.len());
    println!("killed the server when {told} skills of {} were acknowledged: {there} are there after it", pack.name);
    demand_none_lost("acknowledged", &acknowledged, &survivors.iter().filter_map(coordinate).collect())?;
    let batch = client::publish_all(&server, &pack.skills())?;
    demand_same(&batch, undisturbed)?;
    listing::demand(&server, 100, &batch.skills.iter().collect::<Vec<_>>())?;
    let ids = |skills: &[SkillSummary]| skills.iter().map(|s| format!("{} {}", s.id, s.current_version.id)).collect();
    demand_none_lost("there", &ids(&survivors), &ids(&listing::traverse(&server, 100)?))?;
    server.stop()
}

fn demand_none_lost(what: &str, before: &BTreeSet<String>, after: &BTreeSet<String>) -> Result<(), String> {
    let lost: Vec<_> = before.difference(after).collect();
    if lost.is_empty() { Ok(()) } else { Err(format!("{what} before, and gone after it: {lost:?}")) }
}

fn demand_same(batch: &Batch, undisturbed: &Batch) -> Result<(), String> {
    if coordinates(batch) == coordinates(undisturbed) {
        return Ok(());
    }
    let failures = batch.skills.iter().filter_map(|verdict| verdict.error.as_ref());
    let failures: Vec<String> = failures.map(|failure| format!("[{}] {}", failure.code, failure.message)).collect();
    Err(format!("after the crash other skills are published than without one; failures: {failures:#?}"))
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

/// As the client writes it: `@namespace/slug@version`.
fn coordinate(skill: &SkillSummary) -> Option<String> {
    Some(format!("{}/{}@{}", skill.namespace.as_ref()?, skill.slug, skill.current_version.version))
}

fn coordinates(batch: &Batch) -> BTreeSet<String> {
    batch.skills.iter().filter_map(|verdict| verdict.coordinate.clone()).collect()
}
