//! The two indexes, at a namespace, a skill and a version.

use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value, json};
use skillhub_package::sha256;
use skillhub_protocol::Manifest;
use skillhub_store::Audience;
use skillhub_tests::in_process::InProcess;
use skillhub_tests::skill::Skill;

use crate::support::{change, follow, get, hello, publish, publish_as};

const ARCHIVES: &str = ".well-known/agent-skills";
const FILES: &str = ".well-known/skills";
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const INDEXES: [&str; 2] = [".well-known/agent-skills/index.json", ".well-known/skills/index.json"];

fn each(index: &Value, field: &str) -> Vec<String> {
    index["skills"].as_array().unwrap().iter().map(|skill| skill[field].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_index_of_archives_leads_to_the_canonical_zip_of_each_skill() {
    let registry = InProcess::start().await;
    let [old, new] = hello(&registry).await;
    for (place, version, published, seed) in [
        ("@global", "2.0.0", &new, "y"),
        ("%40global", "2.0.0", &new, "y"),
        ("@global/hello", "2.0.0", &new, "y"),
        ("@global/hello@latest", "2.0.0", &new, "y"),
        ("@global/hello@1.0.0", "1.0.0", &old, "x"),
        ("%40global/hello%401.0.0", "1.0.0", &old, "x"),
        ("@global/hello@old", "1.0.0", &old, "x"),
    ] {
        let answer = get(&registry, &format!("/{place}/{ARCHIVES}/index.json")).await;
        let url = format!("hello@{version}.zip");
        let entry = json!({
            "name": "hello",
            "type": "archive",
            "description": format!("Says {seed} when asked."),
            "url": url,
            "digest": format!("sha256:{}", published.artifact_sha256),
        });
        assert_eq!(answer.json(), json!({ "$schema": SCHEMA, "skills": [entry] }), "{place}");
        assert_eq!(answer.headers["content-type"], "application/json");
        let redirect = get(&registry, &format!("/{place}/{ARCHIVES}/{url}")).await;
        assert_eq!(redirect.headers["cache-control"], "no-store");
        let archive = follow(&registry, &redirect).await;
        assert_eq!(sha256(&archive), published.artifact_sha256, "{place}");
    }
}

#[tokio::test]
async fn an_index_of_files_leads_to_each_of_them() {
    let registry = InProcess::start().await;
    hello(&registry).await;
    let skills = [Skill::new("hello", "x"), Skill::new("hello", "y")];
    for (place, version, skill) in [
        ("@global", "2.0.0", &skills[1]),
        ("@global/hello", "2.0.0", &skills[1]),
        ("@global/hello@1.0.0", "1.0.0", &skills[0]),
        ("%40global/hello%40old", "1.0.0", &skills[0]),
    ] {
        let answer = get(&registry, &format!("/{place}/{FILES}/index.json")).await;
        let paths: Vec<_> = skill.files.iter().map(|(path, _)| path).collect();
        let entry = json!({
            "name": "hello",
            "description": skill.manifest()["description"],
            "version": version,
            "files": paths,
        });
        assert_eq!(answer.json(), json!({ "skills": [entry] }), "{place}");
        for (path, bytes) in &skill.files {
            let answer = get(&registry, &format!("/{place}/{FILES}/hello/{path}")).await;
            assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, &bytes[..]), "{place} {path}");
            let kind = if path.ends_with(".md") { "markdown" } else { "plain" };
            assert_eq!(answer.headers["content-type"], format!("text/{kind}; charset=utf-8"));
        }
    }
}

