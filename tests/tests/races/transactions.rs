//! Transactions that are cancelled, and requests that are repeated.

use skillhub_protocol::{Role, UploadState};
use skillhub_tests::in_process::{Answer, InProcess};
use skillhub_tests::proxy::{Chaos, Fault, Moment, Operation, every, nth};
use skillhub_tests::skill::Skill;
use skillhub_validate::Outcome;

use crate::entry;

#[tokio::test]
async fn r21_a_failed_condition_is_decided_again_and_a_conflict_tried_again() {
    const MIXED: Fault = Fault::Canceled(&[(3, "ConditionalCheckFailed"), (7, "TransactionConflict")]);
    const THROTTLED: Fault = Fault::Canceled(&[(2, "ThrottlingError")]);
    let registry = InProcess::start().await;
    let mut expected = Vec::new();
    for (i, fault) in [MIXED, Fault::CONFLICT, THROTTLED].into_iter().enumerate() {
        let skill = Skill::new(&format!("skill-{i}"), "x");
        let (id, _) = registry.upload(&skill).await;
        for n in 1..=3 {
            registry.proxy.inject(nth(Operation::TransactWriteItems, n), fault);
        }
        registry.proxy.take_attempts();
        assert_eq!(registry.validate(&id).await.unwrap(), Outcome::Decided(UploadState::Published), "{fault:?}");
        registry.proxy.clear();
        let calls = registry.proxy.take_attempts();
        let count = |operation| calls.iter().filter(|call| call.operation == operation).count();
        // Each time the situation is read again; the bytes are there already.
        assert_eq!([Operation::TransactWriteItems, Operation::BatchGetItem].map(count), [4, 4]);
        assert_eq!([Operation::PutObject, Operation::HeadObject].map(count), [1, 0]);
        assert_eq!(registry.table().session(&id).await.unwrap().unwrap().attempt, 1, "no attempt is used up");
        expected.push(entry(&skill));
    }
    assert_eq!(registry.settled().await.versions, expected.into_iter().collect());
}

/// Not the reason of a cancellation but the answer to the call, as often as the SDK repeats it.
#[tokio::test]
async fn r21_a_store_that_throttles_uses_up_no_attempt() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    let (id, _) = registry.upload(&skill).await;
    for n in 1..=2 {
        registry.proxy.inject(nth(Operation::TransactWriteItems, n).and_retries(), Fault::Throttled);
    }
    assert_eq!(registry.validate(&id).await.unwrap(), Outcome::Decided(UploadState::Published));
    assert_eq!(registry.table().session(&id).await.unwrap().unwrap().attempt, 1);
    assert_eq!(registry.settled().await.versions, [entry(&skill)].into());
    // For ever it is not waited for: others are due as well.
    let (id, _) = registry.upload(&Skill::new("other", "x")).await;
    registry.proxy.inject(every(Operation::TransactWriteItems), Fault::Throttled);
    assert!(registry.validate(&id).await.unwrap_err().is_transient());
}

/// The first attempt is carried out and its answer lost; the others are throttled.
#[tokio::test]
async fn r21_a_verdict_that_was_written_before_the_store_throttled_is_known_by_the_session() {
    let registry = InProcess::start().await;
    let good = Skill::new("good", "x");
    let (published, _) = registry.upload(&good).await;
    let rejected = registry.open(&Skill::new("bad", "x")).await.id;
    registry.place(&rejected, b"nonsense").await;
    for (id, state) in [(published, UploadState::Published), (rejected, UploadState::Rejected)] {
        registry.proxy.inject(nth(Operation::TransactWriteItems, 1), Fault::FailedAfterwards);
        registry.proxy.inject(every(Operation::TransactWriteItems), Fault::Throttled);
        assert_eq!(registry.validate(&id).await.unwrap(), Outcome::Decided(state));
        registry.proxy.clear();
    }
    assert_eq!(registry.settled().await.versions, [entry(&good)].into());
    let member = registry.member("member", Role::Owner).await;
    let request = Skill::new("bad", "x").request().to_string();
    assert_eq!(registry.send(Some(&member), "POST", "/api/uploads", &request).await.status.as_u16(), 201, "it is free");
}

