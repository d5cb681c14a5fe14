//! Yank, unyank, block, tags, `latest`, and numbers that are never used again.

use serde_json::json;
use skillhub_protocol::{HttpsUrl, PublishedVersion, UtcMillis};
use skillhub_tests::in_process::InProcess;
use skillhub_tests::proxy::{Moment, Operation, nth};
use skillhub_tests::skill::Skill;

use crate::support::{Release, TEAM, Team, change, done, each, get, publish, refused};

struct Shelf {
    registry: InProcess,
    team: Team,
    versions: Vec<PublishedVersion>,
}

impl Shelf {
    /// `@team/tool` in these versions, published in this order.
    async fn with(numbers: &[&str]) -> Self {
        let registry = InProcess::start().await;
        let team = Team::found(&registry).await;
        let mut versions = Vec::new();
        for number in numbers {
            versions.push(publish(&registry, &team.author, &Skill::new("tool", number).version(number), &TEAM).await);
        }
        Self { registry, team, versions }
    }

    async fn resolve(&self, selector: &str) -> String {
        let path = format!("/api/resolve?coordinate=@team/tool{selector}");
        let answer = self.registry.send(Some(&self.team.reader), "GET", &path, "").await;
        answer.json()["version"].as_str().map_or_else(|| answer.status.to_string(), str::to_owned)
    }

    async fn is_listed(&self) -> bool {
        let list = get(&self.registry, Some(&self.team.reader), "/api/skills").await;
        let found = get(&self.registry, Some(&self.team.reader), "/api/search?q=tool").await;
        let (listed, found) = (each(&list["skills"], "/slug"), each(&found["skills"], "/slug"));
        assert_eq!(listed, found, "list and search agree");
        !listed.is_empty()
    }

    async fn download(&self, version: usize) -> u16 {
        let PublishedVersion { skill_id, version_id, .. } = &self.versions[version];
        let path = format!("/api/skills/{skill_id}/versions/{version_id}/download");
        self.registry.send(Some(&self.team.reader), "GET", &path, "").await.status.as_u16()
    }

    async fn change(&self, version: usize, what: &str) {
        done(&change(&self.registry, &self.team.lead, &self.versions[version], what).await);
        self.registry.settled().await;
    }
}

/// R29, I5: the current version is decided again by every change of the set.
#[tokio::test]
async fn r29_latest_is_the_highest_available_release_through_yank_and_unyank() {
    let shelf = Shelf::with(&["1.0.0", "2.0.0", "1.5.0", "3.0.0-rc.1"]).await;
    assert_eq!(shelf.resolve("").await, "2.0.0");
    for (version, what, latest) in [
        (1, "yank", "1.5.0"),
        (1, "yank", "1.5.0"),
        (2, "yank", "1.0.0"),
        (0, "yank", "3.0.0-rc.1"),
        (3, "yank", "404 Not Found"),
        (0, "unyank", "1.0.0"),
        (1, "unyank", "2.0.0"),
        (1, "block", "1.0.0"),
        (3, "unyank", "1.0.0"),
    ] {
        shelf.change(version, what).await;
        assert_eq!(shelf.resolve("").await, latest, "{what} {version}");
        assert_eq!(shelf.resolve("@latest").await, latest);
        assert_eq!(shelf.is_listed().await, latest != "404 Not Found", "{what} {version}");
    }
}

