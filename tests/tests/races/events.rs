//! Events that come twice, early, late or never, and sessions that keep others waiting.

use std::time::Duration;

use skillhub_protocol::{UploadId, UploadState};
use skillhub_sweep::SessionsReport;
use skillhub_tests::in_process::{InProcess, event_of};
use skillhub_tests::proxy::{Fault, Moment, Operation, every, nth};
use skillhub_tests::skill::Skill;
use skillhub_validate::Outcome;

use crate::{LEASE, SESSION, codes, entry};

const FIRST_CHECK: Duration = Duration::from_secs(120);

#[tokio::test]
async fn r05_many_deliveries_of_an_event_equal_one() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    let (id, event) = registry.upload(&skill).await;
    // One of eight at once gets the lease, which for the others is success; then they are asked again.
    let mut read = registry.proxy.hold(nth(Operation::GetObject, 1), Moment::Before);
    let first = registry.validate_beside(&id);
    read.reached().await;
    let others: Vec<_> = (0..7).map(|_| registry.validate_beside(&id)).collect();
    for other in others {
        assert_eq!(other.await.unwrap().unwrap(), Outcome::Held);
    }
    read.open();
    assert_eq!(first.await.unwrap().unwrap(), Outcome::Decided(UploadState::Published));

    let before = registry.table.scan().await.unwrap();
    for _ in 0..3 {
        registry.deliver(&event).await.unwrap();
        assert_eq!(registry.validate(&id).await.unwrap(), Outcome::Ended(UploadState::Published));
    }
    assert_eq!(registry.table.scan().await.unwrap(), before);
    assert_eq!(registry.settled().await.versions, [entry(&skill)].into());
}

#[tokio::test]
async fn r06_an_event_is_a_hint_whenever_it_comes_and_whatever_it_says() {
    let registry = InProcess::start().await;
    let (first, second) = (Skill::new("hello", "x"), Skill::new("hello", "y").version("2.0.0"));
    // Before the bytes: the session waits on. Size and ETag of these events are made up.
    let early = registry.open(&first).await;
    registry.deliver(&event_of(&early.id)).await.unwrap();
    assert_eq!(registry.session(&early.id).await.state, UploadState::Open);
    // In the other order than the uploads.
    registry.place(&early.id, &first.archive()).await;
    let (late, event) = registry.upload(&second).await;
    registry.deliver(&event).await.unwrap();
    registry.deliver(&event_of(&early.id)).await.unwrap();
    // Long after all is done.
    registry.clock.advance(SESSION);
    for id in [&late, &early.id] {
        assert_eq!(registry.validate(id).await.unwrap(), Outcome::Ended(UploadState::Published));
    }
    assert_eq!(registry.settled().await.versions, [entry(&first), entry(&second)].into());
}

#[tokio::test]
async fn r07_what_a_lost_event_was_about_is_found_by_the_sweeper() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    registry.upload(&skill).await;
    let waiting = registry.open(&Skill::new("waiting", "x")).await;
    let sweep = async || registry.functions.sweep().await.sessions;
    registry.clock.advance(FIRST_CHECK - Duration::from_secs(10));
    assert_eq!(sweep().await, SessionsReport::default(), "not yet");
    registry.clock.advance(Duration::from_secs(11));
    assert_eq!(sweep().await, SessionsReport { due: 2, validated: 1, postponed: 1, ..SessionsReport::default() });
    registry.clock.advance(SESSION);
    assert_eq!(sweep().await, SessionsReport { due: 1, expired: 1, ..SessionsReport::default() });
    let settled = registry.settled().await;
    assert_eq!(settled.versions, [entry(&skill)].into());
    assert_eq!(settled.sessions[&waiting.id], UploadState::Expired);
}

#[tokio::test]
async fn r07_what_has_no_bytes_is_looked_at_after_twice_the_time_until_its_time_is_over() {
    let registry = InProcess::start().await;
    let id = registry.open(&Skill::new("waiting", "x")).await.id;
    let mut minutes = Vec::new();
    loop {
        let session = registry.table().session(&id).await.unwrap().unwrap();
        if session.state.is_terminal() {
            break;
        }
        let [created, next, now] =
            [session.created_at, session.next_check_at, registry.clock.now()].map(|time| time.epoch_millis());
        minutes.push((next - created) / 60_000);
        registry.clock.advance(Duration::from_millis((next - now).max(0).unsigned_abs() + 1));
        assert_eq!(registry.functions.sweep().await.sessions.due, 1);
    }
    assert_eq!(minutes, [2, 4, 8, 16, 32, 60]);
    assert_eq!(registry.settled().await.sessions[&id], UploadState::Expired);
}

#[tokio::test]
async fn r07_a_run_of_the_sweeper_is_bounded() {
    let registry = InProcess::start().await;
    for i in 0..52 {
        registry.open(&Skill::new(&format!("skill-{i}"), "x")).await;
    }
    registry.clock.advance(SESSION);
    let runs = [registry.functions.sweep().await.sessions, registry.functions.sweep().await.sessions];
    assert_eq!(runs.map(|report| (report.due, report.expired)), [(50, 50), (2, 2)]);
    registry.settled().await;
}

