//! Changing who sees a skill.

use serde_json::json;
use skillhub_tests::in_process::{Caller, InProcess};
use skillhub_tests::proxy::{Fault, Moment, Operation, nth};
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

/// More versions than one transaction takes. Wherever the change stops, nobody sees more than before and after it.
#[tokio::test]
async fn a_skill_of_many_versions_changes_its_scope_whole() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let mut versions = Vec::new();
    for i in 0..170 {
        let version = format!("1.{i}.0");
        versions.push(publish(&registry, &team.author, &Skill::new("tool", "x").version(&version), &TEAM).await);
    }
    let skill = versions[0].skill_id.to_string();
    let seen = async || {
        let mut statuses = Vec::new();
        for version in [&versions[0], &versions[169]] {
            let path = format!("/api/skills/{skill}/versions/{}/download", version.version_id);
            statuses.push(registry.send(Some(&team.stranger), "GET", &path, "").await.status.as_u16());
        }
        (
            registry.send(Some(&team.stranger), "GET", &format!("/api/skills/{skill}"), "").await.status.as_u16(),
            statuses,
        )
    };
    // The first transaction is the skill's if more people shall see it, and the last one's if fewer.
    for (scope, midway, finally) in [
        ("public", (200, vec![404, 200]), (200, vec![200, 200])),
        ("organization", (200, vec![404, 200]), (404, vec![404, 404])),
    ] {
        registry.proxy.inject(nth(Operation::TransactWriteItems, 2).and_retries(), Fault::Unavailable);
        refused(&change(&registry, &team.lead, &skill, scope).await, 503, "unavailable");
        registry.proxy.clear();
        assert_eq!(seen().await, midway, "{scope}");
        done(&change(&registry, &team.lead, &skill, scope).await);
        assert_eq!(seen().await, finally, "{scope}");
        registry.settled().await;
    }
    // A step that was decided before the skill was changed otherwise does nothing after it.
    let mut held = registry.proxy.hold(nth(Operation::TransactWriteItems, 2), Moment::Before);
    let (late, ()) = tokio::join!(change(&registry, &team.lead, &skill, "public"), async {
        held.reached().await;
        done(&change(&registry, &team.lead, &skill, "organization").await);
        let by = json!({ "role": "publisher" }).to_string();
        done(
            &registry
                .send(
                    Some(&team.lead),
                    "PUT",
                    "/api/namespaces/team/members/mate",
                    &json!({ "role": "owner" }).to_string(),
                )
                .await,
        );
        done(&registry.send(Some(&team.mate), "PUT", "/api/namespaces/team/members/lead", &by).await);
        held.open();
    });
    refused(&late, 403, "forbidden");
    assert_eq!(seen().await, (404, vec![404, 404]));
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