/// R29, R24: a change that was decided before another one is decided again after it.
#[tokio::test]
async fn r29_changes_of_versions_and_tags_at_once_come_one_after_the_other() {
    const NOTHING: &str = "404 Not Found";
    // What begins, what comes between its decision and its transaction, and what `latest` and `beta` mean then.
    for (first, second, latest, beta) in [
        ("yank", "publish", "1.5.0", "1.5.0"),
        ("publish", "yank", "1.5.0", "1.5.0"),
        ("yank", "tag", "1.0.0", NOTHING),
        ("tag", "yank", "1.0.0", NOTHING),
        ("unyank", "publish", "2.0.0", "1.5.0"),
    ] {
        let shelf = Shelf::with(&["1.0.0", "2.0.0"]).await;
        if first == "unyank" {
            shelf.change(1, "yank").await;
        }
        let change = async |what: &str| match what {
            "publish" => {
                let release = Release { tags: &["beta"], ..TEAM };
                let skill = Skill::new("tool", "y").version("1.5.0");
                drop(publish(&shelf.registry, &shelf.team.author, &skill, &release).await);
            }
            "tag" => {
                let path = format!("/api/skills/{}/tags/beta", shelf.versions[0].skill_id);
                let body = json!({ "version": "2.0.0" }).to_string();
                // Whoever comes after the yank may not point a tag there any more.
                let answer = shelf.registry.send(Some(&shelf.team.author), "PUT", &path, &body).await;
                assert!([204, 409].contains(&answer.status.as_u16()), "{answer:?}");
            }
            state => done(&change(&shelf.registry, &shelf.team.lead, &shelf.versions[1], state).await),
        };
        // The session of a publish is opened by the first transaction, and ends with the second.
        let nth = nth(Operation::TransactWriteItems, if first == "publish" { 2 } else { 1 });
        let mut held = shelf.registry.proxy.hold(nth, Moment::Before);
        tokio::join!(change(first), async {
            held.reached().await;
            change(second).await;
            held.open();
        });
        assert_eq!([shelf.resolve("").await, shelf.resolve("@beta").await], [latest, beta], "{first}, {second}");
        shelf.registry.settled().await;
    }
}

/// Without an available version a coordinate means nothing, but the name is taken, and its versions can still be managed.
#[tokio::test]
async fn a_skill_is_found_by_its_name_when_every_version_is_yanked() {
    let shelf = Shelf::with(&["1.0.0", "2.0.0"]).await;
    for version in [0, 1] {
        shelf.change(version, "yank").await;
    }
    let meant = [shelf.resolve("").await, shelf.resolve("@1.0.0").await, shelf.resolve("@9.0.0").await];
    assert_eq!(meant, ["404 Not Found", "1.0.0", "404 Not Found"]);
    for name in ["team/skills/tool", "@team/skills/tool", "%40team/skills/tool"] {
        let found = get(&shelf.registry, Some(&shelf.team.reader), &format!("/api/namespaces/{name}")).await;
        assert_eq!(found, json!({"namespace": "@team", "slug": "tool", "skillId": shelf.versions[0].skill_id}));
    }
    for path in ["/api/namespaces/team/skills/tool", "/api/namespaces/team/skills/other"] {
        refused(&shelf.registry.send(Some(&shelf.team.stranger), "GET", path, "").await, 404, "not_found");
    }
    let versions = format!("/api/skills/{}/versions", shelf.versions[0].skill_id);
    let states = get(&shelf.registry, Some(&shelf.team.author), &versions).await;
    assert_eq!(each(&states["versions"], "/state"), ["yanked", "yanked"]);
    shelf.change(1, "unyank").await;
    assert_eq!(shelf.resolve("").await, "2.0.0");
}

#[tokio::test]
async fn a_yanked_version_is_had_by_its_exact_number_and_a_blocked_one_is_not() {
    let shelf = Shelf::with(&["1.0.0"]).await;
    let skill = format!("/api/skills/{}", shelf.versions[0].skill_id);
    shelf.change(0, "yank").await;
    assert_eq!((shelf.resolve("@1.0.0").await.as_str(), shelf.download(0).await), ("1.0.0", 200));
    assert_eq!(shelf.registry.send(Some(&shelf.team.reader), "GET", &skill, "").await.status, 404);
    let versions = get(&shelf.registry, Some(&shelf.team.reader), &format!("{skill}/versions")).await;
    assert_eq!(versions["versions"][0]["state"], "yanked");
    assert_eq!(versions["versions"][0]["reason"], "because");
    assert_eq!(versions["versions"][0]["sha256"], shelf.versions[0].artifact_sha256.to_string());

    shelf.change(0, "block").await;
    assert_eq!(shelf.download(0).await, 410);
    for what in ["yank", "unyank"] {
        refused(&change(&shelf.registry, &shelf.team.lead, &shelf.versions[0], what).await, 410, "blocked");
    }
    // The digest stays readable, and the number taken.
    let versions = get(&shelf.registry, Some(&shelf.team.reader), &format!("{skill}/versions")).await;
    assert_eq!(versions["versions"][0]["sha256"], shelf.versions[0].artifact_sha256.to_string());
    for content in ["1.0.0", "other"] {
        let mut request = Skill::new("tool", content).request();
        request["namespace"] = json!("@team");
        let answer = shelf.registry.send(Some(&shelf.team.author), "POST", "/api/uploads", &request.to_string()).await;
        refused(&answer, 409, "version_exists");
    }
}

