//! Publishing in both ways of these clients: the same session, validator and policy as ever, and the same bytes.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use skillhub_package::{canonical, pack, sha256};
use skillhub_protocol::Role;
use skillhub_tests::in_process::{Answer, InProcess};
use skillhub_tests::skill::Skill;

use crate::support::{form, payload, publish_files, request, said, send, text, upload};

/// A skill whose files are hard on clients.
fn hard(name: &str) -> Skill {
    let mut skill = Skill::new(name, "hard");
    let long = format!("references/{}.md", "a".repeat(80));
    for (path, data) in [
        ("assets/data.json", b"{}\n".to_vec()),
        ("assets/empty.txt", Vec::new()),
        ("references/\u{4e2d}\u{6587} \u{e4}.md", "# \u{4e2d}\u{6587}\r\n".as_bytes().to_vec()),
        (long.as_str(), b"long\n".to_vec()),
    ] {
        skill.files.push((path.to_owned(), data));
    }
    skill
}

fn demand_published(answer: &Answer, slug: &str) {
    assert_eq!(answer.status, 200, "{}", text(answer));
    let json = answer.json();
    assert_eq!(
        (&json["ok"], &json["publicationStatus"], &json["slug"]),
        (&json!(true), &json!("published"), &json!(slug))
    );
    for key in ["skillId", "versionId", "attemptId", "version"] {
        assert!(json[key].is_string(), "{json}");
    }
}

/// The digest of the artifact that our packer makes of the files.
fn packed(skill: &Skill) -> String {
    let files = skill.files.iter().map(|(path, data)| pack::SourceFile { path: path.clone(), data: data.clone() });
    let packed = pack::from_files(files.collect()).unwrap();
    sha256(&canonical(&packed.contents).bytes).to_string()
}

#[tokio::test]
async fn both_ways_give_the_bytes_that_our_own_packer_gives() {
    let mut registry = InProcess::start().await;
    let owner = registry.owner.clone();
    let ticketed = publish_files(&mut registry, &owner, &payload("ticketed", "1.0.0"), &hard("ticketed")).await;
    demand_published(&ticketed, "ticketed");
    let formed = registry.exchange_validating(form(&owner, &payload("formed", "v1.0.0"), &hard("formed"))).await;
    demand_published(&formed, "formed");
    // The same again is success, with the same ids.
    let again = publish_files(&mut registry, &owner, &payload("ticketed", "1.0.0"), &hard("ticketed")).await;
    demand_published(&again, "ticketed");
    assert_eq!(again.json()["versionId"], ticketed.json()["versionId"]);
    let other =
        registry.exchange_validating(form(&owner, &payload("formed", "1.0.0"), &Skill::new("formed", "other"))).await;
    assert_eq!((other.status.as_u16(), text(&other).contains("exists with other content")), (409, true), "{other:?}");

    let artifact = |skill: &Skill| packed(skill).parse().unwrap();
    let expected = BTreeMap::from([
        (String::from("@global/formed@1.0.0"), artifact(&hard("formed"))),
        (String::from("@global/ticketed@1.0.0"), artifact(&hard("ticketed"))),
    ]);
    assert_eq!(registry.settled().await.versions, expected);
    let parts = registry.objects().list("parts/", None, 10).await.unwrap();
    assert!(parts.objects.is_empty(), "{parts:?}");
}

