//! Answers have the keys and types that clients demand of them, and none that makes them fail.

use serde_json::{Value, json};
use skillhub_tests::in_process::InProcess;
use skillhub_tests::skill::Skill;

use crate::support::{publish_in, said, send, text};

/// A type of a value, as the clients' own schemas have it.
fn is(value: Option<&Value>, kind: &str) -> bool {
    match (value, kind) {
        (None, "absent") => true,
        (Some(value), "string") => value.is_string(),
        (Some(value), "number") => value.is_number(),
        (Some(value), "true") => *value == json!(true),
        (Some(value), "bool") => value.is_boolean(),
        (Some(value), "null") => value.is_null(),
        (Some(value), "object") => value.is_object(),
        (Some(value), text) if text.starts_with('=') => value.as_str() == Some(&text[1..]),
        _ => false,
    }
}

const LIST_ITEM: &[(&str, &str)] = &[
    ("/items/0/slug", "=hello"),
    ("/items/0/displayName", "=hello"),
    ("/items/0/summary", "string"),
    ("/items/0/tags", "object"),
    ("/items/0/stats", "object"),
    ("/items/0/createdAt", "number"),
    ("/items/0/updatedAt", "number"),
    ("/items/0/latestVersion/version", "=2.0.0"),
    ("/items/0/latestVersion/createdAt", "number"),
    ("/items/0/latestVersion/changelog", "="),
    ("/items/0/latestVersion/license", "absent"),
    ("/nextCursor", "null"),
];

const SKILL: &[(&str, &str)] = &[
    ("/skill/slug", "=hello"),
    ("/skill/displayName", "=hello"),
    ("/skill/tags/latest", "=2.0.0"),
    ("/skill/tags/beta", "=1.0.0"),
    ("/skill/stats", "object"),
    ("/skill/createdAt", "number"),
    ("/skill/updatedAt", "number"),
    ("/latestVersion/version", "=2.0.0"),
    ("/latestVersion/createdAt", "number"),
    ("/latestVersion/changelog", "="),
    ("/latestVersion/license", "absent"),
    ("/owner/handle", "=global"),
    ("/moderation", "null"),
];

