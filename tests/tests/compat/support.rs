//! What these tests share.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};
use skillhub_package::sha256;
use skillhub_protocol::PublishedVersion;
use skillhub_tests::in_process::{Answer, Caller, InProcess};
use skillhub_tests::skill::Skill;

/// Publishes through our own API, in a namespace.
pub(crate) async fn publish_in(
    registry: &InProcess,
    namespace: &str,
    skill: &Skill,
    tags: &[&str],
) -> PublishedVersion {
    let mut request = skill.request();
    (request["namespace"], request["tags"]) = (json!(namespace), json!(tags));
    let answer = registry.send(Some(&registry.owner), "POST", "/api/uploads", &request.to_string()).await;
    let id = answer.session().id;
    let event = registry.place(&id, &skill.archive()).await;
    registry.deliver(&event).await.unwrap();
    let session = registry.session(&id).await;
    session.published.unwrap_or_else(|| panic!("{:?}", session.findings))
}

/// The body as text.
pub(crate) fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

/// A request with a host and any body.
pub(crate) fn request(by: Option<&Caller>, method: &str, path: &str, kind: &str, body: &[u8]) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri(path).header("host", "registry.test:8787");
    if let Some(caller) = by {
        request = request.header("authorization", format!("Bearer {}", caller.token.expose()));
    }
    request.header("content-type", kind).body(Full::new(Bytes::copy_from_slice(body))).unwrap()
}

/// Sends such a request.
pub(crate) async fn send(registry: &InProcess, by: Option<&Caller>, method: &str, path: &str, body: &Value) -> Answer {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    registry.exchange(request(by, method, path, "application/json", body.as_bytes())).await
}

/// Status and text of an answer.
pub(crate) async fn said(
    registry: &InProcess,
    by: Option<&Caller>,
    method: &str,
    path: &str,
    body: &Value,
) -> (u16, String) {
    let answer = send(registry, by, method, path, body).await;
    (answer.status.as_u16(), text(&answer))
}

/// What a client is told to say of its file after it has asked for a ticket and uploaded the bytes.
pub(crate) async fn upload(registry: &InProcess, by: &Caller, path: &str, data: &[u8]) -> Value {
    let digest = sha256(data).to_string();
    let wanted = json!({ "path": path, "size": data.len(), "sha256": digest, "contentType": "text/plain" });
    let answer = send(registry, Some(by), "POST", "/api/v1/skills/-/upload-url", &wanted).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let ticket = answer.json();
    let url = ticket["uploadUrl"].as_str().unwrap();
    let path_of_url = url.strip_prefix("http://registry.test:8787").unwrap_or_else(|| panic!("{url}"));
    let stored = registry.exchange(request(Some(by), "POST", path_of_url, "text/plain", data)).await;
    assert_eq!(stored.status, 200, "{stored:?}");
    let mut file = wanted;
    file["storageId"] = stored.json()["storageId"].clone();
    file["uploadTicket"] = ticket["uploadTicket"].clone();
    file
}

/// What `clawhub publish` says besides the files.
pub(crate) fn payload(slug: &str, version: &str) -> Value {
    json!({
        "slug": slug,
        "displayName": "Some Title",
        "version": version,
        "changelog": "",
        "acceptLicenseTerms": true,
        "tags": ["latest"],
    })
}

/// Uploads the files and publishes them, in the way of clients since 0.23.3.
pub(crate) async fn publish_files(registry: &mut InProcess, by: &Caller, payload: &Value, skill: &Skill) -> Answer {
    let mut payload = payload.clone();
    let mut files = Vec::new();
    for (path, data) in &skill.files {
        files.push(upload(registry, by, path, data).await);
    }
    payload["files"] = json!(files);
    let body = payload.to_string();
    let request = request(Some(by), "POST", "/api/v1/skills", "application/json", body.as_bytes());
    registry.exchange_validating(request).await
}

/// The same in the way of older clients: one form.
pub(crate) fn form(by: &Caller, payload: &Value, skill: &Skill) -> Request<Full<Bytes>> {
    let mut body = Vec::new();
    let mut part = |head: &str, data: &[u8]| {
        body.extend_from_slice(format!("--b0undary\r\nContent-Disposition: form-data; {head}\r\n\r\n").as_bytes());
        body.extend_from_slice(data);
        body.extend_from_slice(b"\r\n");
    };
    part("name=\"payload\"", payload.to_string().as_bytes());
    for (path, data) in &skill.files {
        let name = path.replace('"', "%22");
        part(&format!("name=\"files\"; filename=\"{name}\"\r\nContent-Type: text/plain"), data);
    }
    body.extend_from_slice(b"--b0undary--\r\n");
    request(Some(by), "POST", "/api/v1/skills", "multipart/form-data; boundary=b0undary", &body)
}
