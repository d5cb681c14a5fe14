//! Validators that die, come back, or live by another clock.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use serde_json::json;
use skillhub_protocol::{UploadId, UploadState};
use skillhub_store::{ObjectKey, Patience, SessionItem};
use skillhub_tests::in_process::{InProcess, TEST_PATIENCE, validate_on};
use skillhub_tests::proxy::{Call, Fault, Moment, Operation, every, nth};
use skillhub_tests::skill::Skill;
use skillhub_validate::Outcome;
use skillhub_web::Clock;

use crate::{LEASE, artifact, entry};

const PUBLISHED: Outcome = Outcome::Decided(UploadState::Published);

/// The session as the table has it.
async fn item(registry: &InProcess, id: &UploadId) -> SessionItem {
    registry.table().session(id).await.unwrap().unwrap()
}

/// Where the artifact of a claimed session goes.
fn key(session: &SessionItem, skill: &Skill) -> ObjectKey {
    let (id, version) = (session.skill_id.clone().unwrap(), session.version_id.clone().unwrap());
    ObjectKey::Package { skill: id, version, artifact: artifact(skill) }
}

async fn exists(registry: &InProcess, key: &ObjectKey) -> bool {
    let credential = registry.objects().presign_download(key, "x.zip", Clock::default().now()).await.unwrap();
    let answer = registry.wire.send(Request::get(credential.url.expose()).body(Bytes::new()).unwrap()).await.unwrap();
    answer.status().is_success()
}

fn count(calls: &[Call], operation: Operation) -> usize {
    calls.iter().filter(|call| call.operation == operation).count()
}

#[tokio::test]
async fn r08_whatever_a_validator_leaves_the_next_one_ends_with_the_same_ids() {
    // Each is what all attempts at a call meet, so that the validator gives up there.
    let ways = [
        (Operation::GetObject, Fault::Unavailable),
        (Operation::BatchGetItem, Fault::Throttled),
        (Operation::PutObject, Fault::Unavailable),
        (Operation::PutObject, Fault::ResetBefore),
        (Operation::PutObject, Fault::FailedAfterwards),
        (Operation::TransactWriteItems, Fault::Unavailable),
        (Operation::TransactWriteItems, Fault::ResetBefore),
    ];
    let registry = InProcess::start().await;
    let mut expected = Vec::new();
    for (i, (operation, fault)) in ways.into_iter().enumerate() {
        let skill = Skill::new(&format!("skill-{i}"), "x");
        let (id, event) = registry.upload(&skill).await;
        registry.proxy.inject(every(operation), fault);
        registry.deliver(&event).await.unwrap_err();
        let first = item(&registry, &id).await;
        registry.proxy.clear();
        // The lease still holds: to be told again is success, and changes nothing.
        registry.deliver(&event).await.unwrap();
        assert_eq!(item(&registry, &id).await, first);
        registry.clock.advance(LEASE);
        assert_eq!(registry.functions.sweep().await.sessions.validated, 1, "{operation:?} {fault:?}");
        let ids = |session: &SessionItem| {
            (session.skill_id.clone(), session.version_id.clone(), session.published_at, session.state)
        };
        let last = item(&registry, &id).await;
        assert_eq!(ids(&last), (first.skill_id, first.version_id, first.published_at, UploadState::Published));
        expected.push(entry(&skill));
    }
    assert_eq!(registry.settled().await.versions, expected.into_iter().collect());
}

#[tokio::test]
async fn r08_an_artifact_that_is_there_is_compared_and_not_written_again() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    let (id, _) = registry.upload(&skill).await;
    registry.proxy.inject(nth(Operation::TransactWriteItems, 1).and_retries(), Fault::Unavailable);
    registry.validate(&id).await.unwrap_err();
    assert!(exists(&registry, &key(&item(&registry, &id).await, &skill)).await);
    registry.clock.advance(LEASE);
    registry.proxy.take_attempts();
    assert_eq!(registry.validate(&id).await.unwrap(), PUBLISHED);
    let calls = registry.proxy.take_calls();
    let status =
        |operation| calls.iter().find(|call| call.operation == operation).and_then(|call| call.answer).unwrap();
    assert_eq!([Operation::PutObject, Operation::HeadObject].map(|operation| status(operation).status), [412, 200]);
    assert_eq!(registry.settled().await.versions, [entry(&skill)].into());
}

