//! What each request costs in calls of the stores, authentication and rate apart: what the crate says of itself.

use serde_json::{Value, json};
use skillhub_tests::in_process::InProcess;
use skillhub_tests::skill::Skill;

use crate::support::{payload, publish_files, publish_in, send};

#[tokio::test]
async fn reading() {
    let registry = InProcess::start().await;
    registry.found_namespace(&registry.owner, "@team", "organization").await;
    publish_in(&registry, "@global", &Skill::new("hello", "x"), &["beta"]).await;
    let located = ["GetItem G strong", "GetItem S strong"];
    let pinned = ["GetItem G strong", "BatchGetItem 2"];
    let resolve = format!("/api/v1/resolve?slug=hello&hash={}", "0".repeat(64));
    let cases: [(&str, &[&str]); 12] = [
        ("/api/v1/skills", &["Query L"]),
        ("/api/v1/search?q=hel", &["Query Q", "BatchGetItem 1"]),
        ("/api/v1/skills/hello", &located),
        ("/api/v1/skills/hello%401.0.0", &pinned),
        ("/api/v1/skills/hello%40beta", &[located[0], located[1], "GetItem S strong"]),
        ("/api/v1/skills/nothing", &["GetItem G strong"]),
        ("/api/v1/skills/team--nothing", &["GetItem H", "GetItem G strong"]),
        ("/api/v1/skills/hello/versions", &[located[0], located[1], "Query S"]),
        ("/api/v1/skills/hello/versions/1.0.0", &[located[0], located[1], "GetItem S"]),
        (&resolve, &[located[0], located[1], "GetItem F", "GetItem F strong"]),
        ("/api/v1/download?slug=hello&version=1.0.0", &located),
        ("/api/v1/skills/hello/file?path=SKILL.md", &[located[0], located[1], "BatchGetItem 2", "GetObject packages"]),
    ];
    for (path, expected) in cases {
        registry.proxy.take_attempts();
        send(&registry, None, "GET", path, &Value::Null).await;
        let calls: Vec<_> = registry.proxy.take_attempts().iter().map(ToString::to_string).collect();
        assert_eq!(calls, expected, "{path}");
    }
}

#[tokio::test]
async fn publishing_by_tickets() {
    let mut registry = InProcess::start().await;
    let owner = registry.owner.clone();
    registry.proxy.take_attempts();
    publish_files(&mut registry, &owner, &payload("hello", "1.0.0"), &Skill::new("hello", "x")).await;
    let calls: Vec<_> = registry.proxy.take_attempts().iter().map(ToString::to_string).collect();
    let count = |call: &str| calls.iter().filter(|other| *other == call).count();
    // Three files: a ticket each, its bytes, and one publication of them all.
    for (call, expected) in [
        ("PutItem PT", 3),
        ("BatchGetItem 1", 3),
        ("PutObject parts", 3),
        ("BatchGetItem 3", 1),
        ("GetObject parts", 3),
        ("TransactWriteItems 4", 1),
        ("TransactWriteItems 3", 1),
        ("PutObject staging", 1),
        ("DeleteObject parts", 3),
    ] {
        assert_eq!(count(call), expected, "{call}: {calls:?}");
    }
    registry.proxy.take_attempts();
    send(&registry, Some(&owner), "POST", "/api/v1/stars/hello", &json!({})).await;
    let calls: Vec<_> = registry.proxy.take_attempts().iter().map(ToString::to_string).collect();
    let rest = calls.iter().skip(2).filter(|call| *call != "UpdateItem RL").collect::<Vec<_>>();
    assert_eq!(rest, ["GetItem G strong", "GetItem S strong", "PutItem P"], "{calls:?}");
}
