//! Deleting and bringing back, tags, stars.

use serde_json::{Value, json};
use skillhub_protocol::Role;
use skillhub_tests::in_process::{Caller, InProcess};
use skillhub_tests::skill::Skill;

use crate::support::{publish_in, said, send, text};

async fn latest(registry: &InProcess, path: &str) -> Value {
    let answer = send(registry, None, "GET", path, &Value::Null).await;
    if answer.status == 404 {
        assert_eq!(text(&answer), "Skill not found");
        return Value::Null;
    }
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["latestVersion"]["version"].clone()
}

#[tokio::test]
async fn deleting_withdraws_and_undeleting_brings_back_what_was_deleted_together() {
    let registry = InProcess::start().await;
    let (owner, hello) = (registry.owner.clone(), "/api/v1/skills/hello");
    for version in ["1.0.0", "1.1.0", "2.0.0"] {
        publish_in(&registry, "@global", &Skill::new("hello", version).version(version), &[]).await;
    }
    let reader = registry.member("reader", Role::Reader).await;
    let change = async |by: &Caller, method: &str, path: &str, body: Value| {
        said(&registry, Some(by), method, &format!("{hello}{path}"), &body).await
    };
    let ok = (200, String::from(r#"{"ok":true}"#));

    // A single version.
    assert_eq!(change(&owner, "DELETE", "/versions/1.1.0", json!({ "version": "1.1.0" })).await, ok);
    assert_eq!(latest(&registry, hello).await, "2.0.0");
    assert_eq!(change(&owner, "DELETE", "/versions/2.0.0", json!({ "version": "2.0.0" })).await, ok);
    assert_eq!(latest(&registry, hello).await, "1.0.0");
    assert_eq!(change(&owner, "POST", "/versions/2.0.0/restore", json!({ "version": "2.0.0" })).await, ok);
    assert_eq!(latest(&registry, hello).await, "2.0.0");

    // All of it: nothing is found any more but by its exact number.
    assert_eq!(change(&owner, "DELETE", "", json!({ "reason": "superseded" })).await, ok);
    assert_eq!(latest(&registry, hello).await, Value::Null);
    assert_eq!(latest(&registry, &format!("{hello}%402.0.0")).await, "2.0.0");
    assert_eq!(change(&owner, "DELETE", "", Value::Null).await, ok, "again");
    assert_eq!(change(&owner, "POST", "/undelete", json!({})).await, ok);
    assert_eq!(latest(&registry, hello).await, "2.0.0");
    let listed = send(&registry, None, "GET", &format!("{hello}/versions"), &Value::Null).await.json();
    let versions: Vec<_> = listed["items"].as_array().unwrap().iter().map(|item| item["version"].clone()).collect();
    assert_eq!(versions, ["2.0.0", "1.0.0"], "1.1.0 was deleted by itself");

    for (by, method, path, body, status, words) in [
        (&owner, "DELETE", "", json!({ "version": "1.0.0" }), 400, "whole skill"),
        (&owner, "DELETE", "%401.0.0", Value::Null, 400, "--version"),
        (&owner, "DELETE", "/versions/9.9.9", Value::Null, 404, "Version not found"),
        (&owner, "DELETE", "/versions/1.0.0", json!({ "version": "2.0.0" }), 400, "not the one in the path"),
        (&owner, "DELETE", "", json!({ "reason": "a\nb" }), 400, "reason"),
        (&reader, "DELETE", "", Value::Null, 403, "Your role does not allow this"),
        (&reader, "POST", "/undelete", json!({}), 403, "Your role does not allow this"),
        (&reader, "DELETE", "/versions/1.0.0", Value::Null, 403, "Your role does not allow this"),
    ] {
        let (found, text) = change(by, method, path, body).await;
        assert_eq!((found, text.contains(words)), (status, true), "{method} {path}: {text}");
    }
    // The owner's own handle means the owner's own skill, and never that of @global.
    assert_eq!(change(&owner, "DELETE", "", json!({ "ownerHandle": "owner" })).await.0, 404);
    for version in ["1.0.0", "2.0.0"] {
        change(&owner, "DELETE", &format!("/versions/{version}"), Value::Null).await;
    }
    let (status, text) = change(&owner, "POST", "/undelete", json!({})).await;
    assert_eq!((status, text.contains("--version")), (409, true), "{text}");
    registry.settled().await;
}

#[tokio::test]
async fn a_skill_of_many_versions_is_deleted_in_steps_and_keeps_its_latest_until_the_last() {
    let registry = InProcess::start().await;
    let owner = registry.owner.clone();
    for patch in 0..52 {
        let version = format!("1.0.{patch}");
        publish_in(&registry, "@global", &Skill::new("many", &version).version(&version), &[]).await;
    }
    let delete = async || said(&registry, Some(&owner), "DELETE", "/api/v1/skills/many", &Value::Null).await;
    let (status, text) = delete().await;
    assert_eq!((status, text.as_str()), (409, "50 versions are changed, 2 are left. Run the same command again."));
    assert_eq!(latest(&registry, "/api/v1/skills/many").await, "1.0.51");
    assert_eq!(delete().await.0, 200);
    assert_eq!(latest(&registry, "/api/v1/skills/many").await, Value::Null);
}

#[tokio::test]
async fn tags_move_and_stars_are_their_givers_own() {
    let registry = InProcess::start().await;
    let (owner, other) = (registry.owner.clone(), registry.person("other").await);
    for version in ["1.0.0", "2.0.0"] {
        publish_in(&registry, "@global", &Skill::new("hello", version).version(version), &[]).await;
    }
    let tag = async |by: &Caller, tag: &str, body: Value| {
        said(&registry, Some(by), "POST", &format!("/api/v1/skills/hello/tags/{tag}"), &body).await
    };
    let one = json!({ "version": "1.0.0" });
    let answer = tag(&owner, "beta", one.clone()).await;
    assert_eq!(answer, (200, String::from(r#"{"ok":true,"slug":"hello","tag":"beta","version":"1.0.0"}"#)));
    assert_eq!(latest(&registry, "/api/v1/skills/hello%40beta").await, "1.0.0");
    for (by, name, body, status, words) in [
        (&owner, "latest", one.clone(), 400, "is computed"),
        (&owner, "Not%20A%20Tag", one.clone(), 400, "tag"),
        (&owner, "beta", json!({ "version": "9.9.9" }), 409, "no such version"),
        (&owner, "beta", json!({}), 400, "cannot be read"),
        (&other, "beta", one, 403, "Your role"),
    ] {
        let (found, text) = tag(by, name, body).await;
        assert_eq!((found, text.contains(words)), (status, true), "{name}: {text}");
    }

    for (by, method, key, already) in [
        (&owner, "POST", "alreadyStarred", false),
        (&owner, "POST", "alreadyStarred", true),
        (&other, "POST", "alreadyStarred", false),
        (&owner, "DELETE", "alreadyUnstarred", false),
        (&owner, "DELETE", "alreadyUnstarred", true),
        (&owner, "POST", "alreadyStarred", false),
    ] {
        let answer = send(&registry, Some(by), method, "/api/v1/stars/hello", &json!({})).await;
        assert_eq!((answer.status.as_u16(), &answer.json()[key]), (200, &json!(already)), "{method} {answer:?}");
    }
}
