//! Changing who sees a skill.

use serde_json::json;
use skillhub_tests::in_process::{Caller, InProcess};
use skillhub_tests::skill::Skill;

use crate::support::{Release, TEAM, Team, done, each, get, publish, refused};

async fn change(registry: &InProcess, by: &Caller, skill: &str, scope: &str) -> skillhub_tests::in_process::Answer {
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

/// More versions than one transaction takes.
#[tokio::test]
async fn a_skill_of_many_versions_changes_its_scope_whole() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let mut skill = String::new();
    for i in 0..170 {
        let version = format!("1.{i}.0");
        let published = publish(&registry, &team.author, &Skill::new("tool", "x").version(&version), &TEAM).await;
        skill = published.skill_id.to_string();
    }
    done(&change(&registry, &team.lead, &skill, "public").await);
    registry.settled().await;
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