#[tokio::test]
async fn r08_a_transaction_whose_answers_are_lost_is_settled_by_the_session() {
    let registry = InProcess::start().await;
    let mut expected = Vec::new();
    for (i, fault) in [Fault::FailedAfterwards, Fault::ResetAfterwards].into_iter().enumerate() {
        // Once: the SDK repeats it under the same token. Always: the session tells.
        for (always, gets) in [(false, 0), (true, 1)] {
            let skill = Skill::new(&format!("skill-{i}-{always}"), "x");
            let (id, _) = registry.upload(&skill).await;
            let first = nth(Operation::TransactWriteItems, 1);
            registry.proxy.inject(if always { first.and_retries() } else { first }, fault);
            registry.proxy.take_attempts();
            assert_eq!(registry.validate(&id).await.unwrap(), PUBLISHED, "{fault:?}");
            let attempts = registry.proxy.take_attempts();
            assert_eq!(count(&attempts, Operation::TransactWriteItems), if always { 3 } else { 2 });
            assert_eq!(count(&attempts, Operation::GetItem), gets, "{fault:?}");
            registry.proxy.clear();
            expected.push(entry(&skill));
        }
    }
    assert_eq!(registry.settled().await.versions, expected.into_iter().collect());
}

#[tokio::test]
async fn r08_a_claim_whose_answer_is_lost_is_won_by_its_repetition() {
    let registry = InProcess::start().await;
    let mut expected = Vec::new();
    for (i, fault) in [Fault::FailedAfterwards, Fault::ResetAfterwards, Fault::Truncated].into_iter().enumerate() {
        let skill = Skill::new(&format!("skill-{i}"), "x");
        let (id, _) = registry.upload(&skill).await;
        registry.proxy.inject(nth(Operation::UpdateItem, 1), fault);
        assert_eq!(registry.validate(&id).await.unwrap(), PUBLISHED, "{fault:?}");
        assert_eq!(item(&registry, &id).await.attempt, 1, "{fault:?}");
        expected.push(entry(&skill));
    }
    assert_eq!(registry.settled().await.versions, expected.into_iter().collect());
}

/// The claim's first attempt is carried out when its repetition has been given back.
#[tokio::test]
async fn r08_a_claim_that_comes_late_takes_nothing() {
    let mut registry = InProcess::start().await;
    let session = registry.open(&Skill::new("hello", "x")).await;
    registry.set_patience(Patience { attempt: Duration::from_secs(1), ..TEST_PATIENCE });
    registry.proxy.take_attempts();
    let mut held = registry.proxy.hold(nth(Operation::UpdateItem, 1), Moment::Before);
    let validator = registry.validate_beside(&session.id);
    held.reached().await;
    assert_eq!(validator.await.unwrap().unwrap(), Outcome::NoBytes);
    held.open();
    registry.proxy.idle().await;
    let attempts = registry.proxy.take_attempts();
    let late = attempts.iter().find(|call| call.operation == Operation::UpdateItem).and_then(|call| call.answer);
    assert_eq!(late.map(|answer| answer.status), Some(400));
    let waiting = item(&registry, &session.id).await;
    assert_eq!((waiting.state, waiting.attempt), (UploadState::Open, 1));
}

#[tokio::test]
async fn r09_a_validator_that_lost_its_lease_publishes_nothing() {
    // It wakes up before it writes bytes or pointer, while its heir is at work or when that has done it.
    for (operation, heir_is_done) in
        [Operation::PutObject, Operation::TransactWriteItems].into_iter().flat_map(|o| [(o, true), (o, false)])
    {
        let registry = InProcess::start().await;
        let skill = Skill::new("hello", "x");
        let (id, _) = registry.upload(&skill).await;
        let mut held = registry.proxy.hold(nth(operation, 1), Moment::Before);
        let zombie = registry.validate_beside(&id);
        held.reached().await;
        registry.clock.advance(LEASE);
        let mut read = registry.proxy.hold(nth(Operation::GetObject, 1), Moment::Before);
        let heir = registry.validate_beside(&id);
        read.reached().await;
        if heir_is_done {
            read.open();
            assert_eq!(heir.await.unwrap().unwrap(), PUBLISHED);
            held.open();
            assert_eq!(zombie.await.unwrap().unwrap(), Outcome::Held, "{operation:?}");
        } else {
            held.open();
            assert_eq!(zombie.await.unwrap().unwrap(), Outcome::Held, "{operation:?}");
            assert_eq!(registry.session(&id).await.state, UploadState::Validating);
            read.open();
            assert_eq!(heir.await.unwrap().unwrap(), PUBLISHED);
        }
        assert_eq!(registry.settled().await.versions, [entry(&skill)].into());
    }
}

