//! Changing who sees a skill.

use std::time::Duration;

use serde_json::json;
use skillhub_protocol::PublishedVersion;
use skillhub_store::Patience;
use skillhub_tests::in_process::{Answer, Caller, InProcess, TEST_PATIENCE};
use skillhub_tests::proxy::{Fault, Moment, Operation, nth};
use skillhub_tests::skill::Skill;

use crate::support::{Release, TEAM, Team, done, each, get, publish, refused};

async fn change(registry: &InProcess, by: &Caller, skill: &str, scope: &str) -> Answer {
    registry.send(Some(by), "PATCH", &format!("/api/skills/{skill}"), &json!({ "scope": scope }).to_string()).await
}

#[tokio::test]
async fn a_change_of_scope_moves_everything_at_once() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let mut versions = Vec::new();
    for number in ["1.0.0", "2.0.0"] {
        versions.push(publish(&registry, &team.author, &Skill::new("tool", number).version(number), &TEAM).await);
    }
    let skill = versions[0].skill_id.to_string();
    let reads = [
        format!("/api/skills/{skill}"),
        format!("/api/skills/{skill}/versions/{}", versions[0].version_id),
        format!("/api/skills/{skill}/versions/{}/download", versions[0].version_id),
        String::from("/api/resolve?coordinate=@team/tool"),
    ];
    for (scope, status) in [("public", 200), ("organization", 404), ("organization", 404), ("public", 200)] {
        done(&change(&registry, &team.lead, &skill, scope).await);
        for path in &reads {
            assert_eq!(registry.send(Some(&team.stranger), "GET", path, "").await.status.as_u16(), status, "{path}");
        }
        let listed = get(&registry, None, "/api/skills").await;
        assert_eq!(each(&listed["skills"], "/slug").len(), usize::from(status == 200));
        let listed = get(&registry, Some(&team.reader), "/api/skills?namespace=@team").await;
        assert_eq!(each(&listed["skills"], "/scope"), [scope]);
        registry.settled().await;
    }
    refused(&change(&registry, &team.lead, &skill, "personal").await, 422, "invalid_request");
    refused(&change(&registry, &team.lead, &skill, "secret").await, 400, "invalid_request");
    refused(&change(&registry, &team.author, &skill, "organization").await, 403, "forbidden");
}

/// `@team/tool` with more versions than one transaction takes.
struct Tall {
    registry: InProcess,
    team: Team,
    versions: Vec<PublishedVersion>,
}

impl Tall {
    async fn build() -> Self {
        let registry = InProcess::start().await;
        let team = Team::found(&registry).await;
        let mut versions = Vec::new();
        for i in 0..90 {
            let version = format!("1.{i}.0");
            versions.push(publish(&registry, &team.author, &Skill::new("tool", "x").version(&version), &TEAM).await);
        }
        Self { registry, team, versions }
    }

    async fn change(&self, scope: &str) -> Answer {
        change(&self.registry, &self.team.lead, self.versions[0].skill_id.as_str(), scope).await
    }

    /// What a stranger is answered about the skill, its first version and its last one.
    async fn seen(&self) -> [u16; 3] {
        let skill = format!("/api/skills/{}", self.versions[0].skill_id);
        let download = |version: &PublishedVersion| format!("{skill}/versions/{}/download", version.version_id);
        let [first, last] = [&self.versions[0], &self.versions[89]].map(download);
        let mut seen = [0; 3];
        for (status, path) in seen.iter_mut().zip([skill.clone(), first, last]) {
            let answer = self.registry.send(Some(&self.team.stranger), "GET", &path, "").await;
            *status = answer.status.as_u16();
        }
        seen
    }
}

#[tokio::test]
async fn wherever_a_change_of_scope_stops_nobody_sees_more_than_before_and_after_it() {
    let tall = Tall::build().await;
    // The first transaction is the skill's if more people shall see it, and the last one's if fewer.
    for (scope, finally) in [("public", [200, 200, 200]), ("organization", [404, 404, 404])] {
        tall.registry.proxy.inject(nth(Operation::TransactWriteItems, 2).and_retries(), Fault::Unavailable);
        refused(&tall.change(scope).await, 503, "unavailable");
        tall.registry.proxy.clear();
        assert_eq!(tall.seen().await, [200, 404, 200], "{scope}");
        done(&tall.change(scope).await);
        assert_eq!(tall.seen().await, finally, "{scope}");
        tall.registry.settled().await;
    }
}

/// The later decision counts, though the earlier one has not come to its end.
#[tokio::test]
async fn a_change_of_scope_gives_way_to_a_later_one() {
    let tall = Tall::build().await;
    let mut held = tall.registry.proxy.hold(nth(Operation::TransactWriteItems, 2), Moment::Before);
    let (early, ()) = tokio::join!(tall.change("public"), async {
        held.reached().await;
        done(&tall.change("organization").await);
        held.open();
    });
    done(&early);
    assert_eq!(tall.seen().await, [404, 404, 404]);
    tall.registry.settled().await;
}

/// A part that was given up arrives when the change has been taken back.
#[tokio::test]
async fn a_part_of_a_change_of_scope_that_comes_late_changes_nothing() {
    let mut tall = Tall::build().await;
    done(&tall.change("public").await);
    tall.registry.set_patience(Patience {
        attempt: Duration::from_secs(1),
        call: Duration::from_secs(2),
        ..TEST_PATIENCE
    });
    let mut held = tall.registry.proxy.hold(nth(Operation::TransactWriteItems, 1), Moment::Before);
    tall.registry.proxy.inject(nth(Operation::TransactWriteItems, 1).and_retries(), Fault::Unavailable);
    refused(&tall.change("organization").await, 503, "unavailable");
    held.reached().await;
    tall.registry.proxy.clear();
    tall.registry.set_patience(TEST_PATIENCE);
    done(&tall.change("public").await);
    held.open();
    tall.registry.proxy.idle().await;
    assert_eq!(tall.seen().await, [200, 200, 200]);
    tall.registry.settled().await;
}

#[tokio::test]
async fn publishing_does_not_change_the_scope() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    publish(&registry, &team.author, &Skill::new("tool", "x"), &TEAM).await;
    let mut request = Skill::new("tool", "y").version("2.0.0").request();
    (request["namespace"], request["scope"]) = (json!("@team"), json!("public"));
    let answer = registry.send(Some(&team.author), "POST", "/api/uploads", &request.to_string()).await;
    refused(&answer, 409, "conflict");
    let release = Release { scope: Some("organization"), ..TEAM };
    publish(&registry, &team.author, &Skill::new("tool", "y").version("2.0.0"), &release).await;
}
