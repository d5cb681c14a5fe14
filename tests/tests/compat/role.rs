//! What the function asks of AWS against what its role allows: nothing is missing, nothing is too much. The role is read from
//! `infra/aws/RESOURCES.md`, which `cargo xtask infra` holds against the template.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use skillhub_tests::in_process::{Caller, InProcess};
use skillhub_tests::proxy::Permission;
use skillhub_tests::skill::Skill;

use crate::support::{form, payload, publish_in, request, send, upload};

/// What the role allows; keys of encryption are not the function's own business.
fn allowed() -> BTreeSet<Permission> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../infra/aws/RESOURCES.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| compat | `")?.strip_suffix(" |"));
    let rows = rows.filter_map(|row| row.split_once("` | ")).filter(|(action, _)| action.contains(':'));
    let each = |(action, on): (&str, &str)| {
        let on: Vec<_> = on.split(", ").map(|on| on.replace('`', "").replace("the bucket", "")).collect();
        on.into_iter().map(|on| Permission { action: action.to_owned(), on }).collect::<Vec<_>>()
    };
    rows.flat_map(each).collect()
}

/// What every function does to find out who is calling, and what follows from reading objects and signing URLs.
fn given() -> BTreeSet<Permission> {
    [
        ("dynamodb:GetItem", "K#"),
        ("dynamodb:GetItem", "CFG"),
        ("dynamodb:Query", "P#"),
        ("dynamodb:UpdateItem", "RL#"),
        ("s3:ListBucket", ""),
        ("s3:GetObject", "packages/"),
    ]
    .map(|(action, on)| Permission::new(action, on))
    .into()
}

async fn read(registry: &InProcess, by: &Caller) {
    let resolve = format!("/api/v1/resolve?slug=team--tool&hash={}", "0".repeat(64));
    for path in [
        "/api/v1/whoami",
        "/api/v1/skills",
        "/api/v1/search?q=tool",
        "/api/v1/skills/team--tool",
        "/api/v1/skills/team--tool%40beta",
        "/api/v1/skills/team--tool%401.0.0",
        "/api/v1/skills/team--pending",
        "/api/v1/skills/team--tool/versions",
        "/api/v1/skills/team--tool/versions/1.0.0",
        "/api/v1/skills/team--tool/file?path=SKILL.md",
        "/api/v1/download?slug=team--tool",
        &resolve,
        "/@team/.well-known/skills/index.json",
        "/@team/tool/.well-known/agent-skills/index.json",
    ] {
        let answer = send(registry, Some(by), "GET", path, &Value::Null).await;
        assert!(answer.status.as_u16() < 400, "{path}: {answer:?}");
    }
}

async fn publish(registry: &mut InProcess, by: &Caller) {
    let skill = Skill::new("tickets", "x");
    let (mut by_tickets, mut files) = (payload("team--tickets", "1.0.0"), Vec::new());
    for (path, data) in &skill.files {
        files.push(upload(registry, by, path, data).await);
    }
    by_tickets["files"] = json!(files);
    let body = by_tickets.to_string();
    let tickets = request(Some(by), "POST", "/api/v1/skills", "application/json", body.as_bytes());
    for request in [tickets, form(by, &payload("team--pending", "1.0.0"), &Skill::new("pending", "x"))] {
        let answer = registry.exchange(request).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

async fn change(registry: &InProcess, by: &Caller) {
    let skill = "/api/v1/skills/team--tool";
    for (method, path, body) in [
        ("POST", format!("{skill}/tags/new"), json!({ "version": "1.0.0" })),
        ("DELETE", format!("{skill}/versions/2.0.0"), Value::Null),
        ("POST", format!("{skill}/versions/2.0.0/restore"), json!({})),
        ("DELETE", skill.to_owned(), Value::Null),
        ("POST", format!("{skill}/undelete"), json!({})),
        ("POST", String::from("/api/v1/stars/team--tool"), json!({})),
        ("DELETE", String::from("/api/v1/stars/team--tool"), Value::Null),
    ] {
        let answer = send(registry, Some(by), method, &path, &body).await;
        assert_eq!(answer.status, 200, "{method} {path}: {answer:?}");
    }
}

#[tokio::test]
async fn the_role_allows_what_the_function_does_and_nothing_else() {
    let mut registry = InProcess::start().await;
    registry.functions = registry.functions.clone().with_verdict_wait(Duration::ZERO);
    registry.found_namespace(&registry.owner, "@team", "organization").await;
    let owner = registry.owner.clone();
    publish_in(&registry, "@team", &Skill::new("tool", "x"), &["beta"]).await;
    publish_in(&registry, "@team", &Skill::new("tool", "y").version("2.0.0"), &[]).await;
    registry.proxy.take_attempts();
    publish(&mut registry, &owner).await;
    read(&registry, &owner).await;
    change(&registry, &owner).await;
    let mut done = given();
    done.extend(registry.proxy.take_attempts().iter().flat_map(|call| call.permissions()));
    let allowed = allowed();
    let (lacks, surplus): (Vec<_>, Vec<_>) = (done.difference(&allowed).collect(), allowed.difference(&done).collect());
    assert!(
        lacks.is_empty() && surplus.is_empty(),
        "the role lacks {lacks:#?}\nand has beyond what is used {surplus:#?}"
    );
}