#[tokio::test]
async fn answers_have_the_keys_and_types_that_clients_demand() {
    let registry = InProcess::start().await;
    publish_in(&registry, "@global", &Skill::new("hello", "x"), &["beta"]).await;
    publish_in(&registry, "@global", &Skill::new("hello", "y").version("2.0.0"), &[]).await;
    let cases: [(&str, &[(&str, &str)]); 12] = [
        ("/.well-known/clawhub.json", &[("/apiBase", "=http://registry.test:8787")]),
        ("/.well-known/clawdhub.json", &[("/apiBase", "=http://registry.test:8787")]),
        ("/api/v1/whoami", &[("/user/handle", "=owner"), ("/user/role", "=admin"), ("/user/image", "absent")]),
        ("/api/v1/skills", LIST_ITEM),
        ("/api/v1/skills?limit=25&prefix=hel", LIST_ITEM),
        (
            "/api/v1/search?q=hel&limit=25",
            &[
                ("/results/0/score", "number"),
                ("/results/0/slug", "=hello"),
                ("/results/0/displayName", "=hello"),
                ("/results/0/version", "=2.0.0"),
                ("/results/0/ownerHandle", "=global"),
                ("/results/0/updatedAt", "number"),
            ],
        ),
        ("/api/v1/search?q=hel&limit=25&mode=exact", &[("/results/0", "absent")]),
        ("/api/v1/skills/hello", SKILL),
        (
            "/api/v1/skills/hello/install",
            &[("/ok", "true"), ("/slug", "=hello"), ("/installKind", "=archive"), ("/archive/version", "=2.0.0")],
        ),
        (
            "/api/v1/skills/hello/versions?limit=25",
            &[
                ("/items/0/version", "=2.0.0"),
                ("/items/0/createdAt", "number"),
                ("/items/0/changelog", "="),
                ("/items/1/version", "=1.0.0"),
                ("/nextCursor", "null"),
            ],
        ),
        (
            "/api/v1/skills/hello/versions/1.0.0",
            &[
                ("/version/version", "=1.0.0"),
                ("/version/createdAt", "number"),
                ("/version/changelog", "="),
                ("/version/license", "absent"),
                ("/version/files/0/path", "=SKILL.md"),
                ("/version/files/0/size", "number"),
                ("/version/files/0/sha256", "string"),
                ("/skill/slug", "=hello"),
                ("/skill/displayName", "=hello"),
            ],
        ),
        ("/api/v1/skills?limit=1&sort=createdAt&cursor=czzzzzzzzzzzzzzzzzzzzzzzz", LIST_ITEM),
    ];
    for (path, keys) in cases {
        let answer = send(&registry, Some(&registry.owner), "GET", path, &Value::Null).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        let json = answer.json();
        for (key, kind) in keys {
            assert!(is(json.pointer(key), kind), "{path}: {key} is not {kind}: {json}");
        }
        assert!(!answer.headers.keys().any(|name| name.contains("ratelimit")), "{path}: {answer:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_is_said_in_plain_text_and_never_a_fault_of_ours() {
    let registry = InProcess::start().await;
    publish_in(&registry, "@global", &Skill::new("hello", "x"), &[]).await;
    let zeros = "0".repeat(64);
    let cases = [
        ("GET", String::from("/api/v1/skills?sort=stars"), 400, "cannot sort by"),
        ("GET", String::from("/api/v1/skills?limit=x"), 400, "limit must be"),
        ("GET", String::from("/api/v1/skills?cursor=x"), 400, "cursor must be"),
        ("GET", format!("/api/v1/resolve?slug=hello&hash={}", "A".repeat(64)), 400, "hash must be"),
        ("GET", format!("/api/v1/resolve?hash={zeros}"), 400, "slug must be"),
        ("GET", format!("/api/v1/resolve?slug=unknown&hash={zeros}"), 404, "Skill not found"),
        ("GET", String::from("/api/v1/skills/Hello%20World"), 404, "Skill not found"),
        ("GET", String::from("/api/v1/skills/hello/versions/9.9.9"), 404, "Version not found"),
        ("GET", String::from("/api/v1/skills/hello/file?path=nothing.md"), 404, "File not found"),
        ("GET", String::from("/api/v1/skills/hello/file"), 400, "path must be"),
        ("GET", String::from("/api/v1/download"), 400, "slug must be"),
        ("GET", String::from("/api/v1/download?slug=hello&tag=none"), 404, "Version not found"),
        ("POST", String::from("/api/v1/skills/hello/rename"), 404, "does not rename"),
        ("POST", String::from("/api/v1/skills/hello/merge"), 404, "does not merge"),
        ("POST", String::from("/api/v1/skills/hello/transfer"), 404, "does not transfer"),
        ("GET", String::from("/api/v1/transfers/incoming"), 404, "does not transfer"),
        ("GET", String::from("/api/v1/skills/hello/verify"), 404, "no skill cards"),
        ("POST", String::from("/api/v1/skills/hello/report"), 404, "takes no reports"),
        ("POST", String::from("/api/v1/skills/-/scan"), 404, "no scans"),
        ("GET", String::from("/api/v1/skills/-/scan/x/download"), 404, "no scans"),
        ("GET", String::from("/api/v1/packages/search?q=x"), 404, "skills only"),
        ("GET", String::from("/api/v1/nothing/at/all"), 404, "does not have this"),
        ("PUT", String::from("/api/v1/skills/hello"), 405, "does not have this"),
        ("GET", String::from("/cli/auth?state=x"), 400, "clawhub login --token"),
        ("POST", String::from("/api/cli/device/code"), 400, "clawhub login --token"),
        ("POST", String::from("/api/v1/skills"), 400, "The payload cannot be read"),
        ("POST", String::from("/api/v1/skills/-/upload-url"), 400, "cannot be read"),
        ("POST", String::from("/api/v1/skills/-/upload/x"), 400, "ticket is not valid"),
        ("POST", String::from("/api/v1/skills/hello/tags/latest"), 400, "cannot be read"),
    ];
    for (method, path, status, words) in cases {
        let answer = send(&registry, Some(&registry.owner), method, &path, &Value::Null).await;
        assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
        assert!(text(&answer).contains(words), "{method} {path}: {}", text(&answer));
        assert_eq!(answer.headers["content-type"], "text/plain; charset=utf-8", "{method} {path}");
    }
    assert_eq!(said(&registry, None, "POST", "/api/cli/telemetry/install", &json!({})).await.0, 200);
    assert_eq!(said(&registry, None, "GET", "/api/v1/whoami", &Value::Null).await, (401, String::from("Unauthorized")));
}

#[tokio::test]
async fn the_rate_is_told_when_it_is_exceeded_and_nowhere_else() {
    let rate = skillhub_store::Rate { per_minute: 1, burst: 3 };
    let registry = InProcess::start_set(|settings| settings.write_rate = rate).await;
    let mut last = None;
    for _ in 0..4 {
        let answer = send(&registry, Some(&registry.owner), "POST", "/api/v1/stars/unknown", &json!({})).await;
        let told = answer.headers.contains_key("ratelimit-remaining");
        assert_eq!(told, answer.status == 429, "{answer:?}");
        last = Some(answer);
    }
    let last = last.unwrap();
    assert_eq!((last.status.as_u16(), last.headers["ratelimit-limit"].as_str()), (429, "3"), "{last:?}");
    assert_eq!(last.headers["retry-after"], last.headers["ratelimit-reset"]);
}
