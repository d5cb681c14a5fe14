//! What a caller may not see is, to the byte, what does not exist: on every route.

use serde_json::{Value, json};
use skillhub_tests::in_process::InProcess;
use skillhub_tests::skill::Skill;

use crate::support::{publish_in, said};

/// Method, path with `{slug}` in it, body.
fn requests() -> Vec<(&'static str, &'static str, Value)> {
    let zeros = "/api/v1/resolve?slug={slug}&hash=0000000000000000000000000000000000000000000000000000000000000000";
    let body = json!({ "version": "1.0.0" });
    vec![
        ("GET", "/api/v1/skills/{slug}", Value::Null),
        ("GET", "/api/v1/skills/{slug}?ownerHandle=owner", Value::Null),
        ("GET", "/api/v1/skills/{slug}%401.0.0", Value::Null),
        ("GET", "/api/v1/skills/{slug}/install", Value::Null),
        ("GET", "/api/v1/skills/{slug}/versions", Value::Null),
        ("GET", "/api/v1/skills/{slug}/versions/1.0.0", Value::Null),
        ("GET", "/api/v1/skills/{slug}/file?path=SKILL.md", Value::Null),
        ("GET", "/api/v1/skills/{slug}/moderation", Value::Null),
        ("GET", "/api/v1/skills/{slug}/verify", Value::Null),
        ("GET", "/api/v1/download?slug={slug}", Value::Null),
        ("GET", "/api/v1/download?slug={slug}&version=1.0.0", Value::Null),
        ("GET", zeros, Value::Null),
        ("GET", "/api/v1/search?q={slug}", Value::Null),
        ("GET", "/api/v1/skills?prefix={slug}", Value::Null),
        ("DELETE", "/api/v1/skills/{slug}", Value::Null),
        ("POST", "/api/v1/skills/{slug}/undelete", json!({})),
        ("DELETE", "/api/v1/skills/{slug}/versions/1.0.0", body.clone()),
        ("POST", "/api/v1/skills/{slug}/versions/1.0.0/restore", body.clone()),
        ("POST", "/api/v1/skills/{slug}/tags/beta", body),
        ("POST", "/api/v1/skills/{slug}/rename", json!({ "newSlug": "x" })),
        ("POST", "/api/v1/stars/{slug}", json!({})),
        ("DELETE", "/api/v1/stars/{slug}", Value::Null),
    ]
}

#[tokio::test]
async fn what_is_hidden_from_a_caller_is_to_the_byte_what_does_not_exist() {
    let registry = InProcess::start().await;
    publish_in(&registry, "@owner", &Skill::new("hidden", "x"), &[]).await;
    let stranger = registry.person("stranger").await;
    for by in [None, Some(&stranger)] {
        for (method, path, body) in requests() {
            let mut answers = Vec::new();
            // A slug of another namespace than the owner that is named along with it is refused before anything is looked up.
            let others: &[&str] = if path.contains("=owner") { &[] } else { &["nobody--hidden"] };
            for slug in ["owner--hidden", "owner--unknown"].iter().chain(others) {
                answers.push(said(&registry, by, method, &path.replace("{slug}", slug), &body).await);
            }
            assert!(answers.iter().all(|answer| *answer == answers[0]), "{method} {path}: {answers:?}");
            let expected = match (method, path) {
                (_, path) if path.contains("search") || path.contains("prefix") => 200,
                ("GET", _) => 404,
                (_, path) if path.ends_with("rename") => 404,
                _ if by.is_none() => 401,
                _ => 404,
            };
            assert_eq!(answers[0].0, expected, "{method} {path}: {answers:?}");
        }
    }
    for (method, path, body) in
        requests().into_iter().filter(|(method, path, _)| *method == "GET" && !path.contains("=owner"))
    {
        let (status, body) =
            said(&registry, Some(&registry.owner), method, &path.replace("{slug}", "owner--hidden"), &body).await;
        let absent = path.ends_with("moderation") || path.ends_with("verify");
        assert!(absent || matches!(status, 200 | 302), "{method} {path}: {status} {body}");
    }
    let listed = said(&registry, Some(&stranger), "GET", "/api/v1/skills", &Value::Null).await;
    assert_eq!(listed, (200, String::from(r#"{"items":[],"nextCursor":null}"#)));
}

#[tokio::test]
async fn without_anonymous_reading_a_token_is_needed_to_read() {
    let registry = InProcess::start_set(|settings| settings.anonymous_read = false).await;
    publish_in(&registry, "@global", &Skill::new("hello", "x"), &[]).await;
    for (method, path, body) in requests().into_iter().filter(|(method, _, _)| *method == "GET") {
        let path = path.replace("{slug}", "hello");
        let (status, text) = said(&registry, None, method, &path, &body).await;
        let absent = path.ends_with("moderation") || path.ends_with("verify");
        assert!(absent || (status == 401 && text == "Unauthorized"), "{method} {path}: {status} {text}");
    }
}
