//! `GET /openapi.json`: the document of the whole API, as `shared/openapi` has written it.

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

const DOCUMENT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json"));

pub(crate) async fn document() -> Response {
    let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "public, max-age=300")];
    (headers, DOCUMENT).into_response()
}
