//! Publishers in each other's way, and in their own.

use serde_json::json;
use skillhub_protocol::{PublishedVersion, Role, UploadId, UploadState};
use skillhub_tests::in_process::{Answer, Caller, InProcess};
use skillhub_tests::proxy::{Fault, Moment, Operation, nth};
use skillhub_tests::skill::Skill;
use skillhub_validate::Outcome;

use crate::{SESSION, artifact, codes, entry};

async fn open(registry: &InProcess, caller: &Caller, skill: &Skill) -> Answer {
    registry.send(Some(caller), "POST", "/api/uploads", &skill.request().to_string()).await
}

async fn cancel(registry: &InProcess, id: &UploadId) -> Answer {
    registry.send(Some(&registry.owner), "DELETE", &format!("/api/uploads/{id}"), "").await
}

/// Two uploads under way: `loser`'s transaction is held until `winner` is published.
async fn race(registry: &InProcess, winner: &UploadId, loser: &UploadId) {
    let mut pointer = registry.proxy.hold(nth(Operation::TransactWriteItems, 1), Moment::Before);
    let losing = registry.validate_beside(loser);
    pointer.reached().await;
    assert_eq!(registry.validate(winner).await.unwrap(), Outcome::Decided(UploadState::Published));
    pointer.open();
    losing.await.unwrap().unwrap();
}

async fn published(registry: &InProcess, id: &UploadId) -> PublishedVersion {
    registry.session(id).await.published.unwrap()
}

async fn current(registry: &InProcess) -> String {
    let listed = registry.get("/api/skills").await.json();
    listed["skills"][0]["currentVersion"]["version"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn r10_of_two_publishers_of_one_version_one_wins() {
    // The second is told at once while the first one's session is fresh. Later it gets a session of its own.
    for equal in [false, true] {
        let registry = InProcess::start().await;
        let member = registry.member("member", Role::Owner).await;
        let mine = Skill::new("hello", "mine");
        let theirs = if equal { mine.clone() } else { Skill::new("hello", "theirs") };
        let (loser, _) = registry.upload(&mine).await;
        let refused = open(&registry, &member, &theirs).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "session_open"));
        registry.clock.advance(SESSION);
        let winner = open(&registry, &member, &theirs).await.session().id;
        registry.place(&winner, &theirs.archive()).await;
        race(&registry, &winner, &loser).await;

        let lost = registry.session(&loser).await;
        if equal {
            assert_eq!(lost.published, Some(published(&registry, &winner).await));
        } else {
            assert_eq!((lost.state, codes(&lost)), (UploadState::Rejected, vec!["version_exists"]));
        }
        assert_eq!(registry.settled().await.versions, [entry(&theirs)].into());
    }
}

#[tokio::test]
async fn r11_of_two_versions_at_once_both_are_published_and_the_higher_is_current() {
    for (first, last) in [("2.0.0", "1.0.0"), ("1.0.0", "2.0.0"), ("1.0.0", "2.0.0-rc.1")] {
        let registry = InProcess::start().await;
        let start = Skill::new("hello", "start").version("0.1.0");
        registry.publish(&start).await;
        let [winner, loser] = [first, last].map(|version| Skill::new("hello", version).version(version));
        let [(first, _), (second, _)] = [registry.upload(&winner).await, registry.upload(&loser).await];
        race(&registry, &first, &second).await;
        let all = [entry(&start), entry(&winner), entry(&loser)];
        assert_eq!(registry.settled().await.versions, all.into());
        let expected = if last == "2.0.0" { last } else { winner.version.as_str() };
        assert_eq!(current(&registry).await, expected);
    }
}

