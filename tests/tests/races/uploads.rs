//! What is uploaded, and when.

use http::StatusCode;
use skillhub_protocol::{UploadSession, UploadState};
use skillhub_store::ObjectKey;
use skillhub_tests::in_process::{InProcess, event_of};
use skillhub_tests::proxy::{Fault, Moment, Operation, every, nth};
use skillhub_tests::skill::Skill;
use skillhub_validate::Outcome;

use crate::{LEASE, SESSION, codes, entry};

#[tokio::test]
async fn r01_a_replayed_url_changes_nothing() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    let session = registry.open(&skill).await;
    let (upload, archive) = (session.upload.as_ref().unwrap(), skill.archive());
    assert_eq!(registry.put(upload, &archive).await, StatusCode::OK);
    assert_eq!(registry.put(upload, &archive).await, StatusCode::PRECONDITION_FAILED, "while it waits");
    let event = event_of(&session.id);
    registry.deliver(&event).await.unwrap();
    let before = registry.table.scan().await.unwrap();

    assert_eq!(registry.put(upload, &archive).await, StatusCode::OK, "staging is free again");
    registry.deliver(&event).await.unwrap();
    assert_eq!(registry.table.scan().await.unwrap(), before);
    assert_eq!(registry.settled().await.versions, [entry(&skill)].into());
}

#[tokio::test]
async fn r02_an_upload_swapped_after_it_was_read_is_not_what_is_published() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "good");
    let (id, _) = registry.upload(&skill).await;
    let mut put = registry.proxy.hold(nth(Operation::PutObject, 1), Moment::Before);
    let validating = registry.validate_beside(&id);
    put.reached().await;
    registry.objects().delete_staging(&id).await.unwrap();
    registry.place(&id, &Skill::new("hello", "evil").archive()).await;
    put.open();
    assert_eq!(validating.await.unwrap().unwrap(), Outcome::Decided(UploadState::Published));
    assert_eq!(registry.settled().await.versions, [entry(&skill)].into());
}

#[tokio::test]
async fn r03_other_bytes_than_declared_do_not_get_in() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    let session = registry.open(&skill).await;
    let mut other = skill.archive();
    let last = other.len() - 1;
    other[last] ^= 1;
    assert_eq!(registry.put(session.upload.as_ref().unwrap(), &other).await, StatusCode::BAD_REQUEST);
    assert!(!registry.objects().staging_exists(&session.id).await.unwrap());

    // Nor where the store does not check.
    let event = registry.place(&session.id, &other).await;
    assert_rejected(&registry, &session, &event).await;
}

#[tokio::test]
async fn r04_more_bytes_than_declared_do_not_get_in() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    let session = registry.open(&skill).await;
    let mut longer = skill.archive();
    longer.resize(4 << 20, 0);
    assert_eq!(registry.put(session.upload.as_ref().unwrap(), &longer).await, StatusCode::FORBIDDEN);
    assert!(!registry.objects().staging_exists(&session.id).await.unwrap());
    let event = registry.place(&session.id, &longer).await;
    assert_rejected(&registry, &session, &event).await;

    let mut request = skill.request();
    request["package"]["sizeBytes"] = serde_json::json!((11 << 20) + 1);
    let refused = registry.send(Some(&registry.owner), "POST", "/api/uploads", &request.to_string()).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "policy_refused"));
}

async fn assert_rejected(registry: &InProcess, session: &UploadSession, event: &aws_lambda_events::event::s3::S3Event) {
    registry.deliver(event).await.unwrap();
    let ended = registry.session(&session.id).await;
    assert_eq!((ended.state, codes(&ended)), (UploadState::Rejected, vec!["upload_mismatch"]));
    assert!(registry.settled().await.versions.is_empty());
}

#[tokio::test]
async fn r15_bytes_for_a_session_that_has_ended_are_removed() {
    let registry = InProcess::start().await;
    let published = registry.publish(&Skill::new("published", "x")).await;
    let rejected = registry.open(&Skill::new("rejected", "x")).await;
    let event = registry.place(&rejected.id, b"nonsense").await;
    registry.deliver(&event).await.unwrap();
    let canceled = registry.open(&Skill::new("canceled", "x")).await;
    registry.send(Some(&registry.owner), "DELETE", &format!("/api/uploads/{}", canceled.id), "").await;
    let (failed, _) = registry.upload(&Skill::new("failed", "x")).await;
    registry.proxy.inject(every(Operation::GetObject), Fault::Truncated);
    for _ in 0..6 {
        let _failing = registry.validate(&failed).await;
        registry.clock.advance(LEASE);
    }
    registry.proxy.clear();
    let expired = registry.open(&Skill::new("expired", "x")).await;
    registry.clock.advance(SESSION);
    registry.functions.sweep().await;

    use UploadState::{Canceled, Expired, Failed, Published, Rejected};
    let sessions = [
        (published.id, Published),
        (rejected.id, Rejected),
        (canceled.id, Canceled),
        (failed, Failed),
        (expired.id, Expired),
    ];
    for (id, state) in &sessions {
        let event = registry.place(id, b"late").await;
        registry.deliver(&event).await.unwrap();
        assert_eq!(registry.session(id).await.state, *state);
    }
    assert_eq!(registry.settled().await.sessions, sessions.into());
}

#[tokio::test]
async fn r20_what_the_validator_writes_triggers_no_validator() {
    let mut registry = InProcess::start().await;
    let published = registry.publish(&Skill::new("hello", "x")).await.published.unwrap();
    let calls = registry.proxy.take_attempts();
    let puts: Vec<_> = calls.iter().filter(|call| call.operation == Operation::PutObject).collect();
    assert!(puts.len() == 1 && puts[0].touches("packages/"), "{puts:?}");

    let upload = registry.next_event().await;
    let artifact = registry.next_event().await;
    let key = |event: &aws_lambda_events::event::s3::S3Event| event.records[0].s3.object.key.clone().unwrap();
    let skill = (published.skill_id, published.version_id, published.artifact_sha256);
    let package = ObjectKey::Package { skill: skill.0, version: skill.1, artifact: skill.2 };
    assert!(key(&upload).starts_with(ObjectKey::STAGING_PREFIX));
    assert_eq!(key(&artifact), package.to_string());
    // Even if the filter of the notification were wrong.
    registry.deliver(&artifact).await.unwrap();
    assert!(registry.proxy.take_attempts().is_empty());
    registry.settled().await;
}
