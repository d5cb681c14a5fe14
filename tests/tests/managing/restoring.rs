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
