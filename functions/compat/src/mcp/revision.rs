//! The revisions of MCP, and what a client of each must say first.

use axum::http::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::StatusCode;
use serde_json::{Map, Value, json};

use super::complete;
use super::rpc::{Code, Fault, Request};

/// The revision whose requests stand for themselves.
const STATELESS: &str = "2026-07-28";
/// Revisions with a handshake, the newest first. 2025-03-26 and older are not among them: they have batches.
const HANDSHAKE: [&str; 2] = ["2025-11-25", "2025-06-18"];

const VERSION_HEADER: &str = "mcp-protocol-version";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const SKILLS_EXTENSION: &str = "io.modelcontextprotocol/skills";

const INSTRUCTIONS: &str = "A registry of agent skills. List them with skills/list, or their SKILL.md files with \
    resources/list; read a file of a skill with resources/read and its URI, skill://<namespace>/<skill>/<path>.";

/// How a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Revision {
    /// Since 2026-07-28: each request says everything about itself.
    Stateless,
    /// Before: after `initialize`, which this server does not remember.
    Handshake,
}

impl Revision {
    /// As the header says. A client that is about to shake hands has none.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        match headers.get(VERSION_HEADER) {
            None => Self::Handshake,
            Some(version) if HANDSHAKE.iter().any(|known| version == known) => Self::Handshake,
            Some(_) => Self::Stateless,
        }
    }

    /// The status of a fault: before 2026-07-28 it is told in the body alone.
    pub(super) fn status(self, status: StatusCode) -> StatusCode {
        if self == Self::Stateless { status } else { StatusCode::OK }
    }

    /// Whether the request says what its revision demands: what stands in headers, for those who route by them, must be what
    /// stands in the body.
    pub(super) fn check(self, headers: &HeaderMap, request: &Request) -> Result<(), Fault> {
        if self == Self::Handshake {
            return Ok(());
        }
        let version = stated_version(request)?;
        demand(headers, VERSION_HEADER, version)?;
        demand(headers, METHOD_HEADER, &request.method)?;
        if let Some(uri) =
            request.params.get("uri").and_then(Value::as_str).filter(|_| request.method == "resources/read")
        {
            demand(headers, NAME_HEADER, uri)?;
        }
        if version == STATELESS {
            return Ok(());
        }
        let fault = Fault::new(Code::UnsupportedVersion, "Unsupported protocol version");
        Err(fault.with(json!({ "supported": [STATELESS], "requested": version })))
    }
}

fn stated_version(request: &Request) -> Result<&str, Fault> {
    let invalid = |message: String| Fault::new(Code::InvalidParams, message);
    let meta: Option<&Map<String, Value>> = request.params.get("_meta").and_then(Value::as_object);
    let meta = meta.ok_or_else(|| invalid(format!("params._meta must have {VERSION_KEY} and {CAPABILITIES_KEY}")))?;
    if !meta.contains_key(CAPABILITIES_KEY) {
        return Err(invalid(format!("params._meta must have {CAPABILITIES_KEY}")));
    }
    let version = meta.get(VERSION_KEY).and_then(Value::as_str);
    version.ok_or_else(|| invalid(format!("params._meta must have {VERSION_KEY}, as text")))
}

/// A header that is there once and says `expected`.
fn demand(headers: &HeaderMap, name: &str, expected: &str) -> Result<(), Fault> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().and_then(|value| decode(value.as_bytes()));
    if value.as_deref() == Some(expected.as_bytes()) && values.next().is_none() {
        return Ok(());
    }
    Err(Fault::new(Code::HeaderMismatch, format!("the header {name} must be there once and say what the body says")))
}

/// `=?base64?…?=` is how a value is sent that a header cannot hold.
fn decode(value: &[u8]) -> Option<Vec<u8>> {
    match value.strip_prefix(b"=?base64?").and_then(|rest| rest.strip_suffix(b"?=")) {
        Some(encoded) => BASE64.decode(encoded).ok(),
        None => Some(value.to_vec()),
    }
}

/// The answer to `server/discover`.
pub(super) fn discover() -> Value {
    let result = json!({
        "supportedVersions": [STATELESS],
        "capabilities": { "resources": {}, "extensions": { SKILLS_EXTENSION: {} } },
        "instructions": INSTRUCTIONS,
        "_meta": { "io.modelcontextprotocol/serverInfo": server_info() },
    });
    complete(result, 3_600_000, "public")
}

/// The answer to `initialize`: the client's revision, or the newest with a handshake.
pub(super) fn initialize(request: &Request) -> Value {
    let asked = request.params.get("protocolVersion").and_then(Value::as_str);
    let version = HANDSHAKE.into_iter().find(|known| asked == Some(known)).unwrap_or(HANDSHAKE[0]);
    json!({
        "protocolVersion": version,
        "capabilities": { "resources": {} },
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    })
}

fn server_info() -> Value {
    json!({ "name": "skillhub", "version": env!("CARGO_PKG_VERSION") })
}