#[tokio::test]
async fn r21_a_lost_session_outweighs_a_conflict() {
    let registry = InProcess::start().await;
    let (id, _) = registry.upload(&Skill::new("hello", "x")).await;
    let lost = Fault::Canceled(&[(0, "ConditionalCheckFailed"), (1, "TransactionConflict")]);
    registry.proxy.inject(nth(Operation::TransactWriteItems, 1), lost);
    assert_eq!(registry.validate(&id).await.unwrap(), Outcome::Held);
}

#[tokio::test]
async fn r21_a_conflict_keeps_no_verdict_from_being_written() {
    let registry = InProcess::start().await;
    // A rejection.
    let rejected = registry.open(&Skill::new("rejected", "x")).await.id;
    registry.place(&rejected, b"nonsense").await;
    registry.proxy.inject(nth(Operation::TransactWriteItems, 1), Fault::CONFLICT);
    assert_eq!(registry.validate(&rejected).await.unwrap(), Outcome::Decided(UploadState::Rejected));
    // The end of a session whose content was published by another, and the adoption of a skill.
    let skill = Skill::new("hello", "x");
    let mut named = skill.request();
    named["scope"] = serde_json::json!("public");
    let other = Skill::new("hello", "y").version("1.1.0");
    let late = registry.send(Some(&registry.owner), "POST", "/api/uploads", &named.to_string()).await.session().id;
    let (adopts, _) = registry.upload(&other).await;
    let mut read = registry.proxy.hold(nth(Operation::BatchGetItem, 1), Moment::After);
    let adopting = registry.validate_beside(&adopts);
    read.reached().await;
    registry.publish(&skill).await;
    // The first transaction fails by itself, for the slug is taken; the second is the adoption.
    registry.proxy.inject(nth(Operation::TransactWriteItems, 2), Fault::CONFLICT);
    read.open();
    assert_eq!(adopting.await.unwrap().unwrap(), Outcome::Decided(UploadState::Published));
    registry.place(&late, &skill.archive()).await;
    registry.proxy.inject(nth(Operation::TransactWriteItems, 1), Fault::CONFLICT);
    assert_eq!(registry.validate(&late).await.unwrap(), Outcome::Decided(UploadState::Published));
    assert_eq!(registry.settled().await.versions, [entry(&skill), entry(&other)].into());
}

#[tokio::test]
async fn r21_a_conflict_keeps_no_session_without_bytes_claimed() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    let id = registry.open(&skill).await.id;
    registry.proxy.inject(nth(Operation::TransactWriteItems, 1), Fault::CONFLICT);
    assert_eq!(registry.validate(&id).await.unwrap(), Outcome::NoBytes);
    let event = registry.place(&id, &skill.archive()).await;
    registry.deliver(&event).await.unwrap();
    assert_eq!(registry.settled().await.versions, [entry(&skill)].into());
}

