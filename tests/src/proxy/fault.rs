//! What networks and stores do to a call.

use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};
use serde_json::json;

use super::call::{Call, Operation};

/// Something that happens to one attempt at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// 503 (`SlowDown` from the object store); not carried out.
    Unavailable,
    /// `ThrottlingException` of DynamoDB, 503 `SlowDown` from the object store; not carried out.
    Throttled,
    /// A transaction is cancelled for these reasons, each at the position of its action; "None" at the others.
    Canceled(&'static [(usize, &'static str)]),
    /// Carried out, then 500.
    FailedAfterwards,
    /// The connection is reset while the request is read; not carried out.
    ResetBefore,
    /// Carried out; the connection is reset in the middle of the answer.
    ResetAfterwards,
    /// Carried out; the connection ends in the middle of the answer.
    Truncated,
    /// Carried out late. If the SDK has given up by then, it is carried out all the same.
    Late(Duration),
    /// Carried out at once, answered late.
    AnsweredLate(Duration),
}

impl Fault {
    /// Another transaction is in the way.
    pub const CONFLICT: Self = Self::Canceled(&[(0, "TransactionConflict")]);

    /// Whether this can happen to such a call.
    pub fn applies_to(self, operation: Operation) -> bool {
        operation != Operation::Other
            && (!matches!(self, Self::Canceled(_)) || operation == Operation::TransactWriteItems)
    }

    /// The answer of a store that does not carry the call out; `None` where the fault is another.
    pub(super) fn refusal(self, call: &Call) -> Option<Response<Bytes>> {
        let objects = call.operation.is_on_objects();
        match self {
            Self::Unavailable | Self::Throttled if objects => {
                Some(object_error(StatusCode::SERVICE_UNAVAILABLE, "SlowDown"))
            }
            Self::Unavailable => Some(table_error(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable")),
            Self::Throttled => Some(table_error(StatusCode::BAD_REQUEST, "ThrottlingException")),
            Self::Canceled(reasons) => Some(canceled(call.targets.len(), reasons)),
            _ => None,
        }
    }

    /// 500, as the store of this call says it.
    pub(super) fn failure(call: &Call) -> Response<Bytes> {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        if call.operation.is_on_objects() {
            object_error(status, "InternalError")
        } else {
            table_error(status, "InternalServerError")
        }
    }
}

fn table_error(status: StatusCode, code: &str) -> Response<Bytes> {
    let body = json!({ "__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "injected" });
    answer(status, "application/x-amz-json-1.0", body.to_string())
}

fn object_error(status: StatusCode, code: &str) -> Response<Bytes> {
    let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>injected</Message></Error>");
    answer(status, "application/xml", body)
}

fn canceled(actions: usize, reasons: &[(usize, &str)]) -> Response<Bytes> {
    let code_at = |i| reasons.iter().find(|(at, _)| *at == i).map_or("None", |(_, code)| code);
    let codes: Vec<_> = (0..actions).map(code_at).collect();
    let reason = |code: &&str| match *code {
        "None" => json!({ "Code": "None" }),
        code => json!({ "Code": code, "Message": "injected" }),
    };
    let body = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "Message": format!("Transaction cancelled, please refer cancellation reasons for specific reasons [{}]", codes.join(", ")),
        "CancellationReasons": codes.iter().map(reason).collect::<Vec<_>>(),
    });
    answer(StatusCode::BAD_REQUEST, "application/x-amz-json-1.0", body.to_string())
}

fn answer(status: StatusCode, content_type: &'static str, body: String) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static(content_type));
    response
}