#[tokio::test]
async fn r12_of_two_sessions_that_claim_a_slug_the_loser_adopts_the_winners_skill() {
    let registry = InProcess::start().await;
    let skills = ["1.0.0", "1.1.0"].map(|version| Skill::new("hello", version).version(version));
    let [(winner, _), (loser, _)] = [registry.upload(&skills[0]).await, registry.upload(&skills[1]).await];
    registry.proxy.take_attempts();
    race(&registry, &winner, &loser).await;
    let [first, second] = [published(&registry, &winner).await, published(&registry, &loser).await];
    assert_eq!(first.skill_id, second.skill_id);
    // The bytes went to the skill that was believed in, then to the one that is.
    let puts = registry.proxy.take_attempts();
    let puts: Vec<_> = puts.iter().filter(|call| call.operation == Operation::PutObject).collect();
    assert_eq!(puts.len(), 3, "{puts:?}");
    assert!(puts[2].touches(&format!("packages/{}/{}", first.skill_id, second.version_id)), "{puts:?}");
    assert_eq!(registry.settled().await.versions, skills.iter().map(entry).collect());
}

#[tokio::test]
async fn r12_one_new_slug_and_one_number_is_one_version() {
    for equal in [true, false] {
        let registry = InProcess::start().await;
        let skill = Skill::new("hello", "x");
        let other = Skill::new("hello", if equal { "x" } else { "y" });
        let (first, _) = registry.upload(&skill).await;
        // A request of its own, which takes the lock over from the first of the same caller.
        let mut request = other.request();
        request["scope"] = json!("public");
        let second = registry.send(Some(&registry.owner), "POST", "/api/uploads", &request.to_string()).await;
        let second = second.session().id;
        assert_ne!(first, second);
        registry.place(&second, &other.archive()).await;
        race(&registry, &first, &second).await;
        let expected = if equal { UploadState::Published } else { UploadState::Rejected };
        assert_eq!(registry.session(&second).await.state, expected);
        assert_eq!(registry.settled().await.versions, [entry(&skill)].into());
    }
}

#[tokio::test]
async fn r14_a_session_is_canceled_or_validated() {
    let registry = InProcess::start().await;
    let skills = ["claimed", "overtaken", "overtakes"].map(|name| Skill::new(name, "x"));
    let refused = |answer: &Answer| (answer.status.as_u16(), answer.code()) == (409, String::from("session_closed"));
    // While it is being validated.
    let (claimed, _) = registry.upload(&skills[0]).await;
    let mut read = registry.proxy.hold(nth(Operation::GetObject, 1), Moment::Before);
    let validating = registry.validate_beside(&claimed);
    read.reached().await;
    assert!(refused(&cancel(&registry, &claimed).await));
    read.open();
    validating.await.unwrap().unwrap();

    // The cancel has seen it open; then the validator comes first.
    let (overtaken, _) = registry.upload(&skills[1]).await;
    let mut verdict = registry.proxy.hold(nth(Operation::TransactWriteItems, 1), Moment::Before);
    let (answer, ()) = tokio::join!(cancel(&registry, &overtaken), async {
        verdict.reached().await;
        assert_eq!(registry.validate(&overtaken).await.unwrap(), Outcome::Decided(UploadState::Published));
        verdict.open();
    });
    assert!(refused(&answer), "{answer:?}");

    // The validator is about to claim it; then the cancel comes first.
    let (overtakes, _) = registry.upload(&skills[2]).await;
    let mut claim = registry.proxy.hold(nth(Operation::UpdateItem, 1), Moment::Before);
    let validating = registry.validate_beside(&overtakes);
    claim.reached().await;
    assert_eq!(cancel(&registry, &overtakes).await.session().state, UploadState::Canceled);
    claim.open();
    assert_eq!(validating.await.unwrap().unwrap(), Outcome::Ended(UploadState::Canceled));
    assert_eq!(registry.settled().await.versions, [entry(&skills[0]), entry(&skills[1])].into());
}