#[tokio::test]
async fn r21_a_conflict_that_stays_is_no_refusal_of_the_request() {
    let registry = InProcess::start().await;
    let unavailable = |answer: &Answer| {
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (503, "unavailable"));
        assert_eq!(answer.headers["retry-after"], "1");
    };
    let skill = Skill::new("hello", "x");
    registry.proxy.inject(every(Operation::TransactWriteItems), Fault::CONFLICT);
    let open =
        async || registry.send(Some(&registry.owner), "POST", "/api/uploads", &skill.request().to_string()).await;
    unavailable(&open().await);
    registry.proxy.clear();
    let id = open().await.session().id;
    registry.proxy.inject(every(Operation::TransactWriteItems), Fault::CONFLICT);
    let cancel = async || registry.send(Some(&registry.owner), "DELETE", &format!("/api/uploads/{id}"), "").await;
    unavailable(&cancel().await);
    registry.proxy.clear();
    assert_eq!(cancel().await.session().state, UploadState::Canceled);
    registry.settled().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r21_of_many_uploads_of_one_bot_in_each_others_way_all_get_through() {
    const UPLOADS: usize = 64;
    let registry = InProcess::start().await;
    let skills: Vec<_> = (0..UPLOADS).map(|i| Skill::new(&format!("skill-{i}"), "x")).collect();
    let mut ids = Vec::new();
    for skill in &skills {
        ids.push(registry.upload(skill).await.0);
    }
    // The membership and the token of the bot are in every transaction.
    let faults = vec![
        Fault::CONFLICT,
        Fault::Canceled(&[(10, "TransactionConflict")]),
        Fault::Canceled(&[(11, "ThrottlingError")]),
    ];
    registry.proxy.rain(Chaos { seed: 64, one_in: 2, faults });
    let validating: Vec<_> = ids.iter().map(|id| registry.validate_beside(id)).collect();
    for validating in validating {
        assert_eq!(validating.await.unwrap().unwrap(), Outcome::Decided(UploadState::Published));
    }
    for id in &ids {
        assert_eq!(registry.table().session(id).await.unwrap().unwrap().attempt, 1);
    }
    assert_eq!(registry.settled().await.versions, skills.iter().map(entry).collect());
}

/// Opens with an `Idempotency-Key`.
async fn open_keyed(registry: &InProcess, skill: &Skill, key: &str) -> Answer {
    let (headers, body) = ([("idempotency-key", key)], skill.request().to_string());
    registry.send_with(Some(&registry.owner), "POST", "/api/uploads", &headers, &body).await
}

#[tokio::test]
async fn r23_a_repeated_request_gets_the_session_of_the_first() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    // The first was carried out, but its answer was lost in every attempt.
    registry.proxy.inject(nth(Operation::TransactWriteItems, 1).and_retries(), Fault::FailedAfterwards);
    let lost = open_keyed(&registry, &skill, "k").await;
    assert_eq!(lost.status.as_u16(), 503, "{lost:?}");
    let again = open_keyed(&registry, &skill, "k").await;
    assert_eq!(again.status.as_u16(), 200);
    let session = again.session();
    // With other content the key is refused; another key, or none, finds the same session by its lock.
    let other = open_keyed(&registry, &Skill::new("hello", "y"), "k").await;
    assert_eq!((other.status.as_u16(), other.code().as_str()), (409, "idempotency_mismatch"));
    assert_eq!(open_keyed(&registry, &skill, "l").await.session().id, session.id);
    assert_eq!(registry.open(&skill).await.id, session.id);
    // The URL is minted again, and works.
    assert_eq!(registry.put(session.upload.as_ref().unwrap(), &skill.archive()).await.as_u16(), 200);
    registry.validate(&session.id).await.unwrap();
    let done = open_keyed(&registry, &skill, "k").await.session();
    assert_eq!((done.id, done.state), (session.id, UploadState::Published));
    assert_eq!(registry.settled().await.sessions.len(), 1);
}

#[tokio::test]
async fn r23_equal_requests_at_once_open_one_session() {
    for key in [None, Some("k")] {
        let registry = InProcess::start().await;
        let skill = Skill::new("hello", "x");
        let open = async || match key {
            Some(key) => open_keyed(&registry, &skill, key).await,
            None => registry.send(Some(&registry.owner), "POST", "/api/uploads", &skill.request().to_string()).await,
        };
        let mut first = registry.proxy.hold(nth(Operation::TransactWriteItems, 1), Moment::Before);
        let (late, early) = tokio::join!(open(), async {
            first.reached().await;
            let early = open().await;
            first.open();
            early
        });
        assert_eq!((late.status.as_u16(), early.status.as_u16()), (200, 201), "{key:?}");
        assert_eq!(late.session().id, early.session().id, "{key:?}");
        registry.place(&early.session().id, &skill.archive()).await;
        registry.validate(&early.session().id).await.unwrap();
        assert_eq!(registry.settled().await.sessions.len(), 1);
    }
}
