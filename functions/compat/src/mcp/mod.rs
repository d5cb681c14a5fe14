//! MCP: agents find and read skills over `POST /mcp`, by the Skills extension (SEP-2640).
//!
//! | method | answer | calls |
//! |---|---|---|
//! | `server/discover`, `initialize`, `ping`, `tools/list`, `resources/templates/list` | what this server can; it has no tools | none |
//! | `skills/list` | entries with frontmatter, digests and sizes, page by page | 1 query a partition, 1 batch |
//! | `skills/get` | one entry | resolve, 1 batch |
//! | `resources/list` | each `SKILL.md`, for clients without the extension | 1 query a partition |
//! | `resources/read` | a file, as text or base64 | resolve, 1 batch, 1 ranged read |
//!
//! Each request stands for itself: no session, no stream, no event. The revision of MCP that was made for this is 2026-07-28;
//! clients of the two before it get a handshake that is remembered nowhere. No revision spoken here has batches, so an array
//! is -32600.
//!
//! A skill is at `skill://<namespace>/<slug>/`, and always in its current version: the extension has no word for another.
//! Left out are the skills that the extension cannot spell, because clients refuse a whole page for one of them: see
//! [`skill::entry`].
//!
//! Callers see what their token may see, or without one the public skills where the registry allows it. No cookie and no
//! address of a caller counts, so a request that a browser is tricked into sees no more than its sender would.

mod catalog;
mod revision;
mod rpc;
mod skill;

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use http::StatusCode;
use serde_json::{Value, json};
use skillhub_store::Viewer;
use skillhub_web::{ApiError, Body, Caller};

use self::revision::Revision;
use self::rpc::{Code, Failure, Fault, Message, Request};
use crate::App;

pub(crate) fn router() -> Router<App> {
    Router::new().route("/mcp", post(answer))
}

async fn answer(
    State(app): State<App>,
    Caller(viewer): Caller,
    headers: HeaderMap,
    body: Result<Body, ApiError>,
) -> Response {
    let message = match &body {
        Ok(Body(text)) => Message::parse(text),
        Err(error) if error.status() == StatusCode::BAD_REQUEST => Err(Fault::new(Code::Parse, error.detail()).into()),
        Err(error) => return error.clone().into_response(),
    };
    let revision = Revision::of(&headers);
    match message {
        // There is nothing that a notification could change here.
        Ok(Message::Notification) => StatusCode::ACCEPTED.into_response(),
        Ok(Message::Request(request)) => {
            let result = match revision.check(&headers, &request) {
                Ok(()) => call(&app, &viewer, revision, &request).await,
                Err(fault) => Err(fault.into()),
            };
            rpc::respond(&request.id, result, revision)
        }
        Err(failure) => rpc::respond(&Value::Null, Err(failure), Revision::Stateless),
    }
}

async fn call(app: &App, viewer: &Viewer, revision: Revision, request: &Request) -> Result<Value, Failure> {
    let result = match (revision, request.method.as_str()) {
        (Revision::Handshake, "initialize") => return Ok(revision::initialize(request)),
        (Revision::Handshake, "ping") => return Ok(json!({})),
        (Revision::Stateless, "server/discover") => return Ok(revision::discover()),
        (_, "skills/list") => catalog::skills(app, viewer, request).await?,
        (_, "skills/get") => catalog::skill(app, viewer, request).await?,
        (_, "resources/list") => catalog::resources(app, viewer, request).await?,
        (_, "resources/read") => catalog::read(app, viewer, request).await?,
        (_, "resources/templates/list") => json!({ "resourceTemplates": [] }),
        (_, "tools/list") => json!({ "tools": [] }),
        (_, method) => return Err(Fault::new(Code::MethodNotFound, format!("there is no method {method:?}")).into()),
    };
    let scope = if viewer.authenticated().is_some() { "private" } else { "public" };
    Ok(complete(result, 0, scope))
}

/// A result with the fields that every one of 2026-07-28 has. `ttl` is how long it stays true, in milliseconds: what is in
/// the catalogue can change at any time, and an entry that is older than the file it speaks of would not verify.
fn complete(mut result: Value, ttl: u32, scope: &str) -> Value {
    if let Value::Object(fields) = &mut result {
        fields.extend([
            (String::from("resultType"), json!("complete")),
            (String::from("ttlMs"), json!(ttl)),
            (String::from("cacheScope"), json!(scope)),
        ]);
    }
    result
}