#[tokio::test]
async fn a_publication_goes_where_it_is_told_and_only_where_its_publisher_may() {
    let mut registry = InProcess::start().await;
    registry.found_namespace(&registry.owner, "@team", "organization").await;
    let (owner, alice) = (registry.owner.clone(), registry.person("alice").await);
    let with_owner = |slug: &str, handle: &str| {
        let mut payload = payload(slug, "1.0.0");
        payload["ownerHandle"] = json!(handle);
        payload
    };
    for (by, payload, name, slug) in [
        (&owner, payload("one", "1.0.0"), "one", "one"),
        (&owner, with_owner("two", "owner"), "two", "two"),
        (&owner, with_owner("three", "team"), "three", "team--three"),
        (&owner, payload("team--four", "1.0.0"), "four", "team--four"),
        (&owner, with_owner("team--five", "owner"), "five", "team--five"),
        (&alice, with_owner("alice--six", "alice"), "six", "alice--six"),
    ] {
        let answer = registry.exchange_validating(form(by, &payload, &Skill::new(name, "x"))).await;
        demand_published(&answer, slug);
    }
    for (by, payload, status, words) in [
        (&alice, with_owner("seven", "alice"), 403, "--slug alice--seven"),
        (&alice, payload("seven", "1.0.0"), 403, "--owner <namespace>"),
        (&alice, with_owner("seven", "team"), 403, "You may not publish to @team"),
        (&alice, with_owner("seven", "nobody"), 403, "You may not publish to @nobody"),
        (&owner, with_owner("team--seven", "global"), 400, "belongs to @team"),
        (&owner, payload("Not A Slug", "1.0.0"), 400, "is no slug"),
        (&owner, payload("seven", "1.0"), 422, "is no version"),
        (&owner, json!({ "slug": "seven", "version": "1.0.0", "migrateOwner": true }), 400, "does not move"),
        (&owner, json!({ "slug": "seven", "version": "1.0.0", "tags": ["A!"] }), 422, "tag"),
    ] {
        let answer = registry.exchange_validating(form(by, &payload, &Skill::new("seven", "x"))).await;
        assert_eq!(answer.status, status, "{payload}: {}", text(&answer));
        assert!(text(&answer).contains(words), "{payload}: {}", text(&answer));
    }
    let reader = registry.member("reader", Role::Reader).await;
    let answer =
        registry.exchange_validating(form(&reader, &payload("seven", "1.0.0"), &Skill::new("seven", "x"))).await;
    assert_eq!(answer.status, 403);
    assert_eq!(registry.settled().await.versions.len(), 6);
}

#[tokio::test]
async fn who_may_publish_nowhere_is_told_both_ways_to_say_a_namespace_and_how_to_get_one() {
    let registry = InProcess::start().await;
    let bare = registry.person("bare").await;
    // Who is known by an issuer's word alone has no namespace yet. No route takes somebody's own one away.
    let partition = format!("P#{}", bare.principal.as_str());
    let rows = registry.table.scan().await.unwrap();
    for row in rows.iter().filter(|row| row.pk == partition && row.sk.starts_with("N#")) {
        registry.table.delete(&row.pk, &row.sk).await.unwrap();
    }
    for (slug, namespace) in [("seven", "@global"), ("owner--seven", "@owner")] {
        let answer = registry.exchange(form(&bare, &payload(slug, "1.0.0"), &Skill::new("seven", "x"))).await;
        let expected = format!(
            "You may not publish to {namespace}. Say another namespace with --owner <namespace>, or in the slug: --slug \
             <namespace>--seven. You have none to publish to yet: make one with `skillhub namespace create`."
        );
        assert_eq!((answer.status.as_u16(), text(&answer)), (403, expected), "{slug}");
    }
}

