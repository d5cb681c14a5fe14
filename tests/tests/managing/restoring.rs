//! A table that was restored to an earlier time: what it has forgotten must not be published again with other content.

use serde_json::json;
use skillhub_protocol::UploadState;
use skillhub_sweep::Rebuild;
use skillhub_tests::in_process::InProcess;
use skillhub_tests::raw_table::Row;
use skillhub_tests::skill::Skill;

use crate::support::{Release, TEAM, Team, publish, refused};

/// Publishes a version before the restore and two after it, one of them of a skill that did not exist then.
#[tokio::test]
async fn numbers_that_a_restore_has_forgotten_are_taken_again() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    publish(&registry, &team.author, &Skill::new("old", "x"), &TEAM).await;
    let before = registry.table.scan().await.unwrap();
    publish(&registry, &team.author, &Skill::new("old", "y").version("2.0.0"), &TEAM).await;
    let personal = Release { namespace: "@author", ..TEAM };
    publish(&registry, &team.author, &Skill::new("lost", "z"), &personal).await;
    restore(&registry, &before).await;

    let (run, more) = skillhub_sweep::rebuild(registry.functions.validator(), Rebuild::default()).await.unwrap();
    assert_eq!((run.retaken, run.unknown, more), (2, 0, false));
    let (again, _) = skillhub_sweep::rebuild(registry.functions.validator(), Rebuild::default()).await.unwrap();
    assert_eq!(again.retaken, 0, "a second time changes nothing");

    for (slug, version, namespace) in [("old", "2.0.0", "@team"), ("lost", "1.0.0", "@author")] {
        for content in ["y", "z", "other"] {
            let mut request = Skill::new(slug, content).version(version).request();
            request["namespace"] = json!(namespace);
            let answer = registry.send(Some(&team.author), "POST", "/api/uploads", &request.to_string()).await;
            refused(&answer, 409, "version_exists");
        }
    }
    // Life goes on, under new numbers.
    publish(&registry, &team.author, &Skill::new("old", "w").version("2.0.1"), &TEAM).await;
    let mut request = Skill::new("lost", "w").version("1.0.1").request();
    request["namespace"] = json!("@author");
    let answer = registry.send(Some(&team.author), "POST", "/api/uploads", &request.to_string()).await;
    let id = answer.session().id;
    let event = registry.place(&id, &Skill::new("lost", "w").version("1.0.1").archive()).await;
    registry.deliver(&event).await.unwrap();
    let session = registry.send(Some(&team.author), "GET", &format!("/api/uploads/{id}"), "").await.session();
    assert_eq!(session.state, UploadState::Published);
}

/// Tokens that were revoked since come back with the table, so its operator begins a new epoch.
#[tokio::test]
async fn no_token_of_an_earlier_epoch_is_good() {
    let mut registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let old = crate::tokens::create(&registry, &team.author, &["read", "publish"]).await;
    let skill = Skill::new("tool", "x");
    let mut request = skill.request();
    request["namespace"] = json!("@team");
    let opened = registry.send(Some(&old), "POST", "/api/uploads", &request.to_string()).await.session();
    let event = registry.place(&opened.id, &skill.archive()).await;

    registry.set(|settings| settings.token_epoch = 1);
    for (method, path) in
        [("GET", "/api/skills"), ("GET", "/api/whoami"), ("POST", "/api/uploads"), ("GET", "/api/tokens")]
    {
        refused(&registry.send(Some(&old), method, path, "{}").await, 401, "unauthenticated");
    }
    // What was opened with it is not published any more.
    registry.deliver(&event).await.unwrap();
    let session = registry.table().session(&opened.id).await.unwrap().unwrap();
    assert_eq!((session.state, session.findings[0].code.as_str()), (UploadState::Rejected, "forbidden"));

    // Whoever comes back with another credential makes a new one, which is good in its own epoch alone.
    registry.table().put_token(&team.lead.token, &team.lead.principal).await.unwrap();
    let new = crate::tokens::create(&registry, &team.lead, &["read"]).await;
    assert_eq!(registry.send(Some(&new), "GET", "/api/whoami", "").await.status.as_u16(), 200);
    registry.set(|settings| settings.token_epoch = 0);
    refused(&registry.send(Some(&new), "GET", "/api/whoami", "").await, 401, "unauthenticated");
    assert_eq!(registry.send(Some(&old), "GET", "/api/whoami", "").await.status.as_u16(), 200);
}

/// The table as it was: what is new goes, what has changed is put back.
async fn restore(registry: &InProcess, to: &[Row]) {
    let now = registry.table.scan().await.unwrap();
    let same_key = |a: &Row, b: &Row| (&a.pk, &a.sk) == (&b.pk, &b.sk);
    for row in now.iter().filter(|row| !to.iter().any(|old| same_key(old, row))) {
        registry.table.delete(&row.pk, &row.sk).await.unwrap();
    }
    let stays = |old: &Row| now.iter().any(|row| same_key(old, row) && old.attributes == row.attributes);
    for old in to.iter().filter(|old| !stays(old)) {
        registry.table.put(&old.pk, &old.sk, old.attributes.clone()).await.unwrap();
    }
}