#[tokio::test]
async fn r22_a_poison_session_ends_and_keeps_nobody_waiting() {
    let registry = InProcess::start().await;
    let (poison, _) = registry.upload(&Skill::new("poison", "x")).await;
    let good: Vec<_> = (0..3).map(|i| Skill::new(&format!("good-{i}"), "x")).collect();
    for skill in &good {
        registry.upload(skill).await;
    }
    registry.proxy.inject(every(Operation::GetObject).on(format!("staging/{poison}")), Fault::Truncated);
    registry.clock.advance(FIRST_CHECK);
    let first = registry.functions.sweep().await.sessions;
    assert_eq!(first, SessionsReport { due: 4, validated: 3, failed: 1, ..SessionsReport::default() });
    for _ in 1..5 {
        assert_eq!(registry.session(&poison).await.state, UploadState::Validating);
        registry.clock.advance(LEASE);
        assert_eq!(
            registry.functions.sweep().await.sessions,
            SessionsReport { due: 1, failed: 1, ..SessionsReport::default() }
        );
    }
    registry.clock.advance(LEASE);
    assert_eq!(
        registry.functions.sweep().await.sessions,
        SessionsReport { due: 1, validated: 1, ..SessionsReport::default() }
    );
    let ended = registry.session(&poison).await;
    assert_eq!((ended.state, codes(&ended)), (UploadState::Failed, vec!["internal"]));
    assert_eq!(registry.settled().await.versions, good.iter().map(entry).collect());
}

/// As many as one run looks at, all of them written by a release that is newer.
#[tokio::test]
async fn r22_sessions_that_cannot_be_read_keep_nobody_waiting() {
    let registry = InProcess::start().await;
    for i in 0..50 {
        registry.upload(&Skill::new(&format!("newer-{i}"), "x")).await;
    }
    registry.clock.advance(Duration::from_millis(1));
    let good = Skill::new("good", "x");
    registry.upload(&good).await;
    let rows = registry.table.scan().await.unwrap();
    for row in
        rows.into_iter().filter(|row| row.sk == "#" && row.attributes["slug"] != "good" && row.pk.starts_with("U#"))
    {
        registry.table.put_of_format(2, &row.pk, &row.sk, row.attributes).await.unwrap();
    }
    registry.clock.advance(FIRST_CHECK);
    assert_eq!(
        registry.functions.sweep().await.sessions,
        SessionsReport { due: 50, failed: 50, ..SessionsReport::default() }
    );
    assert_eq!(
        registry.functions.sweep().await.sessions,
        SessionsReport { due: 1, validated: 1, ..SessionsReport::default() }
    );
}

#[tokio::test]
async fn r27_a_session_past_its_time_ends_by_what_stands_in_staging() {
    let registry = InProcess::start().await;
    let [swept, delivered] = ["swept", "delivered"].map(|name| Skill::new(name, "x"));
    let (_, _) = registry.upload(&swept).await;
    let (_, event) = registry.upload(&delivered).await;
    let empty = registry.open(&Skill::new("empty", "x")).await;
    registry.clock.advance(SESSION * 3);
    registry.deliver(&event).await.unwrap();
    let report = registry.functions.sweep().await.sessions;
    assert_eq!(report, SessionsReport { due: 2, validated: 1, expired: 1, ..SessionsReport::default() });
    let settled = registry.settled().await;
    assert_eq!(settled.versions, [entry(&swept), entry(&delivered)].into());
    assert_eq!(settled.sessions[&empty.id], UploadState::Expired);
}

#[tokio::test]
async fn r27_bytes_that_come_while_a_session_expires_are_published_or_removed() {
    let registry = InProcess::start().await;
    let skills = ["expires-first", "claimed-first"].map(|name| Skill::new(name, "x"));
    let mut ids: Vec<UploadId> = Vec::new();
    for (skill, claimed_first) in skills.iter().zip([false, true]) {
        let id = registry.open(skill).await.id;
        registry.clock.advance(SESSION);
        // The sweeper has seen no bytes, and is about to write that down.
        let mut expiry = registry.proxy.hold(nth(Operation::TransactWriteItems, 1), Moment::Before);
        let sweeping = registry.functions.clone();
        let sweeping = tokio::spawn(async move { sweeping.sweep().await });
        expiry.reached().await;
        let event = registry.place(&id, &skill.archive()).await;
        if claimed_first {
            registry.deliver(&event).await.unwrap();
        }
        expiry.open();
        sweeping.await.unwrap();
        registry.deliver(&event).await.unwrap();
        ids.push(id);
    }
    let settled = registry.settled().await;
    assert_eq!(settled.versions, [entry(&skills[1])].into());
    assert_eq!([settled.sessions[&ids[0]], settled.sessions[&ids[1]]], [UploadState::Expired, UploadState::Published]);
}
