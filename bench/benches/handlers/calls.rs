//! P5: how many calls of the stores each request makes, by the proxy between them. What they are exactly, and in which order,
//! `tests/tests/calls.rs` demands.

use serde_json::{Value, json};
use skillhub_bench::{Bound, Row, Unit};
use skillhub_protocol::PublishedVersion;
use skillhub_tests::in_process::InProcess;
use skillhub_tests::proxy::{Call, Operation};
use skillhub_tests::skill::Skill;

/// What a run of the validator does, once each.
const VALIDATION: [Operation; 6] = [
    Operation::UpdateItem,
    Operation::GetObject,
    Operation::BatchGetItem,
    Operation::PutObject,
    Operation::TransactWriteItems,
    Operation::DeleteObject,
];

pub(crate) async fn rows() -> Vec<Row> {
    let registry = InProcess::start().await;
    registry.found_namespace(&registry.owner, "@team", "organization").await;
    let mut rows = authenticating(&registry).await;
    let (_, hello) = publish(&registry, "@global", "hello").await;
    let (validation, own) = publish(&registry, "@owner", "own").await;
    rows.extend(reading(&registry, &hello, &own).await);
    rows.extend(opening(&registry).await);
    rows.push(validating(&validation));
    rows
}

fn row(what: &str, calls: usize, most: usize) -> Row {
    let method = "counted by a proxy before the embedded stores; authentication and rate of writing apart";
    Row::new("P5", what, calls as f64, Unit::Count).demands(Bound::AtMost(most as f64)).method(method, 1)
}

/// The calls of a request. The first two of a known caller are its authentication, the next one or two of a writer its rate.
async fn calls(registry: &InProcess, known: bool, method: &str, path: &str, body: &str, key: Option<&str>) -> Calls {
    registry.proxy.take_attempts();
    let caller = known.then_some(&registry.owner);
    let headers: Vec<_> = key.map(|key| ("idempotency-key", key)).into_iter().collect();
    let answer = registry.send_with(caller, method, path, &headers, body).await;
    assert!(answer.status.is_success(), "{method} {path}: {answer:?}");
    let mut own = registry.proxy.take_attempts();
    let authentication = own.drain(..if known { 2 } else { 0 }).collect();
    let is_rate = |call: &&Call| call.operation == Operation::UpdateItem && call.touches("RL#");
    let rate = own.drain(..own.iter().take_while(is_rate).count()).collect();
    Calls { authentication, rate, own }
}

struct Calls {
    authentication: Vec<Call>,
    rate: Vec<Call>,
    own: Vec<Call>,
}

impl Calls {
    fn on_objects(&self) -> usize {
        self.own.iter().filter(|call| call.operation.is_on_objects()).count()
    }
}

async fn authenticating(registry: &InProcess) -> Vec<Row> {
    let body = Skill::new("known", "x").request().to_string();
    let calls = calls(registry, true, "POST", "/api/uploads", &body, None).await;
    let kinds: Vec<_> = calls.authentication.iter().map(|call| call.operation).collect();
    assert_eq!(kinds, [Operation::GetItem, Operation::Query], "one read of the token, one query of the memberships");
    vec![
        row("authentication with a token", calls.authentication.len(), 2),
        row("rate of writing, after a pause", calls.rate.len(), 2),
    ]
}

async fn reading(registry: &InProcess, hello: &PublishedVersion, own: &PublishedVersion) -> Vec<Row> {
    let skill = |p: &PublishedVersion| format!("/api/skills/{}", p.skill_id);
    let resolve = |coordinate: &str| format!("/api/resolve?coordinate={coordinate}");
    let mut rows = Vec::new();
    for (what, known, path, most) in [
        ("list, anonymous: 1 partition", false, String::from("/api/skills"), 1),
        ("list, with a personal namespace and an organization: 3 partitions", true, String::from("/api/skills"), 3),
        ("detail", false, skill(hello), 1),
        ("detail of a personal skill", true, skill(own), 1),
        ("resolve, latest", false, resolve("hello"), 3),
        ("resolve, a version", false, resolve("hello@1.0.0"), 3),
        ("resolve, a tag", false, resolve("hello@beta"), 3),
        ("resolve outside @global, latest", true, resolve("@owner/own"), 3),
        ("resolve outside @global, a version", true, resolve("@owner/own@1.0.0"), 3),
        ("resolve outside @global, a tag", true, resolve("@owner/own@beta"), 3),
    ] {
        rows.push(row(what, calls(registry, known, "GET", &path, "", None).await.own.len(), most));
    }
    let path = format!("{}/versions/{}/download", skill(hello), hello.version_id);
    let download = calls(registry, false, "GET", &path, "", None).await;
    rows.push(row("download", download.own.len(), 1));
    rows.push(row("download, calls of the object store", download.on_objects(), 0));
    rows
}

async fn opening(registry: &InProcess) -> Vec<Row> {
    let mut rows = Vec::new();
    for (what, skill, key) in [
        ("open a session, a new skill", Skill::new("new", "x"), None),
        ("open a session, another version", Skill::new("hello", "y").version("2.0.0"), None),
        ("open a session, with an idempotency key", Skill::new("hello", "z").version("3.0.0"), Some("k")),
    ] {
        let body = skill.request().to_string();
        rows.push(row(what, calls(registry, true, "POST", "/api/uploads", &body, key).await.own.len(), 5));
    }
    rows
}

fn validating(calls: &[Call]) -> Row {
    let kinds: Vec<_> = calls.iter().map(|call| call.operation).collect();
    let what = "validate: 1 claim, 1 GET, 1 BatchGet, 1 PUT, 1 transaction, 1 delete";
    // One of another kind would be a call too many, even if one of these were missing.
    let others = VALIDATION.iter().filter(|kind| !kinds.contains(kind)).count();
    row(what, kinds.len() + others, VALIDATION.len())
}

/// Publishes with the tag `beta`; gives the validator's calls, too.
async fn publish(registry: &InProcess, namespace: &str, name: &str) -> (Vec<Call>, PublishedVersion) {
    let skill = Skill::new(name, name);
    let mut request: Value = skill.request();
    (request["namespace"], request["tags"]) = (json!(namespace), json!(["beta"]));
    let answer = registry.send(Some(&registry.owner), "POST", "/api/uploads", &request.to_string()).await;
    let id = answer.session().id;
    let event = registry.place(&id, &skill.archive()).await;
    registry.proxy.take_attempts();
    registry.deliver(&event).await.unwrap();
    let calls = registry.proxy.take_attempts();
    (calls, registry.session(&id).await.published.unwrap())
}
