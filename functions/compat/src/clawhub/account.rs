//! Who the caller is, where the registry is, and what these clients tell of themselves.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use serde_json::json;
use skillhub_web::Known;

use super::text::{Plain, Refused, answer};

/// How to log in: none of these clients can be logged in by this registry itself.
const NO_LOGIN: &str = "This registry has no login in a browser. Make a token for it (POST /api/tokens, or ask its operator) \
                        and run: clawhub login --token sk_...";

pub(crate) async fn whoami(Plain(Known(caller)): Plain<Known>) -> Result<Response, Refused> {
    let handle = caller.handle().map(|namespace| namespace.handle());
    let role = if caller.is_administrator() { "admin" } else { "user" };
    let mut user = json!({ "handle": handle, "role": role });
    if let Some(handle) = handle {
        user["displayName"] = json!(handle);
    }
    answer(StatusCode::OK, &json!({ "user": user }))
}

/// Where the API is: where this was asked.
pub(crate) async fn well_known(headers: HeaderMap) -> Result<Response, Refused> {
    let origin = origin(&headers)?;
    answer(StatusCode::OK, &json!({ "apiBase": origin, "registry": origin }))
}

/// Counted by nobody.
pub(crate) async fn telemetry() -> Result<Response, Refused> {
    answer(StatusCode::OK, &json!({ "ok": true }))
}

pub(crate) async fn no_login() -> Response {
    Refused::bad_request(NO_LOGIN).into_response()
}

/// The scheme and host by which the caller has reached this function.
///
/// # Errors
/// 400 without a host.
pub(crate) fn origin(headers: &HeaderMap) -> Result<String, Refused> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let legal = |host: &&str| {
        !host.is_empty()
            && host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'[' | b']'))
    };
    let host = text(header::HOST.as_str()).filter(legal).ok_or_else(|| Refused::bad_request("Host must be given"))?;
    let scheme = if text("x-forwarded-proto") == Some("https") { "https" } else { "http" };
    Ok(format!("{scheme}://{host}"))
}
