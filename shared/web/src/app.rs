//! What surrounds every router: unknown routes, request ids, the log.

use std::time::Instant;

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use http::{HeaderName, HeaderValue, StatusCode};
use lambda_http::RequestExt;
use rand::RngExt;

use crate::error::{ApiError, Cause};
use crate::extract::MAX_BODY_BYTES;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The router of a function, or several merged, made complete. Called once, outside.
pub fn finish(router: Router) -> Router {
    router
        .route("/healthz", get(|| async { "ok\n" }))
        .fallback(|| async { ApiError::not_found() })
        .method_not_allowed_fallback(|| async {
            let detail = "This route exists, but not with this method.";
            ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
        })
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(middleware::from_fn(observe))
}

/// Gives the answer its id and writes one line: the route's pattern, never the path, a query, a header or a body.
async fn observe(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let id = request.lambda_context_ref().map_or_else(random_id, |context| context.request_id.clone());
    let mut response = next.run(request).await;
    let cause = response.extensions_mut().remove::<Cause>();
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let route = route.as_ref().map_or("-", MatchedPath::as_str);
    let (status, millis) = (response.status().as_u16(), started.elapsed().as_millis() as u64);
    match cause {
        Some(Cause(cause)) => tracing::error!(%method, route, status, millis, request_id = id, cause, "request"),
        None => tracing::info!(%method, route, status, millis, request_id = id, "request"),
    }
    response
}

fn random_id() -> String {
    format!("{:032x}", rand::rng().random::<u128>())
}
