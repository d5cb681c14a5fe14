//! Answers with an error status: which codes a status can have, each set of codes as one component.

use std::collections::BTreeSet;

use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, Type};
use utoipa::openapi::{Ref, Response, ResponseBuilder};

use crate::operation::{REQUEST_ID, header};

/// The media type of problems.
const PROBLEM: &str = "application/problem+json";

/// The codes of one error status of one operation.
pub(crate) type Codes = BTreeSet<&'static str>;

/// The component's name, such as `409.conflict.session_open`.
pub(crate) fn name(status: u16, codes: &Codes) -> String {
    codes.iter().fold(status.to_string(), |name, code| name + "." + code)
}

/// The component.
pub(crate) fn response(status: u16, codes: &Codes) -> Response {
    let code = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(codes.iter().copied()));
    let codes_only = ObjectBuilder::new().property("code", code);
    let schema = AllOfBuilder::new().item(Ref::from_schema_name("Problem")).item(codes_only);
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let words: Vec<_> = codes.iter().map(|code| format!("`{code}`: {}", meaning(code))).collect();
    let response = ResponseBuilder::new().description(words.join(" ")).content(PROBLEM, content);
    let headers = [REQUEST_ID].into_iter().chain(extra_headers(status, codes));
    headers.fold(response, |response, name| response.header_ref(name, header(name))).build()
}

fn extra_headers(status: u16, codes: &Codes) -> Option<&'static str> {
    match status {
        401 => Some("WWW-Authenticate"),
        429 | 503 => Some("Retry-After"),
        409 if codes.contains("session_open") => Some("Location"),
        _ => None,
    }
}

/// What a code says, for the reader of one operation. `docs/api.md` says more.
fn meaning(code: &str) -> &'static str {
    match code {
        "invalid_request" => "a parameter or the body is not as it must be; `errors` says where.",
        "invalid_cursor" => "the cursor is no `nextCursor` of an earlier page.",
        "invalid_coordinate" => {
            "there is no coordinate, or it is not of the form `[@namespace/]slug[@version or @tag]`."
        }
        "unsupported_schema_version" => "the manifest has a schema that this registry does not read.",
        "unauthenticated" => "there is no valid token.",
        "forbidden" => "the token's scopes or the caller's role do not allow this.",
        "not_found" => "it does not exist, or the caller may not know that it does.",
        "version_exists" => "the version number is taken, by other content or by a blocked version.",
        "session_open" => {
            "somebody else is publishing the same version; `Location` names the session, where it is known."
        }
        "session_closed" => "the session is being validated or has ended.",
        "conflict" => "it does not go with what is there; `errors` says what.",
        "idempotency_mismatch" => "the `Idempotency-Key` was used for another request.",
        "blocked" => "the version is blocked.",
        "payload_too_large" => "the body has more than 262144 bytes.",
        "policy_refused" => "the manifest breaks rules for publishing; `errors` lists all of them.",
        "tag_invalid" => "the tag is malformed, reserved, or one too many.",
        "rate_limited" => "the caller writes more often than it may.",
        "quota_exceeded" => "the caller has too many uploads open.",
        "auth_unavailable" => "the keys of the token's issuer are not here yet.",
        "unavailable" => "a store is away or busy.",
        "internal" => "a fault of the registry.",
        _ => "see docs/api.md.",
    }
}