#[tokio::test]
async fn what_does_not_exist_is_404_and_there_is_no_index_at_the_root() {
    let registry = InProcess::start().await;
    hello(&registry).await;
    registry.found_namespace(&registry.owner, "@empty", "organization").await;
    let mut paths: Vec<_> = INDEXES.iter().map(|index| format!("/{index}")).collect();
    for place in
        ["global", "@empty", "@GLOBAL", "@global%2Fhello", "@global/hello%2F", "@global/hello@3.0.0", "@global/x--y"]
    {
        paths.extend(INDEXES.iter().map(|index| format!("/{place}/{index}")));
    }
    paths.extend([
        format!("/@global/{ARCHIVES}/hello@3.0.0.zip"),
        format!("/@global/{ARCHIVES}/hello@old.zip"),
        format!("/@global/{ARCHIVES}/hello.zip"),
        format!("/@global/hello@2.0.0/{ARCHIVES}/hello@1.0.0.zip"),
        format!("/@global/hello/{ARCHIVES}/other@1.0.0.zip"),
        format!("/@global/{FILES}/hello"),
        format!("/@global/{FILES}/hello/"),
        format!("/@global/{FILES}/hello/nothing.md"),
        format!("/@global/{FILES}/hello/../hello/SKILL.md"),
        format!("/@global/{FILES}/hello/%2e%2e/hello/SKILL.md"),
        format!("/@global/{FILES}/hello/skill.md"),
        format!("/@global/hello/{FILES}/other/SKILL.md"),
    ]);
    for path in paths {
        let answer = get(&registry, &path).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (404, "not_found"), "{path}: {answer:?}");
    }
}

#[tokio::test]
async fn a_yanked_version_is_found_by_its_number_alone_and_a_blocked_one_is_gone() {
    let registry = InProcess::start().await;
    let [old, _] = hello(&registry).await;
    let statuses = async |place: &str| {
        let mut statuses = Vec::new();
        for path in [INDEXES[0], INDEXES[1], ".well-known/skills/hello/SKILL.md"] {
            statuses.push(get(&registry, &format!("/@global/{place}/{path}")).await.status.as_u16());
        }
        let archive = get(&registry, &format!("/@global/{ARCHIVES}/hello@1.0.0.zip")).await;
        (statuses, archive.status.as_u16())
    };
    assert_eq!(statuses("hello@old").await, (vec![200; 3], 302));
    change(&registry, &old, "yank").await;
    assert_eq!(statuses("hello@old").await, (vec![404; 3], 302));
    assert_eq!(statuses("hello@1.0.0").await, (vec![200; 3], 302));
    change(&registry, &old, "block").await;
    assert_eq!(statuses("hello@1.0.0").await, (vec![410; 3], 410));
    assert_eq!(statuses("hello").await.0, vec![200; 3]);
}

#[tokio::test]
async fn what_a_client_could_not_install_is_left_out_of_its_index() {
    let registry = InProcess::start().await;
    let with_file = |name: &str, path: &str| {
        let mut skill = Skill::new(name, "x");
        skill.files[1].0 = path.to_owned();
        skill
    };
    publish(&registry, &with_file("cut-off", "references/a#b.md")).await;
    publish(&registry, &with_file("decoded", "references/100%25.md")).await;
    publish(&registry, &with_file("escape", "references/a..b.md")).await;
    publish(&registry, &Skill::new("plain", "x")).await;
    let mut named = Skill::new("display-name", "x");
    named.files[0].1 = b"---\nname: Display Name\ndescription: Says x when asked.\n---\n".to_vec();
    let display = |request: &mut Value| request["manifest"]["name"] = json!("Display Name");
    publish_as(&registry, &registry.owner, &named, display).await;

    let archives = get(&registry, &format!("/@global/{}", INDEXES[0])).await.json();
    assert_eq!(each(&archives, "name"), ["cut-off", "decoded", "escape", "plain"]);
    let files = get(&registry, &format!("/@global/{}", INDEXES[1])).await.json();
    assert_eq!(each(&files, "name"), ["plain"]);
    for (slug, statuses) in [("plain", [200, 200]), ("escape", [200, 404]), ("display-name", [404, 404])] {
        for (index, status) in INDEXES.iter().zip(statuses) {
            assert_eq!(get(&registry, &format!("/@global/{slug}/{index}")).await.status, status, "{slug} {index}");
        }
    }
}

