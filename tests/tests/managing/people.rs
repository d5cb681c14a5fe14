//! Namespaces, members, maintainers.

use serde_json::json;
use skillhub_protocol::UploadState;
use skillhub_tests::in_process::{Answer, Caller, InProcess};
use skillhub_tests::proxy::{Moment, Operation, nth};
use skillhub_tests::skill::Skill;
use skillhub_validate::Outcome;

use crate::support::{TEAM, Team, done, each, get, publish, refused};

async fn member(registry: &InProcess, by: &Caller, method: &str, path: &str, role: &str) -> Answer {
    let path = format!("/api/namespaces/{path}");
    registry.send(Some(by), method, &path, &json!({ "role": role }).to_string()).await
}

#[tokio::test]
async fn a_namespace_always_has_an_owner_and_knows_its_members() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let (lead, mate) = (&team.lead, &team.mate);
    for (method, role) in [("PUT", "reader"), ("DELETE", "")] {
        refused(&member(&registry, lead, method, "team/members/lead", role).await, 409, "conflict");
    }
    done(&member(&registry, lead, "PUT", "team/members/mate", "owner").await);
    done(&member(&registry, lead, "PUT", "team/members/@lead", "reader").await);
    refused(&member(&registry, lead, "PUT", "team/members/lead", "owner").await, 403, "forbidden");
    refused(&member(&registry, mate, "DELETE", "team/members/mate", "").await, 409, "conflict");
    let found = get(&registry, Some(mate), "/api/namespaces/team").await;
    assert_eq!(each(&found["members"], "/handle"), ["@author", "@lead", "@mate", "@reader"]);
    assert_eq!(each(&found["members"], "/role"), ["publisher", "reader", "owner", "reader"]);
    // Everybody may leave.
    done(&member(&registry, &team.reader, "DELETE", "team/members/reader", "").await);
    refused(&registry.send(Some(&team.reader), "GET", "/api/namespaces/team", "").await, 404, "not_found");
    let whoami = get(&registry, Some(lead), "/api/whoami").await;
    assert_eq!(each(&whoami["namespaces"], "/namespace"), ["@lead", "@team"]);

    refused(&member(&registry, mate, "PUT", "team/members/nobody-here", "reader").await, 422, "not_found");
    refused(&member(&registry, mate, "PUT", "team/members/team", "reader").await, 422, "not_found");
    refused(&member(&registry, mate, "PUT", "team/members/lead", "king").await, 400, "invalid_request");
    refused(&member(&registry, mate, "PUT", "mate/members/lead", "reader").await, 409, "conflict");
    registry.settled().await;
}

/// Two owners who demote each other at once leave one owner.
#[tokio::test]
async fn owners_who_remove_each_other_at_once_leave_one() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    done(&member(&registry, &team.lead, "PUT", "team/members/mate", "owner").await);
    let (a, b) = tokio::join!(
        member(&registry, &team.lead, "DELETE", "team/members/mate", ""),
        member(&registry, &team.mate, "DELETE", "team/members/lead", ""),
    );
    let statuses = [a.status.as_u16(), b.status.as_u16()];
    assert_eq!(statuses.iter().filter(|status| **status == 204).count(), 1, "{statuses:?}");
    let left = if statuses[0] == 204 { &team.lead } else { &team.mate };
    let found = get(&registry, Some(left), "/api/namespaces/team").await;
    assert_eq!(each(&found["members"], "/role").iter().filter(|role| *role == "owner").count(), 1);
}

#[tokio::test]
async fn handles_are_unique_and_a_person_has_one() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let create = async |by: &Caller, handle: &str, kind: &str| {
        let body = json!({ "namespace": handle, "kind": kind }).to_string();
        registry.send(Some(by), "POST", "/api/namespaces", &body).await
    };
    for (handle, kind) in
        [("@team", "organization"), ("@lead", "organization"), ("@global", "organization"), ("@new", "personal")]
    {
        refused(&create(&team.stranger, handle, kind).await, 409, "conflict");
    }
    for (handle, kind, place) in
        [("team", "organization", "namespace"), ("@a--b", "organization", "namespace"), ("@x", "global", "kind")]
    {
        let answer = create(&team.stranger, handle, kind).await;
        refused(&answer, 400, "invalid_request");
        assert_eq!(answer.json()["errors"][0]["path"], place);
    }
    let made = create(&team.stranger, "@guild", "organization").await.json();
    assert_eq!(
        (&made["kind"], each(&made["members"], "/handle")),
        (&json!("organization"), vec![String::from("@stranger")])
    );
    assert!(made["organizationId"].as_str().is_some_and(|id| !id.is_empty()));
    assert_eq!(
        each(&get(&registry, Some(&team.stranger), "/api/whoami").await["namespaces"], "/role"),
        ["owner", "owner"]
    );
    // Two at once for one handle: one has it.
    let (a, b) = tokio::join!(create(&team.lead, "@race", "organization"), create(&team.mate, "@race", "organization"));
    let mut statuses = [a.status.as_u16(), b.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
}