#[tokio::test]
async fn versions_are_listed_by_semver_and_paged_without_gap_or_repetition() {
    let numbers = ["1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.2", "2.0.0-rc.10", "0.1.0"];
    let shelf = Shelf::with(&numbers).await;
    let path = format!("/api/skills/{}/versions", shelf.versions[0].skill_id);
    let ordered = ["2.0.0-rc.10", "2.0.0-rc.2", "1.10.0", "1.9.0", "1.0.0", "0.1.0"];
    for limit in [1, 2, 5, 6, 7] {
        let mut seen = Vec::new();
        let mut next = format!("{path}?limit={limit}");
        for _ in 0..=numbers.len() {
            let page = get(&shelf.registry, Some(&shelf.team.reader), &next).await;
            seen.extend(each(&page["versions"], "/version"));
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            next = format!("{path}?limit={limit}&cursor={cursor}");
        }
        assert_eq!(seen, ordered, "limit {limit}");
    }
    for (query, code) in
        [("limit=0", "invalid_request"), ("limit=101", "invalid_request"), ("cursor=x", "invalid_cursor")]
    {
        let answer = shelf.registry.send(None, "GET", &format!("{path}?{query}"), "").await;
        refused(&answer, 400, code);
    }
}

/// R24, R29: a tag means an available version or nothing, and does not come back by itself.
#[tokio::test]
async fn r24_tags_move_and_go_with_their_version() {
    let shelf = Shelf::with(&["1.0.0", "2.0.0"]).await;
    let skill = format!("/api/skills/{}", shelf.versions[0].skill_id);
    let tag = async |method: &str, tag: &str, version: &str| {
        let path = format!("{skill}/tags/{tag}");
        shelf.registry.send(Some(&shelf.team.author), method, &path, &json!({ "version": version }).to_string()).await
    };
    done(&tag("PUT", "beta", "1.0.0").await);
    done(&tag("PUT", "beta", "1.0.0").await);
    assert_eq!(shelf.resolve("@beta").await, "1.0.0");
    done(&tag("PUT", "beta", "2.0.0").await);
    done(&tag("PUT", "alpha", "1.0.0").await);
    assert_eq!(shelf.resolve("@beta").await, "2.0.0");
    let tags = get(&shelf.registry, Some(&shelf.team.reader), &format!("{skill}/tags")).await;
    assert_eq!(each(&tags["tags"], "/tag"), ["latest", "alpha", "beta"]);
    assert_eq!(each(&tags["tags"], "/version"), ["2.0.0", "1.0.0", "2.0.0"]);

    shelf.change(1, "yank").await;
    assert_eq!(shelf.resolve("@beta").await, "404 Not Found");
    refused(&tag("PUT", "beta", "2.0.0").await, 409, "conflict");
    refused(&tag("PUT", "beta", "9.0.0").await, 409, "conflict");
    shelf.change(1, "unyank").await;
    assert_eq!((shelf.resolve("@beta").await.as_str(), shelf.resolve("").await.as_str()), ("404 Not Found", "2.0.0"));
    done(&tag("DELETE", "alpha", "").await);
    done(&tag("DELETE", "alpha", "").await);
    assert_eq!(shelf.resolve("@alpha").await, "404 Not Found");

    for name in ["latest", "Beta", "1.0.0", &"x".repeat(33)] {
        refused(&tag("PUT", name, "1.0.0").await, 422, "tag_invalid");
    }
    refused(&tag("PUT", "beta", "one").await, 400, "invalid_request");
    for i in 0..10 {
        done(&tag("PUT", &format!("t{i}"), "1.0.0").await);
    }
    refused(&tag("PUT", "t10", "1.0.0").await, 422, "tag_invalid");
    done(&tag("PUT", "t9", "2.0.0").await);
    shelf.registry.settled().await;
}

