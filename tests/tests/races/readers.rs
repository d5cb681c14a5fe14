//! What readers see while something is published.

use serde_json::Value;
use skillhub_protocol::{Sha256, UploadState};
use skillhub_tests::in_process::InProcess;
use skillhub_tests::proxy::{Moment, Operation, nth};
use skillhub_tests::skill::Skill;
use skillhub_validate::Outcome;

use crate::{artifact, entry};

/// What each way of reading says that `hello` is; `None` where there is nothing.
async fn seen(registry: &InProcess) -> [Option<String>; 5] {
    let list = registry.get("/api/skills").await.json();
    let summary = &list["skills"][0];
    let resolved = registry.get("/api/resolve?coordinate=hello").await.json();
    let [skill, version] = ["skillId", "versionId"].map(|field| resolved[field].as_str().unwrap_or("none").to_owned());
    let detail = registry.get(&format!("/api/skills/{skill}")).await.json();
    let one = registry.get(&format!("/api/skills/{skill}/versions/{version}")).await.json();
    let download = registry.get(&format!("/api/skills/{skill}/versions/{version}/download")).await.json();
    let digest = |value: &Value| value.as_str().map(str::to_owned);
    [
        digest(&summary["currentVersion"]["sha256"]),
        digest(&resolved["sha256"]),
        digest(&detail["skill"]["currentVersion"]["sha256"]),
        digest(&one["version"]["sha256"]),
        digest(&download["sha256"]),
    ]
}

fn all(digest: Option<Sha256>) -> [Option<String>; 5] {
    [(); 5].map(|()| digest.map(|digest| digest.to_string()))
}

#[tokio::test]
async fn r18_nothing_is_visible_before_its_bytes_are_there() {
    let registry = InProcess::start().await;
    let skill = Skill::new("hello", "x");
    let (id, _) = registry.upload(&skill).await;
    let bytes = registry.proxy.hold(nth(Operation::PutObject, 1), Moment::Before);
    let pointer = registry.proxy.hold(nth(Operation::TransactWriteItems, 1), Moment::Before);
    let validating = registry.validate_beside(&id);
    for mut held in [bytes, pointer] {
        held.reached().await;
        assert_eq!(seen(&registry).await, all(None));
        assert_eq!(registry.session(&id).await.state, UploadState::Validating);
        held.open();
    }
    assert_eq!(validating.await.unwrap().unwrap(), Outcome::Decided(UploadState::Published));
    assert_eq!(seen(&registry).await, all(Some(artifact(&skill))));
    assert_eq!(registry.settled().await.versions, [entry(&skill)].into());
}

#[tokio::test]
async fn r19_every_way_of_reading_says_the_same_before_and_after_the_one_transaction() {
    let registry = InProcess::start().await;
    let mut published = Vec::new();
    for version in ["1.0.0", "1.1.0"] {
        let before = published.last().map(|(_, digest)| *digest);
        let skill = Skill::new("hello", version).version(version);
        let (id, _) = registry.upload(&skill).await;
        let mut bytes = registry.proxy.hold(nth(Operation::PutObject, 1), Moment::After);
        let mut pointer = registry.proxy.hold(nth(Operation::TransactWriteItems, 1), Moment::After);
        let validating = registry.validate_beside(&id);
        bytes.reached().await;
        assert_eq!(seen(&registry).await, all(before), "{version}");
        registry.proxy.take_attempts();
        bytes.open();
        pointer.reached().await;
        // The validator does not know yet, readers do.
        assert_eq!(seen(&registry).await, all(Some(artifact(&skill))), "{version}");
        pointer.open();
        validating.await.unwrap().unwrap();
        let calls = registry.proxy.take_attempts();
        let writes: Vec<_> = calls.iter().filter(|call| is_write(call.operation)).collect();
        assert_eq!(writes.len(), 1, "{writes:?}");
        assert!(
            ["S#", "L#P", "L#N", "Q#", "A#", "U#"].iter().all(|partition| writes[0].touches(partition)),
            "{writes:?}"
        );
        published.push(entry(&skill));
    }
    assert_eq!(registry.settled().await.versions, published.into_iter().collect());
}

fn is_write(operation: Operation) -> bool {
    use Operation::{DeleteItem, PutItem, TransactWriteItems, UpdateItem};
    [DeleteItem, PutItem, TransactWriteItems, UpdateItem].contains(&operation)
}
