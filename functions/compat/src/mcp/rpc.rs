//! JSON-RPC 2.0, as MCP narrows it: one request or notification a message.

use axum::response::Response;
use http::StatusCode;
use serde_json::{Map, Value, json};
use skillhub_store::StoreError;
use skillhub_web::{ApiError, json_text};

use super::revision::Revision;

/// What a client sends.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    Request(Request),
    Notification,
}

/// A message that wants an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    /// Text or a whole number; the answer has the same.
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Map<String, Value>,
}

/// The codes of JSON-RPC, and those of MCP that this server has a use for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    Parse = -32700,
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    Internal = -32603,
    HeaderMismatch = -32020,
    UnsupportedVersion = -32022,
}

impl Code {
    /// The HTTP status that 2026-07-28 gives it.
    fn status(self) -> StatusCode {
        match self {
            Self::MethodNotFound => StatusCode::NOT_FOUND,
            Self::Internal => StatusCode::OK,
            _ => StatusCode::BAD_REQUEST,
        }
    }
}

/// Why a message is not answered as it would like.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    pub(super) code: Code,
    message: String,
    data: Option<Value>,
}

impl Fault {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(super) fn with(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }
}

/// A fault of the message, or an error of the registry.
#[derive(Debug)]
pub(super) enum Failure {
    Fault(Fault),
    Registry(ApiError),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Registry(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Registry(error.into())
    }
}

impl Message {
    /// A message that is none has no id that could be answered to.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let value = serde_json::from_str(text).map_err(|e| Fault::new(Code::Parse, format!("no JSON: {e}")))?;
        Ok(Self::of(value).map_err(|demand| Fault::new(Code::InvalidRequest, demand))?)
    }

    fn of(value: Value) -> Result<Self, &'static str> {
        let Value::Object(mut fields) = value else {
            return Err("must be one JSON-RPC request or notification: batches are in no revision of MCP spoken here");
        };
        if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err("jsonrpc must be \"2.0\"");
        }
        let Some(Value::String(method)) = fields.remove("method") else { return Err("method must be text") };
        let params = match fields.remove("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return Err("params must be an object"),
        };
        match fields.remove("id") {
            None => Ok(Self::Notification),
            Some(id) if id.is_string() || id.is_i64() || id.is_u64() => {
                Ok(Self::Request(Request { id, method, params }))
            }
            Some(_) => Err("id must be text or a whole number"),
        }
    }
}

impl Request {
    /// A parameter that is text.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Fault> {
        match self.params.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Fault::new(Code::InvalidParams, format!("{name} must be text"))),
        }
    }

    /// A parameter that is text and there.
    pub(super) fn required(&self, name: &str) -> Result<&str, Fault> {
        self.text(name)?.ok_or_else(|| Fault::new(Code::InvalidParams, format!("{name} is missing")))
    }
}

/// The answer to the message with this id.
pub(super) fn respond(id: &Value, result: Result<Value, Failure>, revision: Revision) -> Response {
    match result {
        Ok(result) => json_text(StatusCode::OK, json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()),
        Err(Failure::Fault(fault)) => refuse(id, &fault, revision.status(fault.code.status())),
        Err(Failure::Registry(error)) => {
            // What we failed at keeps its status, for alarms and for clients that try again.
            let server = error.status().is_server_error();
            let internal = server || error.status() == StatusCode::PAYLOAD_TOO_LARGE;
            let fault = Fault::new(if internal { Code::Internal } else { Code::InvalidParams }, error.detail());
            let status = if server { error.status() } else { revision.status(fault.code.status()) };
            error.spelled(refuse(id, &fault, status))
        }
    }
}

fn refuse(id: &Value, fault: &Fault, status: StatusCode) -> Response {
    let mut error = json!({ "code": fault.code as i32, "message": fault.message });
    if let Some(data) = &fault.data {
        error["data"] = data.clone();
    }
    json_text(status, json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string())
}