#[tokio::test]
async fn tags_of_a_publish_move_in_its_transaction() {
    let shelf = Shelf::with(&["1.0.0"]).await;
    let release = Release { tags: &["beta", "stable"], ..TEAM };
    publish(&shelf.registry, &shelf.team.author, &Skill::new("tool", "y").version("1.1.0"), &release).await;
    let release = Release { tags: &["beta"], ..TEAM };
    publish(&shelf.registry, &shelf.team.author, &Skill::new("tool", "z").version("1.2.0-rc.1"), &release).await;
    let meant = [shelf.resolve("@beta").await, shelf.resolve("@stable").await, shelf.resolve("").await];
    assert_eq!(meant, ["1.2.0-rc.1", "1.1.0", "1.1.0"]);
    shelf.registry.settled().await;
}

/// A wrong reason is named by its field, and nothing has changed.
#[tokio::test]
async fn a_change_of_state_wants_a_reason() {
    let shelf = Shelf::with(&["1.0.0"]).await;
    let PublishedVersion { skill_id, version_id, .. } = &shelf.versions[0];
    let path = format!("/api/skills/{skill_id}/versions/{version_id}/yank");
    for body in ["", "{}", r#"{"reason":""}"#, r#"{"reason":7}"#, r#"{"reason":" x"}"#, "[]"] {
        let answer = shelf.registry.send(Some(&shelf.team.lead), "POST", &path, body).await;
        refused(&answer, 400, "invalid_request");
        let place = answer.json()["errors"][0]["path"].as_str().unwrap_or_default().to_owned();
        assert!(place == "reason" || place == "request", "{body}: {place}");
    }
    assert_eq!(shelf.resolve("").await, "1.0.0");
}

#[tokio::test]
async fn every_change_is_in_the_record_once_with_who_what_and_why() {
    let shelf = Shelf::with(&["1.0.0", "2.0.0"]).await;
    for (version, what) in [(1, "yank"), (1, "yank"), (1, "unyank"), (0, "block"), (0, "block")] {
        shelf.change(version, what).await;
    }
    let mut entries = Vec::new();
    let mut path = String::from("/api/namespaces/team/audit?limit=3");
    for _ in 0..10 {
        let page = get(&shelf.registry, Some(&shelf.team.lead), &path).await;
        let (actors, subjects) = (each(&page["entries"], "/actor"), each(&page["entries"], "/subject"));
        let actions = each(&page["entries"], "/action").into_iter();
        entries.extend(
            actions.zip(actors).zip(subjects).map(|((action, actor), subject)| format!("{action} {actor} {subject}")),
        );
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        path = format!("/api/namespaces/team/audit?limit=3&cursor={}", cursor.replace('#', "%23"));
    }
    let expected = [
        "block @lead @team/tool@1.0.0",
        "unyank @lead @team/tool@2.0.0",
        "yank @lead @team/tool@2.0.0",
        "publish @author @team/tool@2.0.0",
        "publish @author @team/tool@1.0.0",
        "member.set @lead @team @reader",
        "member.set @lead @team @mate",
        "member.set @lead @team @author",
        "namespace.create @lead @team",
    ];
    assert_eq!(entries, expected);
    let answer = shelf.registry.send(Some(&shelf.team.lead), "GET", "/api/namespaces/team/audit?cursor=x", "").await;
    refused(&answer, 400, "invalid_cursor");
}

/// R25: what was handed out before a block ends with its URL, five minutes later at most; nothing is handed out after it.
#[tokio::test]
async fn r25_a_block_ends_downloads_within_the_life_of_a_url() {
    let shelf = Shelf::with(&["1.0.0"]).await;
    let PublishedVersion { skill_id, version_id, .. } = &shelf.versions[0];
    let path = format!("/api/skills/{skill_id}/versions/{version_id}/download");
    let before = get(&shelf.registry, Some(&shelf.team.reader), &path).await;
    let url: HttpsUrl = before["url"].as_str().unwrap().parse().unwrap();
    shelf.change(0, "block").await;
    assert_eq!(shelf.download(0).await, 410);
    let expires: UtcMillis = before["expiresAt"].as_str().unwrap().parse().unwrap();
    let life = expires.epoch_millis() - shelf.registry.clock.now().epoch_millis();
    assert!(life <= 300_000, "{life}");
    // The window itself: documented, and no longer than that.
    let request = http::Request::get(url.expose()).body(bytes::Bytes::new()).unwrap();
    assert_eq!(shelf.registry.wire.send(request).await.unwrap().status(), 200);
    shelf.registry.settled().await;
}
