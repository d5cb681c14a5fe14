//! The process is killed at every step of opening, validating, promoting, cancelling and sweeping; the next one brings what was
//! under way to its end. Afterwards every invariant holds, what was acknowledged is as it was, and the publisher who tries
//! again succeeds.
#![cfg(unix)]
#![expect(clippy::print_stderr, reason = "a test")]

mod registry;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use skillhub_package::{Limits, canonical, read, sha256};
use skillhub_protocol::{Sha256, UploadState};
use skillhub_tests::skill::{Skill, open_request};
use tempfile::TempDir;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use registry::Registry;

/// Registries that run at the same time.
const CONCURRENCY: usize = 3;

/// What is under way when the process dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Story {
    /// A good package is published.
    Publish,
    /// A bad package is published.
    Reject,
    /// A session is cancelled.
    Cancel,
    /// A session's content was published by another session.
    Join,
    /// A session's slug was taken by another skill.
    Adopt,
    /// A session is claimed that has no bytes.
    NoBytes,
    /// The sweeper meets a session without bytes.
    Wait,
    /// The sweeper meets a session without bytes whose time is over.
    Expire,
}

/// Every place, by when it is passed for the time that counts: every story begins with one publish that succeeds.
const POINTS: &[(Story, &str)] = &[
    (Story::Publish, "open.begin#2"),
    (Story::Publish, "open.found#2"),
    (Story::Publish, "open.committed#2"),
    (Story::Publish, "validate.begin#2"),
    (Story::Publish, "validate.claimed#2"),
    (Story::Publish, "validate.read#2"),
    (Story::Publish, "validate.situation#2"),
    (Story::Publish, "validate.checked#2"),
    (Story::Publish, "promote.stored#2"),
    (Story::Publish, "promote.committed#2"),
    (Story::Publish, "validate.deleted#2"),
    (Story::Publish, "validate.ended#2"),
    (Story::Reject, "validate.claimed#2"),
    (Story::Reject, "validate.checked#2"),
    (Story::Reject, "validate.committed"),
    (Story::Reject, "validate.deleted#2"),
    (Story::Reject, "validate.ended#2"),
    (Story::Cancel, "cancel.read"),
    (Story::Cancel, "cancel.committed"),
    (Story::Cancel, "cancel.unlocked"),
    (Story::Join, "promote.joined"),
    (Story::Adopt, "promote.adopted"),
    (Story::NoBytes, "validate.reopened"),
    (Story::Wait, "sweep.due"),
    (Story::Wait, "sweep.looked"),
    (Story::Wait, "sweep.postponed"),
    (Story::Expire, "sweep.expired"),
    (Story::Expire, "sweep.unlocked"),
];

#[test]
fn every_place_is_in_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut places = BTreeSet::new();
    for folder in ["functions", "shared"] {
        for file in rust_files(&root.join(folder)) {
            let text = fs::read_to_string(file).unwrap();
            let calls = text.split("fail_point(\"").skip(1);
            places.extend(calls.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        }
    }
    let tested = POINTS.iter().map(|(_, point)| point.split('#').next().unwrap().to_owned()).collect();
    assert_eq!(places, tested);
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { rust_files(&path) } else { vec![path] };
    entries.flat_map(below).filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_kill_at_any_step_is_recovered_from() {
    let slots = Arc::new(Semaphore::new(CONCURRENCY));
    let mut running = JoinSet::new();
    for (story, point) in POINTS {
        let slots = slots.clone();
        running.spawn(async move {
            let _slot = slots.acquire().await.unwrap();
            let started = Instant::now();
            let told = tokio::spawn(story.tell(point)).await;
            eprintln!("{story:?} {point}: {:.1} s", started.elapsed().as_secs_f64());
            told.err().map(|failure| format!("{story:?} {point}: {failure}"))
        });
    }
    let failures: Vec<_> = running.join_all().await.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

impl Story {
    async fn tell(self, point: &'static str) {
        let dir = TempDir::new().unwrap();
        let skill = Skill::new("crashed", "content");
        let acknowledged = Skill::new("acknowledged", "before");
        let sweeping = matches!(self, Self::NoBytes | Self::Wait | Self::Expire);
        let mut first = Registry::start(dir.path(), (!sweeping).then_some(point));
        first.publish(&acknowledged.request(), &acknowledged.archive()).await;
        match self {
            Self::Publish => first.begin(&skill.request(), &skill.archive()).await,
            Self::Reject => first.begin(&bad(&skill), &skill.archive()).await,
            Self::Cancel => first.cancel(&skill).await,
            Self::Join => first.join(&skill).await,
            Self::Adopt => first.adopt(&skill).await,
            Self::NoBytes | Self::Wait | Self::Expire => first.leave(&skill, self).await,
        }
        if sweeping {
            first.kill();
            first = Registry::spawn(dir.path(), Some(point));
        }
        assert_eq!(first.ended().await, Some(9), "it was not killed at {point}");

        let second = Registry::start(dir.path(), None);
        let session = second.publish(&skill.request(), &skill.archive()).await;
        assert_eq!(session.state, UploadState::Published, "{session:?}");
        second.quiet().await;
        second.check(&[&acknowledged, &skill], self).await;
    }
}

/// A request for the skill's archive with a manifest that is not that of its files.
fn bad(skill: &Skill) -> Value {
    let mut manifest = skill.manifest();
    manifest["files"][1]["sha256"] = json!("0".repeat(64));
    open_request(&manifest, &skill.archive())
}

/// The digest of what the registry makes of a skill.
fn artifact(skill: &Skill) -> Sha256 {
    sha256(&canonical(&read(&skill.archive(), &Limits::default()).unwrap()).bytes)
}
