//! How often and how much: rates and quotas.

use std::time::Duration;

use serde_json::json;
use skillhub_store::{Permit, Rate};
use skillhub_tests::in_process::InProcess;
use skillhub_tests::skill::Skill;

use crate::support::{get, refused};

#[tokio::test]
async fn a_bucket_empties_refills_and_is_each_principals_own() {
    let registry = InProcess::start().await;
    let [one, other] = [registry.person("one").await, registry.person("other").await];
    let rate = Rate { per_minute: 60, burst: 3 };
    let start = registry.clock.now();
    let take = async |principal, after_ms| {
        registry.table().take_permit(principal, rate, start.plus_millis(after_ms)).await.unwrap()
    };
    let (one, other) = (&one.principal, &other.principal);
    // The bucket of one knows the writes that made its namespace, at the registry's own rate: hours later it is full.
    let later = 10 * 60 * 60 * 1000;
    let cases = [
        (one, 0, Permit::Granted),
        (one, 0, Permit::Granted),
        (one, 0, Permit::Granted),
        (one, 0, Permit::Wait(1000)),
        (other, 0, Permit::Granted),
        (one, 999, Permit::Wait(1)),
        (one, 1000, Permit::Granted),
        (one, 1000, Permit::Wait(1000)),
        (one, 60_000, Permit::Granted),
        (one, 60_000, Permit::Granted),
        (one, 60_000, Permit::Granted),
        (one, 60_000, Permit::Wait(1000)),
    ];
    for (i, (principal, after, expected)) in cases.into_iter().enumerate() {
        assert_eq!(take(principal, later + after).await, expected, "step {i}");
    }
    // Many at once get all of what is there, and no more, whatever each of their clocks says.
    let (mut tasks, at) = (Vec::new(), start.plus_millis(later + 600_000));
    for i in 0..16 {
        let (table, principal) = (registry.table().clone(), one.clone());
        tasks.push(tokio::spawn(async move {
            table.take_permit(&principal, Rate { per_minute: 60, burst: 5 }, at.plus_millis(i % 2)).await.unwrap()
        }));
    }
    let mut granted = 0;
    for task in tasks {
        granted += usize::from(task.await.unwrap() == Permit::Granted);
    }
    assert_eq!(granted, 5);
}

#[tokio::test]
async fn who_writes_too_often_is_told_when_to_come_back_and_may_still_read() {
    let registry = InProcess::start_set(|settings| settings.write_rate = Rate { per_minute: 6, burst: 4 }).await;
    let owner = Some(&registry.owner);
    let write = async || registry.send(owner, "DELETE", &format!("/api/tokens/t{}", "0".repeat(24)), "").await;
    let mut refusal = None;
    for _ in 0..5 {
        let answer = write().await;
        if answer.status == 429 {
            refusal = Some(answer);
            break;
        }
    }
    let refusal = refusal.unwrap();
    refused(&refusal, 429, "rate_limited");
    let seconds: u64 = refusal.headers["retry-after"].parse().unwrap();
    assert!((1..=10).contains(&seconds), "{seconds}");
    get(&registry, owner, "/api/whoami").await;
    registry.clock.advance(Duration::from_secs(seconds));
    refused(&write().await, 404, "not_found");
}

#[tokio::test]
async fn open_uploads_and_their_bytes_have_a_quota() {
    let registry = InProcess::start_set(|settings| {
        settings.quota.sessions = 3;
        settings.quota.staged_bytes = 1 << 20;
    })
    .await;
    let open = async |slug: &str, bytes: Option<u64>| {
        let mut request = Skill::new(slug, "x").request();
        if let Some(bytes) = bytes {
            request["package"]["sizeBytes"] = json!(bytes);
        }
        registry.send(Some(&registry.owner), "POST", "/api/uploads", &request.to_string()).await
    };
    assert_eq!(open("a", Some(1 << 19)).await.status, 201);
    let answer = open("b", Some((1 << 19) + 1)).await;
    refused(&answer, 429, "quota_exceeded");
    assert!(answer.headers.contains_key("retry-after"));
    assert_eq!(open("b", None).await.status, 201);
    let third = open("c", None).await.session();
    refused(&open("d", None).await, 429, "quota_exceeded");
    // What is open already is answered, and what ends makes room.
    assert_eq!(open("c", None).await.status, 200);
    let canceled = registry.send(Some(&registry.owner), "DELETE", &format!("/api/uploads/{}", third.id), "").await;
    assert_eq!(canceled.status, 200);
    assert_eq!(open("d", None).await.status, 201);
}