#[tokio::test]
async fn r09_a_validator_that_lost_its_lease_neither_rejects_nor_removes_the_upload() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    let session = registry.open(&skill).await;
    registry.place(&session.id, b"nonsense").await;
    let mut verdict = registry.proxy.hold(nth(Operation::TransactWriteItems, 1), Moment::Before);
    let zombie = registry.validate_beside(&session.id);
    verdict.reached().await;
    registry.clock.advance(LEASE);
    let mut read = registry.proxy.hold(nth(Operation::GetObject, 1), Moment::Before);
    let heir = registry.validate_beside(&session.id);
    read.reached().await;
    verdict.open();
    assert_eq!(zombie.await.unwrap().unwrap(), Outcome::Held);
    assert_eq!(registry.session(&session.id).await.state, UploadState::Validating);
    assert!(registry.objects().staging_exists(&session.id).await.unwrap());
    read.open();
    assert_eq!(heir.await.unwrap().unwrap(), Outcome::Decided(UploadState::Rejected));
    registry.settled().await;
}

#[tokio::test]
async fn r16_no_clean_up_takes_the_artifact_of_a_promotion() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    let (id, event) = registry.upload(&skill).await;
    // The artifact is there, the pointer is not; meanwhile everything that cleans up runs.
    let mut pointer = registry.proxy.hold(nth(Operation::TransactWriteItems, 1), Moment::Before);
    let validating = registry.validate_beside(&id);
    pointer.reached().await;
    registry.deliver(&event).await.unwrap();
    registry.clock.advance(Duration::from_secs(60));
    registry.functions.sweep().await;
    assert!(exists(&registry, &key(&item(&registry, &id).await, &skill)).await);
    pointer.open();
    assert_eq!(validating.await.unwrap().unwrap(), PUBLISHED);
    assert_eq!(registry.settled().await.versions, [entry(&skill)].into());
    assert_eq!(registry.proxy.deletions(), [format!("staging/{id}")]);
}

#[tokio::test]
async fn r17_an_orphan_does_not_block_a_republish() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    let (id, _) = registry.upload(&skill).await;
    registry.proxy.inject(every(Operation::TransactWriteItems), Fault::Unavailable);
    for _ in 0..5 {
        registry.validate(&id).await.unwrap_err();
        registry.clock.advance(LEASE);
    }
    registry.proxy.clear();
    assert_eq!(registry.validate(&id).await.unwrap(), Outcome::Decided(UploadState::Failed));
    let orphan = key(&item(&registry, &id).await, &skill);
    assert!(exists(&registry, &orphan).await);

    let (again, event) = registry.upload(&skill).await;
    registry.deliver(&event).await.unwrap();
    let published = key(&item(&registry, &again).await, &skill);
    assert_ne!(published, orphan);
    assert!(exists(&registry, &published).await && exists(&registry, &orphan).await);
    assert_eq!(registry.settled().await.versions, [entry(&skill)].into());
}

#[tokio::test]
async fn r26_a_clock_that_is_ahead_costs_a_lease_and_nothing_else() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    let (id, _) = registry.upload(&skill).await;
    let ahead = Clock::default();
    ahead.advance(Duration::from_secs(600));
    let other = registry.instance(ahead, TEST_PATIENCE);
    let mut pointer = registry.proxy.hold(nth(Operation::TransactWriteItems, 1), Moment::Before);
    let robbed = registry.validate_beside(&id);
    pointer.reached().await;
    assert_eq!(other.sweep().await.sessions.validated, 1);
    pointer.open();
    assert_eq!(robbed.await.unwrap().unwrap(), Outcome::Held);

    // The other way round: a lease from the future is waited for, then taken.
    let newer = Skill::new("hello", "y").version("1.1.0");
    let (id, _) = registry.upload(&newer).await;
    registry.proxy.inject(nth(Operation::GetObject, 1).and_retries(), Fault::Unavailable);
    validate_on(&other, &id).await.unwrap().unwrap_err();
    registry.clock.advance(LEASE);
    assert_eq!(registry.validate(&id).await.unwrap(), Outcome::Held);
    registry.clock.advance(Duration::from_secs(600));
    assert_eq!(registry.validate(&id).await.unwrap(), PUBLISHED);
    assert_eq!(registry.settled().await.versions, [entry(&skill), entry(&newer)].into());
    let listed = registry.get("/api/skills").await.json();
    assert_eq!(listed["skills"][0]["currentVersion"]["version"], json!("1.1.0"));
}
