//! What the sweeper picks up besides sessions.

use std::time::Duration;

use serde_json::json;
use skillhub_package::sha256;
use skillhub_protocol::UploadId;
use skillhub_store::{ObjectKey, PrincipalId, Walk};
use skillhub_tests::in_process::InProcess;
use skillhub_tests::proxy::{Fault, Operation, every};
use skillhub_tests::skill::Skill;

const HOUR: Duration = Duration::from_secs(3601);

/// R15, without the event.
#[tokio::test]
async fn uploads_that_land_after_the_end_are_removed_even_if_their_event_is_lost() {
    let registry = InProcess::start().await;
    let skill = Skill::new("late", "x");
    let canceled = registry.open(&skill).await;
    let path = format!("/api/uploads/{}", canceled.id);
    assert_eq!(registry.send(Some(&registry.owner), "DELETE", &path, "").await.status, 200);
    registry.place(&canceled.id, &skill.archive()).await;
    let unknown: UploadId = format!("u{}", "0".repeat(24)).parse().unwrap();
    registry.place(&unknown, b"nobody waits for this").await;
    let waiting = registry.open(&Skill::new("waiting", "x")).await;
    registry.place(&waiting.id, &Skill::new("waiting", "x").archive()).await;

    assert_eq!(registry.functions.sweep().await.uploads.removed, 1);
    let exists = async |id| registry.objects().staging_exists(id).await.unwrap();
    assert_eq!([exists(&canceled.id).await, exists(&unknown).await, exists(&waiting.id).await], [false, true, true]);
    registry.clock.advance(HOUR);
    let report = registry.functions.sweep().await;
    assert_eq!((report.uploads.removed, report.sessions.validated), (1, 1));
    assert_eq!(registry.settled().await.versions.len(), 1);
}

/// R16, R17: an artifact without a version is counted and named, stays, and is in nobody's way.
#[tokio::test]
async fn orphans_are_counted_and_stay() {
    let registry = InProcess::start().await;
    registry.publish(&Skill::new("good", "x")).await;
    let key = ObjectKey::Package {
        skill: format!("c{}", "0".repeat(24)).parse().unwrap(),
        version: format!("v{}", "0".repeat(24)).parse().unwrap(),
        artifact: sha256(b"orphan"),
    };
    registry.objects().put_artifact(&key, sha256(b"orphan"), b"orphan".to_vec(), None).await.unwrap();
    assert_eq!(registry.functions.sweep().await.orphans, 0, "it may be on its way to a version");
    registry.clock.advance(HOUR);
    for _ in 0..2 {
        assert_eq!(registry.functions.sweep().await.orphans, 1);
    }
    let walk = registry.table().walk(Walk::Packages).await.unwrap();
    assert_eq!((walk.last.seen, walk.last.examples), (2, vec![key.to_string()]));
    registry.settled().await;
}

#[tokio::test]
async fn items_that_have_outlived_their_time_go_where_the_store_leaves_them() {
    let registry = InProcess::start_set(|settings| settings.sweep_expired = true).await;
    let session = registry.publish(&Skill::new("good", "x")).await;
    assert_eq!(registry.functions.sweep().await.expired_items, 0);
    registry.clock.advance(Duration::from_secs(31 * 24 * 60 * 60));
    let removed: usize = registry.functions.sweep().await.expired_items;
    assert!(removed >= 2, "the session and its manifest: {removed}");
    let gone = registry.get(&format!("/api/uploads/{}", session.id)).await;
    assert_eq!(gone.status, 404);
    assert_eq!(registry.settled().await.versions.len(), 1);
}

#[tokio::test]
async fn a_failing_step_does_not_keep_the_others_waiting() {
    let registry = InProcess::start_set(|settings| {
        settings.administrator = Some(PrincipalId::derive("tests", "appointed"));
    })
    .await;
    let appointed = registry.person("appointed").await;
    registry.proxy.inject(every(Operation::ListObjects), Fault::Unavailable);
    assert_eq!(registry.functions.sweep().await.failed_steps, 3, "uploads, parts and orphans");
    // The step after those has been made: the operator's administrator owns @global.
    let whoami = registry.send(Some(&appointed), "GET", "/api/whoami", "").await.json();
    assert_eq!(
        (&whoami["namespaces"][1]["namespace"], &whoami["namespaces"][1]["role"]),
        (&json!("@global"), &json!("owner"))
    );
    registry.proxy.clear();
    assert_eq!(registry.functions.sweep().await.failed_steps, 0);
}