#[tokio::test]
async fn what_the_policy_refuses_is_told_finding_by_finding() {
    let mut registry = InProcess::start().await;
    let owner = registry.owner.clone();
    let mut bad = Skill::new("bad", "x");
    bad.files.push((String::from("tool.exe"), b"MZ".to_vec()));
    bad.files.push((String::from("a\"b.md"), b"x".to_vec()));
    let lower = Skill {
        files: vec![(String::from("skill.md"), Skill::new("lower", "x").files[0].1.clone())],
        ..Skill::new("lower", "x")
    };
    let mut exe = Skill::new("exe", "x");
    exe.files.push((String::from("tool.exe"), b"MZ".to_vec()));
    exe.files.push((String::from("b.exe"), b"MZ".to_vec()));
    for (skill, slug, lines) in [
        (bad, "bad", &["[path_char]"][..]),
        (lower, "lower", &["[skill_md_missing]", "rename the file"]),
        (exe, "exe", &["tool.exe", "b.exe", "[file_type]"]),
        (Skill::new("other-name", "x"), "this-name", &["[slug_mismatch]"]),
    ] {
        let answer = registry.exchange_validating(form(&owner, &payload(slug, "1.0.0"), &skill)).await;
        assert_eq!(answer.status, 422, "{slug}: {}", text(&answer));
        assert!(lines.iter().all(|line| text(&answer).contains(line)), "{slug}: {}", text(&answer));
    }
    assert!(registry.settled().await.versions.is_empty());
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_told_the_limit_and_the_ways_out() {
    let registry = InProcess::start().await;
    let owner = registry.owner.clone();
    let mut large = Skill::new("large", "x");
    for i in 0..5 {
        large.files.push((format!("references/{i}.md"), vec![b'a'; 1 << 20]));
    }
    let answer = registry.exchange(form(&owner, &payload("large", "1.0.0"), &large)).await;
    assert_eq!(answer.status, 413);
    for words in ["4500000 bytes", "skillhub publish", "clawhub 0.23.3"] {
        assert!(text(&answer).contains(words), "{}", text(&answer));
    }
    let wanted = |size: u64| json!({ "path": "a.md", "size": size, "sha256": "0".repeat(64), "contentType": "x" });
    for (size, status) in [(1 << 20, 200), ((1 << 20) + 1, 413)] {
        let answer = send(&registry, Some(&owner), "POST", "/api/v1/skills/-/upload-url", &wanted(size)).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
    let file =
        |i: u32| json!({ "path": format!("{i}.md"), "size": 1 << 20, "sha256": "0".repeat(64), "uploadTicket": "x" });
    for (files, words) in [(12, "at most 11534336"), (101, "at most 100")] {
        let mut payload = payload("large", "1.0.0");
        payload["files"] = (0..files).map(file).collect();
        let (status, text) = said(&registry, Some(&owner), "POST", "/api/v1/skills", &payload).await;
        assert_eq!((status, text.contains(words)), (413, true), "{text}");
    }
}

#[tokio::test]
async fn a_ticket_is_bound_to_its_owner_and_content_and_used_once() {
    let mut registry = InProcess::start().await;
    let (owner, other) = (registry.owner.clone(), registry.member("other", Role::Publisher).await);
    let skill = Skill::new("bound", "x");
    let mut files = Vec::new();
    for (path, data) in &skill.files {
        files.push(upload(&registry, &owner, path, data).await);
    }
    let complete = |files: &[Value]| {
        let mut payload = payload("bound", "1.0.0");
        payload["files"] = json!(files);
        payload
    };
    let changed = |key: &str, value: Value| {
        let mut files = files.clone();
        files[0][key] = value;
        complete(&files)
    };
    let mut missing = files.clone();
    let wanted = json!({ "path": "z.md", "size": 1, "sha256": sha256(b"z").to_string(), "contentType": "x" });
    let unsent = send(&registry, Some(&owner), "POST", "/api/v1/skills/-/upload-url", &wanted).await.json();
    missing.push(wanted);
    missing[3]["uploadTicket"] = unsent["uploadTicket"].clone();
    for (by, payload, words) in [
        (&other, complete(&files), "not valid"),
        (&owner, changed("path", json!("OTHER.md")), "another path"),
        (&owner, changed("size", json!(1)), "another path"),
        (&owner, changed("sha256", json!("0".repeat(64))), "another path"),
        (&owner, changed("uploadTicket", json!("p".repeat(25))), "not valid"),
        (&owner, changed("uploadTicket", json!("../x")), "not valid"),
        (&owner, changed("uploadTicket", files[1]["uploadTicket"].clone()), "of its own"),
        (&owner, complete(&missing), "z.md was not uploaded"),
    ] {
        let (status, text) = said(&registry, Some(by), "POST", "/api/v1/skills", &payload).await;
        assert_eq!((status, text.contains(words)), (400, true), "{words}: {text}");
    }
    // The bytes are those that were announced, from who announced them.
    let path = format!("/api/v1/skills/-/upload/{}", unsent["uploadTicket"].as_str().unwrap());
    for (by, data) in [(&owner, &b"y"[..]), (&owner, b"zz"), (&owner, b""), (&other, b"z")] {
        let answer = registry.exchange(request(Some(by), "POST", &path, "text/plain", data)).await;
        assert_eq!(answer.status, 400, "{answer:?}");
    }

    let body = complete(&files).to_string();
    let publish = || request(Some(&owner), "POST", "/api/v1/skills", "application/json", body.as_bytes());
    let first = registry.exchange_validating(publish()).await;
    demand_published(&first, "bound");
    // The same again, as a client does whose answer got lost; anything else is another use.
    let again = registry.exchange_validating(publish()).await;
    assert_eq!(first.json(), again.json());
    let mut elsewhere = complete(&files);
    elsewhere["version"] = json!("2.0.0");
    let (status, text) = said(&registry, Some(&owner), "POST", "/api/v1/skills", &elsewhere).await;
    assert_eq!((status, text.contains("used for another")), (400, true), "{text}");
    let path = format!("/api/v1/skills/-/upload/{}", files[0]["uploadTicket"].as_str().unwrap());
    let answer = registry.exchange(request(Some(&owner), "POST", &path, "text/plain", &skill.files[0].1)).await;
    assert_eq!((answer.status.as_u16(), crate::support::text(&answer).contains("used already")), (400, true));
}

#[tokio::test]
async fn a_ticket_lives_an_hour_and_what_was_never_published_is_removed() {
    let registry = InProcess::start().await;
    let owner = registry.owner.clone();
    let file = upload(&registry, &owner, "SKILL.md", b"x").await;
    registry.clock.advance(Duration::from_secs(60 * 60));
    let mut payload = payload("late", "1.0.0");
    payload["files"] = json!([file]);
    let (status, text) = said(&registry, Some(&owner), "POST", "/api/v1/skills", &payload).await;
    assert_eq!((status, text.contains("not valid")), (400, true), "{text}");
    assert_eq!(registry.functions.sweep().await.late_parts, 0);
    registry.clock.advance(Duration::from_secs(60 * 60 + 1));
    assert_eq!(registry.functions.sweep().await.late_parts, 1);
    assert_eq!(registry.functions.sweep().await.late_parts, 0);
}

#[tokio::test]
async fn a_verdict_that_does_not_come_in_time_is_pending_to_who_may_know() {
    let mut registry = InProcess::start().await;
    registry.functions = registry.functions.clone().with_verdict_wait(Duration::ZERO);
    let (owner, stranger) = (registry.owner.clone(), registry.person("stranger").await);
    let answer = registry.exchange(form(&owner, &payload("slow", "1.0.0"), &Skill::new("slow", "x"))).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["publicationStatus"]), (200, &json!("pending")));
    for key in ["skillId", "versionId"] {
        assert!(answer.json()[key].is_string(), "{answer:?}");
    }
    let show = async |by| send(&registry, by, "GET", "/api/v1/skills/slow", &Value::Null).await;
    let install = async |by| send(&registry, by, "GET", "/api/v1/skills/slow/install", &Value::Null).await;
    let (shown, refused) = (show(Some(&owner)).await, install(Some(&owner)).await);
    assert_eq!((shown.status.as_u16(), &shown.json()["latestVersion"]), (200, &Value::Null));
    assert!(shown.json()["skill"]["createdAt"].is_number() && shown.json()["owner"]["handle"] == "global", "{shown:?}");
    assert_eq!(
        (refused.status.as_u16(), &refused.json()["ok"], &refused.json()["status"]),
        (423, &json!(false), &json!(423))
    );
    assert!(refused.json()["message"].as_str().unwrap().contains("being validated"));
    for by in [None, Some(&stranger)] {
        assert_eq!((show(by).await.status.as_u16(), install(by).await.status.as_u16()), (404, 404));
    }
    let event = registry.next_event().await;
    registry.deliver(&event).await.unwrap();
    let shown = send(&registry, None, "GET", "/api/v1/skills/slow", &Value::Null).await;
    assert_eq!(shown.json()["latestVersion"]["version"], "1.0.0");
}
