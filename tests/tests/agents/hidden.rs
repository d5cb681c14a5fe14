//! Who sees what: without a token, with one that may see it, and with one that may not.

use http::StatusCode;
use serde_json::{Value, json};
use skillhub_tests::in_process::{Answer, Caller, InProcess};
use skillhub_tests::skill::Skill;

use crate::support::{call, fault, publish_as, result_for};

/// `@team/hidden` for its members, `@lead/own` for one person, `@team/open` for all.
async fn found(registry: &InProcess) -> Caller {
    let lead = registry.person("lead").await;
    registry.found_namespace(&lead, "@team", "organization").await;
    for (slug, namespace, scope) in
        [("hidden", "@team", "organization"), ("own", "@lead", "personal"), ("open", "@team", "public")]
    {
        let to = |request: &mut Value| (request["namespace"], request["scope"]) = (json!(namespace), json!(scope));
        publish_as(registry, &lead, &Skill::new(slug, "x"), to).await;
    }
    lead
}

/// Requests for a skill, each with the same for one that does not exist.
fn pairs() -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (place, nowhere) in [
        ("@lead", "@nobody"),
        ("@team/hidden", "@team/unknown"),
        ("@team/hidden@1.0.0", "@nobody/hidden@1.0.0"),
        ("@lead/own", "@lead/unknown"),
    ] {
        let slug = if place.contains("hidden") { "hidden" } else { "own" };
        for path in [
            "agent-skills/index.json".to_owned(),
            "skills/index.json".to_owned(),
            format!("agent-skills/{slug}@1.0.0.zip"),
            format!("skills/{slug}/SKILL.md"),
        ] {
            pairs.push((format!("/{place}/.well-known/{path}"), format!("/{nowhere}/.well-known/{path}")));
        }
    }
    pairs
}

/// All of an answer that its receiver can tell it from another by.
fn told(answer: &Answer) -> (StatusCode, Vec<(&String, &String)>, &[u8]) {
    let headers = answer.headers.iter().filter(|(name, _)| *name != "x-request-id").collect();
    (answer.status, headers, &answer.body)
}

#[tokio::test]
async fn what_is_hidden_is_to_the_byte_what_does_not_exist() {
    let registry = InProcess::start().await;
    let lead = found(&registry).await;
    let stranger = registry.person("stranger").await;
    for (hidden, unknown) in pairs() {
        for by in [None, Some(&stranger), Some(&registry.owner)] {
            let answers = [registry.send(by, "GET", &hidden, "").await, registry.send(by, "GET", &unknown, "").await];
            assert_eq!(answers[0].status, StatusCode::NOT_FOUND, "{hidden}");
            assert_eq!(told(&answers[0]), told(&answers[1]), "{hidden}");
        }
        let seen = registry.send(Some(&lead), "GET", &hidden, "").await;
        assert!(seen.status.is_success() || seen.status == StatusCode::FOUND, "{hidden}: {seen:?}");
    }
    for slug in ["team/hidden", "lead/own"] {
        for (method, path) in [("skills/get", "SKILL.md"), ("resources/read", "references/notes.md")] {
            let uri = |slug: &str| json!({ "uri": format!("skill://{slug}/{path}") });
            for by in [None, Some(&stranger)] {
                let hidden = call(&registry, by, method, uri(slug)).await;
                for nowhere in ["team/unknown", "nobody/hidden"] {
                    let unknown = call(&registry, by, method, uri(nowhere)).await;
                    assert_eq!(told(&hidden), told(&unknown), "{method} {slug}");
                }
                assert_eq!(fault(&hidden), (400, -32602));
            }
            result_for(&registry, Some(&lead), method, uri(slug)).await;
        }
    }
}

#[tokio::test]
async fn lists_have_what_the_caller_sees_and_are_shared_only_if_all_see_the_same() {
    let registry = InProcess::start().await;
    let lead = found(&registry).await;
    let stranger = registry.person("stranger").await;
    let (open, all) = (vec!["open"], vec!["hidden", "own", "open"]);
    for (by, expected, scope) in
        [(None, &open, "public"), (Some(&stranger), &open, "private"), (Some(&lead), &all, "private")]
    {
        for (method, field, pointer) in
            [("skills/list", "skills", "/frontmatter/name"), ("resources/list", "resources", "/name")]
        {
            let listed = result_for(&registry, by, method, json!({})).await;
            let names = listed[field].as_array().unwrap().iter().map(|item| item.pointer(pointer).unwrap());
            assert_eq!(names.collect::<Vec<_>>(), *expected, "{method}");
            assert_eq!(listed["cacheScope"], scope);
        }
        let index = registry.send(by, "GET", "/@team/.well-known/skills/index.json", "").await.json();
        let names: Vec<_> = index["skills"].as_array().unwrap().iter().map(|skill| &skill["name"]).collect();
        assert_eq!(names, expected.iter().filter(|name| **name != "own").collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn without_anonymous_reading_nothing_is_told_to_nobody_in_particular() {
    let registry = InProcess::start_set(|settings| settings.anonymous_read = false).await;
    let lead = found(&registry).await;
    let paths = ["/@team/open/.well-known/agent-skills/index.json", "/@nobody/.well-known/skills/index.json"];
    for path in paths {
        let answer = registry.send(None, "GET", path, "").await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (401, "unauthenticated"), "{path}");
    }
    let answer = call(&registry, None, "skills/list", json!({})).await;
    assert_eq!((answer.status.as_u16(), &*answer.headers["www-authenticate"]), (401, "Bearer"));
    assert_eq!(registry.send(Some(&lead), "GET", paths[0], "").await.status, StatusCode::OK);
    result_for(&registry, Some(&lead), "skills/get", json!({ "uri": "skill://team/open/SKILL.md" })).await;
}
