//! Skills to find, and requests that find them.

use bytes::Bytes;
use http::Request;
use serde_json::{Value, json};
use skillhub_protocol::PublishedVersion;
use skillhub_tests::in_process::{Answer, Caller, InProcess};
use skillhub_tests::skill::{Skill, open_request};

/// The newest revision of MCP that is spoken.
pub(crate) const STATELESS: &str = "2026-07-28";

/// Publishes to the end, after `change` of the request that opens the upload.
pub(crate) async fn publish_as(
    registry: &InProcess,
    by: &Caller,
    skill: &Skill,
    change: impl FnOnce(&mut Value),
) -> PublishedVersion {
    let mut request = open_request(&skill.manifest(), &skill.archive());
    change(&mut request);
    let answer = registry.send(Some(by), "POST", "/api/uploads", &request.to_string()).await;
    assert!(answer.status.is_success(), "{answer:?}");
    let id = answer.session().id;
    let event = registry.place(&id, &skill.archive()).await;
    registry.deliver(&event).await.unwrap();
    let session = registry.send(Some(by), "GET", &format!("/api/uploads/{id}"), "").await.session();
    session.published.unwrap_or_else(|| panic!("{:?} {:?}", session.state, session.findings))
}

/// Publishes to `@global`.
pub(crate) async fn publish(registry: &InProcess, skill: &Skill) -> PublishedVersion {
    publish_as(registry, &registry.owner, skill, |_| ()).await
}

/// `1.0.0` with the tag `old`, and `2.0.0`, of `hello` in `@global`.
pub(crate) async fn hello(registry: &InProcess) -> [PublishedVersion; 2] {
    let tagged = |request: &mut Value| request["tags"] = json!(["old"]);
    let old = publish_as(registry, &registry.owner, &Skill::new("hello", "x"), tagged).await;
    [old, publish(registry, &Skill::new("hello", "y").version("2.0.0")).await]
}

/// Yanks or blocks a version.
pub(crate) async fn change(registry: &InProcess, version: &PublishedVersion, what: &str) {
    let path = format!("/api/skills/{}/versions/{}/{what}", version.skill_id, version.version_id);
    let answer = registry.send(Some(&registry.owner), "POST", &path, r#"{"reason":"a test"}"#).await;
    assert_eq!(answer.status, 204, "{answer:?}");
}

/// Reads as nobody in particular.
pub(crate) async fn get(registry: &InProcess, path: &str) -> Answer {
    registry.send(None, "GET", path, "").await
}

/// What stands behind the redirect of an archive.
pub(crate) async fn follow(registry: &InProcess, answer: &Answer) -> Bytes {
    assert_eq!(answer.status, 302, "{answer:?}");
    let answer = registry.wire.send(Request::get(&answer.headers["location"]).body(Bytes::new()).unwrap()).await;
    let answer = answer.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["content-type"]),
        (200, &"application/zip".parse().unwrap())
    );
    answer.into_body()
}

/// A message of MCP, as a client of 2026-07-28 sends it.
pub(crate) fn message(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

/// Sends a message with the headers that belong to it.
pub(crate) async fn call(registry: &InProcess, by: Option<&Caller>, method: &str, params: Value) -> Answer {
    let name = params["uri"].as_str().unwrap_or("-").to_owned();
    let mut headers = vec![("mcp-protocol-version", STATELESS), ("mcp-method", method)];
    if method == "resources/read" {
        headers.push(("mcp-name", &name));
    }
    registry.send_with(by, "POST", "/mcp", &headers, &message(method, params).to_string()).await
}

/// The result of a call as nobody in particular.
pub(crate) async fn result(registry: &InProcess, method: &str, params: Value) -> Value {
    result_for(registry, None, method, params).await
}

/// The result of a call.
pub(crate) async fn result_for(registry: &InProcess, by: Option<&Caller>, method: &str, params: Value) -> Value {
    let answer = call(registry, by, method, params).await;
    assert_eq!((answer.status.as_u16(), answer.headers["content-type"].as_str()), (200, "application/json"));
    let mut answer = answer.json();
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)), "{answer}");
    answer["result"].take()
}

/// The code of a failed call, with its HTTP status.
pub(crate) fn fault(answer: &Answer) -> (u16, i64) {
    (answer.status.as_u16(), answer.json()["error"]["code"].as_i64().unwrap_or_default())
}
