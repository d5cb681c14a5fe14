//! The operations, one after the other.

use serde_json::json;
use skillhub_bench::{CountedCall, Function, Operation};

use crate::registry::Counted;

/// What functions have, as in the template, and how long they are assumed to run.
const LIST: Function = api(10.0);
const DETAIL: Function = api(8.0);
const DOWNLOAD: Function = api(6.0);
const OPEN: Function = api(15.0);
const LOOK: Function = api(6.0);
const VALIDATE: Function = Function { megabytes: 1024.0, assumed_millis: 80.0 };

const fn api(assumed_millis: f64) -> Function {
    Function { megabytes: 256.0, assumed_millis }
}

/// Carries them out.
pub(crate) async fn count() -> Vec<Operation> {
    let registry = Counted::start().await;
    let skill = format!("/api/skills/{}", registry.published.skill_id);
    let download = format!("{skill}/versions/{}/download", registry.published.version_id);
    let list = registry.reading("/api/skills?limit=50").await;
    let mut operations = vec![
        operation("detail", registry.reading(&skill).await, &[DETAIL], Some(0.40)),
        operation("list of 50", list, &[LIST], Some(1.00)),
        with_the_bytes(operation(
            "download, with the GET of the bytes",
            registry.reading(&download).await,
            &[DOWNLOAD],
            Some(0.80),
        )),
    ];
    operations.extend(publishing(&registry).await);
    operations
}

/// The client itself reads what the answer leads to.
fn with_the_bytes(download: Operation) -> Operation {
    Operation { gets: download.gets + 1, ..download }
}

async fn publishing(registry: &Counted) -> Vec<Operation> {
    // The first is a writer's after a pause, the second that of one who goes on.
    registry.pause();
    let (after_a_pause, _) =
        registry.known("POST", "/api/namespaces", &json!({ "namespace": "@x", "kind": "organization" })).await;
    let (opening, upload) = registry.upload("new").await;
    let mut calls = opening.rest;
    // The client itself uploads.
    calls.push(CountedCall { call: String::from("PutObject staging, by the client"), units: 0.0, bytes: upload.bytes });
    calls.extend(registry.validating(&upload).await);
    for _ in 0..2 {
        calls.extend(registry.look(&upload).await.rest);
    }
    let mut whole = calls.clone();
    whole.extend([&opening.authentication; 3].into_iter().chain([&opening.allowance]).flatten().cloned());
    vec![
        operation("authentication with a token, beside any of these", opening.authentication, &[], None),
        operation("the allowance, beside any request that writes", opening.allowance, &[], None),
        operation("the allowance, after a pause", after_a_pause.allowance, &[], None),
        operation(
            "publish a new skill of 10 files, with two looks for the verdict",
            calls,
            &[OPEN, LOOK, LOOK, VALIDATE],
            Some(40.0),
        ),
        operation(
            "the same with its three authentications and its allowance",
            whole,
            &[OPEN, LOOK, LOOK, VALIDATE],
            None,
        ),
    ]
}

/// The sum of these calls.
fn operation(name: &str, calls: Vec<CountedCall>, functions: &[Function], target: Option<f64>) -> Operation {
    let units = |kinds: &[&str]| {
        let of_kind = calls.iter().filter(|call| kinds.iter().any(|kind| call.call.starts_with(kind)));
        // An empty sum is -0.
        0.0 + of_kind.map(|call| call.units).sum::<f64>()
    };
    let count = |kinds: &[&str]| {
        let of_kind = calls.iter().filter(|call| kinds.iter().any(|kind| call.call.starts_with(kind)));
        u32::try_from(of_kind.count()).unwrap()
    };
    Operation {
        name: name.to_owned(),
        read_units: units(&["GetItem", "BatchGetItem", "Query"]),
        write_units: units(&["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"]),
        // A list is billed like a PUT, a HEAD like a GET; a delete is not billed.
        puts: count(&["PutObject", "ListObjects"]),
        gets: count(&["GetObject", "HeadObject"]),
        functions: functions.to_vec(),
        target,
        calls,
    }
}