#[tokio::test]
async fn r14_two_cancels_at_once_both_succeed() {
    let registry = InProcess::start().await;
    let id = registry.open(&Skill::new("hello", "x")).await.id;
    let mut first = registry.proxy.hold(nth(Operation::TransactWriteItems, 1), Moment::Before);
    let (overtaken, ()) = tokio::join!(cancel(&registry, &id), async {
        first.reached().await;
        assert_eq!(cancel(&registry, &id).await.status.as_u16(), 200);
        first.open();
    });
    assert_eq!((overtaken.status.as_u16(), overtaken.session().state), (200, UploadState::Canceled));
    registry.settled().await;
}

/// The verdict is written, but its validator does not hear of it, neither from the transaction nor from the session.
#[tokio::test]
async fn r28_a_lock_whose_session_was_rejected_unheard_is_freed_by_the_next_event() {
    let registry = InProcess::start().await;
    let member = registry.member("member", Role::Owner).await;
    let skill = Skill::new("hello", "x");
    let first = registry.open(&skill).await;
    let event = registry.place(&first.id, b"nonsense").await;
    registry.proxy.inject(nth(Operation::TransactWriteItems, 1).and_retries(), Fault::FailedAfterwards);
    registry.proxy.inject(nth(Operation::GetItem, 1).and_retries(), Fault::Unavailable);
    registry.deliver(&event).await.unwrap_err();
    registry.proxy.clear();
    assert_eq!(registry.session(&first.id).await.state, UploadState::Rejected);
    assert_eq!(open(&registry, &member, &skill).await.code(), "session_open");
    registry.deliver(&event).await.unwrap();
    assert_eq!(open(&registry, &member, &skill).await.status.as_u16(), 201);
}

#[tokio::test]
async fn r28_a_client_that_crashed_is_not_kept_out_by_itself() {
    let registry = InProcess::start().await;
    let member = registry.member("member", Role::Owner).await;
    let (skill, fixed) = (Skill::new("hello", "x"), Skill::new("hello", "fixed"));
    let first = registry.open(&skill).await;
    // The same request: the same session, with a URL that works.
    let again = registry.open(&skill).await;
    assert_eq!(again.id, first.id);
    let bad = registry.put(again.upload.as_ref().unwrap(), &skill.archive()).await;
    assert_eq!(bad.as_u16(), 200);
    // Another request of the same caller takes the lock over; others are kept out until it is free or its time is over.
    let second = registry.open(&fixed).await;
    assert_ne!(second.id, first.id);
    assert_eq!(open(&registry, &member, &fixed).await.code(), "session_open");
    // The end of the first does not free the lock of the second, a rejection of the second does.
    assert_eq!(cancel(&registry, &first.id).await.status.as_u16(), 200);
    assert_eq!(open(&registry, &member, &fixed).await.code(), "session_open");
    registry.place(&second.id, b"nonsense").await;
    registry.proxy.take_attempts();
    registry.validate(&second.id).await.unwrap();
    let calls: Vec<_> = registry.proxy.take_attempts().iter().map(|call| call.operation).collect();
    let at = |operation| calls.iter().position(|call| *call == operation).unwrap();
    assert!(at(Operation::DeleteItem) > at(Operation::TransactWriteItems), "{calls:?}");
    let third = open(&registry, &member, &fixed).await;
    assert_eq!(third.status.as_u16(), 201);
    // A client that never comes back keeps others out for an hour.
    registry.clock.advance(SESSION);
    let (last, event) = registry.upload(&fixed).await;
    registry.deliver(&event).await.unwrap();
    assert_eq!(published(&registry, &last).await.artifact_sha256, artifact(&fixed));
    // What is published needs no lock: everybody is answered from the version.
    assert_eq!(open(&registry, &member, &fixed).await.session().published, Some(published(&registry, &last).await));
    assert_eq!(open(&registry, &member, &skill).await.code(), "version_exists");
    registry.validate(&first.id).await.unwrap();
    registry.functions.sweep().await;
    assert_eq!(registry.settled().await.versions, [entry(&fixed)].into());
}