#[tokio::test]
async fn maintainers_publish_versions_and_others_do_not() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let published = publish(&registry, &team.author, &Skill::new("tool", "x"), &TEAM).await;
    let skill = format!("/api/skills/{}/maintainers", published.skill_id);
    let open = async |by: &Caller| {
        let mut request = Skill::new("tool", "y").version("2.0.0").request();
        request["namespace"] = json!("@team");
        registry.send(Some(by), "POST", "/api/uploads", &request.to_string()).await.status.as_u16()
    };
    let maintainer = async |method: &str, handle: &str| {
        registry.send(Some(&team.lead), method, &format!("{skill}/{handle}"), "").await
    };
    assert_eq!(open(&team.mate).await, 403);
    done(&maintainer("PUT", "mate").await);
    done(&maintainer("PUT", "mate").await);
    assert_eq!(open(&team.mate).await, 201);
    assert_eq!(each_text(&get(&registry, Some(&team.reader), &skill).await["maintainers"]), ["@author", "@mate"]);
    done(&maintainer("DELETE", "author").await);
    assert_eq!(open(&team.author).await, 403);
    refused(&maintainer("PUT", "reader").await, 409, "conflict");
    refused(&maintainer("PUT", "stranger").await, 409, "conflict");
    refused(&maintainer("PUT", "nobody-here").await, 422, "not_found");
    // Who leaves the namespace publishes no more, whatever list it stands in.
    done(&member(&registry, &team.lead, "DELETE", "team/members/mate", "").await);
    assert_eq!(open(&team.mate).await, 403);
}

fn each_text(list: &serde_json::Value) -> Vec<&str> {
    list.as_array().unwrap().iter().filter_map(|item| item.as_str()).collect()
}

/// R13: the right to publish is demanded once more by the transaction that publishes.
#[tokio::test]
async fn r13_a_right_that_is_lost_while_the_upload_runs_publishes_nothing() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let token = crate::tokens::create(&registry, &team.author, &["publish"]).await;
    let tokens = get(&registry, Some(&team.author), "/api/tokens").await;
    let revoke = format!("/api/tokens/{}", tokens["tokens"][0]["id"].as_str().unwrap());
    let demote = json!({ "role": "reader" }).to_string();
    let losses = [
        (&token, &team.author, "DELETE", revoke.as_str(), ""),
        (&team.author, &team.lead, "PUT", "/api/namespaces/team/members/author", demote.as_str()),
        (&team.mate, &team.lead, "DELETE", "/api/namespaces/team/members/mate", ""),
    ];
    for (opener, by, method, path, body) in losses {
        let skill = Skill::new("tool", path);
        let mut request = skill.request();
        request["namespace"] = json!("@team");
        let session = registry.send(Some(opener), "POST", "/api/uploads", &request.to_string()).await.session();
        let event = registry.place(&session.id, &skill.archive()).await;
        done(&registry.send(Some(by), method, path, body).await);
        registry.deliver(&event).await.unwrap();
        let ended = registry.send(Some(&team.lead), "GET", &format!("/api/uploads/{}", session.id), "").await.session();
        assert_eq!(ended.state, skillhub_protocol::UploadState::Rejected, "{path}");
        assert_eq!(ended.findings[0].code, "forbidden", "{path}");
    }
    assert!(registry.settled().await.versions.is_empty());
}

/// R13: as above, but the right is lost between the last look at it and the transaction.
#[tokio::test]
async fn r13_a_right_that_is_lost_before_the_transaction_publishes_nothing() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    publish(&registry, &team.author, &Skill::new("tool", "x"), &TEAM).await;
    let token = crate::tokens::create(&registry, &team.author, &["publish"]).await;
    let tokens = get(&registry, Some(&team.author), "/api/tokens").await;
    let revoke = format!("/api/tokens/{}", tokens["tokens"][0]["id"].as_str().unwrap());
    let role = |role: &str| json!({ "role": role }).to_string();
    done(&member(&registry, &team.lead, "PUT", "team/members/mate", "owner").await);
    let mate = "/api/namespaces/team/members/mate";
    let losses = [
        (&token, &team.author, "DELETE", revoke.as_str(), String::new()),
        // Owners may publish versions of what others maintain, publishers may not.
        (&team.mate, &team.lead, "PUT", mate, role("publisher")),
        (&team.author, &team.lead, "PUT", "/api/namespaces/team/members/author", role("reader")),
    ];
    for (opener, by, method, path, body) in losses {
        let skill = Skill::new("tool", path).version("2.0.0");
        let mut request = skill.request();
        request["namespace"] = json!("@team");
        let id = registry.send(Some(opener), "POST", "/api/uploads", &request.to_string()).await.session().id;
        registry.place(&id, &skill.archive()).await;
        let mut held = registry.proxy.hold(nth(Operation::TransactWriteItems, 1), Moment::Before);
        let validator = registry.validate_beside(&id);
        held.reached().await;
        done(&registry.send(Some(by), method, path, &body).await);
        held.open();
        assert_eq!(validator.await.unwrap().unwrap(), Outcome::Decided(UploadState::Rejected), "{path}");
        let ended = registry.send(Some(&team.lead), "GET", &format!("/api/uploads/{id}"), "").await.session();
        assert_eq!(ended.findings[0].code, "forbidden", "{path}");
    }
    assert_eq!(registry.settled().await.versions.len(), 1);
}