#[tokio::test]
async fn the_index_of_a_namespace_is_cut_where_a_client_would_download_too_much() {
    let registry = InProcess::start().await;
    let known = registry.table().authenticate(&registry.owner.token, registry.clock.now()).await.unwrap().unwrap();
    let membership = known.membership_by_handle(&"@global".parse().unwrap()).unwrap();
    let manifest =
        |n: usize| Manifest::from_json(&Skill::new(&format!("skill-{n}"), "x").manifest().to_string()).unwrap();
    let manifests: Vec<_> = (0..60).map(manifest).collect();
    let (now, mut rng) = (registry.clock.now(), StdRng::seed_from_u64(1));
    registry.table().seed(membership, &Audience::Public, &manifests, now, &mut rng).await.unwrap();
    let first: Vec<_> = (0..50).map(|n| format!("skill-{n}")).collect();
    for index in INDEXES {
        assert_eq!(each(&get(&registry, &format!("/@global/{index}")).await.json(), "name"), first, "{index}");
        let last = get(&registry, &format!("/@global/skill-59/{index}")).await.json();
        assert_eq!(each(&last, "name"), ["skill-59"]);
    }
}

#[tokio::test]
async fn pages_may_read_it_heads_are_answered_and_nobody_keeps_it_too_long() {
    let registry = InProcess::start().await;
    hello(&registry).await;
    for (path, cached) in [
        (format!("/@global/{}", INDEXES[0]), "max-age=60"),
        (format!("/@global/hello/{}", INDEXES[1]), "max-age=60"),
        (format!("/@global/hello@old/{}", INDEXES[1]), "max-age=60"),
        (format!("/@global/{FILES}/hello/SKILL.md"), "max-age=60"),
        (format!("/@global/hello@1.0.0/{}", INDEXES[0]), "max-age=86400, immutable"),
        (format!("/@global/hello@1.0.0/{FILES}/hello/SKILL.md"), "max-age=86400, immutable"),
    ] {
        let (full, head) = (get(&registry, &path).await, registry.send(None, "HEAD", &path, "").await);
        assert_eq!((full.status.as_u16(), head.status.as_u16(), head.body.len()), (200, 200, 0), "{path}");
        for name in ["content-type", "content-length", "cache-control", "vary", "access-control-allow-origin"] {
            assert_eq!(full.headers.get(name), head.headers.get(name), "{path} {name}");
        }
        assert_eq!(head.headers["content-length"], full.body.len().to_string());
        assert_eq!((&*head.headers["access-control-allow-origin"], &*head.headers["vary"]), ("*", "authorization"));
        assert_eq!(head.headers["x-content-type-options"], "nosniff");
        let shared = if cached.ends_with("immutable") { "private" } else { "public" };
        assert_eq!(full.headers["cache-control"], format!("{shared}, {cached}"), "{path}");
        assert_eq!(registry.get(&path).await.headers["cache-control"], format!("private, {cached}"), "{path}");
    }
    // An update check is a request as any other.
    let check = [("x-skills-update-check", "1")];
    let path = format!("/@global/hello/{}", INDEXES[0]);
    let checked = registry.send_with(None, "GET", &path, &check, "").await;
    assert_eq!(checked.body, get(&registry, &path).await.body);
}

/// Bytes that are no text have no type that a browser would run.
#[tokio::test]
async fn the_bytes_of_a_publisher_are_never_a_page() {
    let registry = InProcess::start().await;
    let mut skill = Skill::new("pages", "x");
    let png = [&b"\x89PNG\r\n\x1a\n"[..], &[0; 40]].concat();
    skill.files[1] = (String::from("assets/logo.png"), png.clone());
    skill.files.insert(2, (String::from("assets/page.html"), b"<!doctype html><p>x".to_vec()));
    publish(&registry, &skill).await;
    for (path, kind, bytes) in [
        ("assets/logo.png", "application/octet-stream", &png[..]),
        ("assets/page.html", "text/plain; charset=utf-8", &b"<!doctype html><p>x"[..]),
    ] {
        let answer = get(&registry, &format!("/@global/{FILES}/pages/{path}")).await;
        assert_eq!((&*answer.headers["content-type"], &answer.body[..]), (kind, bytes));
    }
}
