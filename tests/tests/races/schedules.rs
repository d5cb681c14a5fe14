//! Everything at once: publishers, events, sweeps and cancels in an order from a seed, in weather from the same seed. Only how
//! validators that run beside each other interleave is not in the seed.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use skillhub_protocol::{PublishedVersion, Role, UploadId, UploadState};
use skillhub_store::Patience;
use skillhub_tests::in_process::{Answer, Caller, InProcess, TEST_PATIENCE, event_of};
use skillhub_tests::proxy::{Chaos, Fault};
use skillhub_tests::skill::Skill;

use crate::{LEASE, SESSION, artifact, entry};

const SEEDS: std::ops::Range<u64> = 0..4;
const STEPS: usize = 60;
const PAUSE: Duration = Duration::from_millis(400);
const WEATHER: [Fault; 11] = [
    Fault::Unavailable,
    Fault::Throttled,
    Fault::CONFLICT,
    Fault::Canceled(&[(1, "TransactionConflict")]),
    Fault::FailedAfterwards,
    Fault::FailedAfterwards,
    Fault::ResetBefore,
    Fault::ResetAfterwards,
    Fault::Truncated,
    Fault::Late(PAUSE),
    Fault::AnsweredLate(PAUSE),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_schedule_keeps_every_invariant() {
    for seed in SEEDS {
        let outcome = tokio::spawn(play(seed)).await;
        assert!(outcome.is_ok(), "seed {seed}: {outcome:?}");
    }
}

/// What publishers have been told.
#[derive(Debug, Default)]
struct Told {
    /// Sessions that were opened, with what they are for.
    opened: Vec<(UploadId, Skill)>,
    published: BTreeMap<UploadId, PublishedVersion>,
    canceled: Vec<UploadId>,
}

impl Told {
    fn note(&mut self, answer: &Answer) {
        if !answer.status.is_success() {
            // What bad weather does to a store is never our fault, so never a 500.
            return assert!([409, 503].contains(&answer.status.as_u16()), "{answer:?}");
        }
        let session = answer.session();
        match (session.state, session.published) {
            (UploadState::Published, Some(published)) => {
                let before = self.published.insert(session.id, published.clone());
                assert!(before.is_none_or(|before| before == published), "{published:?}");
            }
            (UploadState::Canceled, _) => self.canceled.push(session.id),
            _ => {}
        }
    }
}

async fn play(seed: u64) {
    let patience = Patience { attempt: PAUSE / 2, call: PAUSE * 4, ..TEST_PATIENCE };
    let mut registry = InProcess::start_with(patience).await;
    let callers = [registry.owner.clone(), registry.member("member", Role::Owner).await];
    let mut rng = StdRng::seed_from_u64(seed);
    let mut told = Told::default();
    registry.proxy.rain(Chaos { seed, one_in: 5, faults: WEATHER.to_vec() });
    let mut beside = Vec::new();
    for _ in 0..STEPS {
        step(&registry, &callers, &mut rng, &mut told, &mut beside).await;
    }
    for validating in beside {
        let _whatever = validating.await.unwrap();
    }
    registry.proxy.clear();
    registry.proxy.idle().await;
    registry.functions = registry.instance(registry.clock.clone(), TEST_PATIENCE);
    calm(&registry, &told).await;
    check(&registry, &told).await;
}

type Beside = tokio::task::JoinHandle<Result<skillhub_validate::Outcome, skillhub_store::StoreError>>;

/// A small world, so that its inhabitants meet: two slugs, three versions, two contents.
fn any_skill(rng: &mut StdRng) -> Skill {
    let (slug, content) = (["one", "two"][rng.random_range(0..2)], ["x", "y"][rng.random_range(0..2)]);
    Skill::new(slug, content).version(["1.0.0", "1.1.0", "2.0.0-rc.1"][rng.random_range(0..3)])
}

async fn step(registry: &InProcess, callers: &[Caller], rng: &mut StdRng, told: &mut Told, beside: &mut Vec<Beside>) {
    let caller = &callers[rng.random_range(0..callers.len())];
    let any = (!told.opened.is_empty()).then(|| told.opened[rng.random_range(0..told.opened.len())].clone());
    match (rng.random_range(0..12), any) {
        (0..=3, _) | (_, None) => {
            let skill = any_skill(rng);
            let answer = registry.send(Some(caller), "POST", "/api/uploads", &skill.request().to_string()).await;
            told.note(&answer);
            if answer.status.is_success() && answer.session().upload.is_some() {
                let session = answer.session();
                // Some are interrupted before they upload.
                if rng.random_range(0..5) > 0 {
                    registry.put(session.upload.as_ref().unwrap(), &skill.archive()).await;
                }
                told.opened.push((session.id, skill));
            }
        }
        (4..=5, Some((id, _))) => drop(registry.deliver(&event_of(&id)).await),
        (6..=7, Some((id, _))) => beside.push(registry.validate_beside(&id)),
        (8, Some((id, _))) => {
            let path = format!("/api/uploads/{id}");
            told.note(&registry.send(Some(caller), "DELETE", &path, "").await);
        }
        (9, Some((id, _))) => {
            let path = format!("/api/uploads/{id}");
            told.note(&registry.send(Some(caller), "GET", &path, "").await);
        }
        (10, Some(_)) => drop(registry.functions.sweep().await),
        (_, Some(_)) => registry.clock.advance([LEASE, LEASE * 2][rng.random_range(0..2)]),
    }
}

/// The weather clears: the sweeper runs until every session has ended, and every event comes once more.
async fn calm(registry: &InProcess, told: &Told) {
    for round in 0.. {
        let sessions = registry.table.scan().await.unwrap();
        let mut sessions: Vec<_> =
            sessions.into_iter().filter(|row| row.pk.starts_with("U#") && row.sk == "#").collect();
        sessions.retain(|row| row.attributes.get("xs").is_some());
        if sessions.is_empty() {
            break;
        }
        assert!(round < 10, "these do not end: {sessions:#?}");
        registry.clock.advance(SESSION);
        registry.functions.sweep().await;
    }
    let mut ids: Vec<_> = told.opened.iter().map(|(id, _)| id).collect();
    ids.shuffle(&mut rand::rng());
    for id in ids {
        registry.deliver(&event_of(id)).await.unwrap();
    }
}

async fn check(registry: &InProcess, told: &Told) {
    let settled = registry.settled().await;
    for (id, published) in &told.published {
        // Opening a version that exists answers with the session that published it.
        assert_eq!(settled.sessions.get(id), Some(&UploadState::Published), "I1: {id}");
        assert!(settled.versions.values().any(|digest| *digest == published.artifact_sha256), "I1: {published:?}");
        assert_eq!(registry.session(id).await.published.as_ref(), Some(published), "I1");
    }
    for id in &told.canceled {
        assert_eq!(settled.sessions[id], UploadState::Canceled, "{id}");
    }
    for (name, digest) in &settled.versions {
        let made = told.opened.iter().map(|(_, skill)| skill).filter(|skill| entry(skill).0 == *name);
        assert!(made.map(artifact).any(|made| made == *digest), "{name} is nobody's");
    }
}
