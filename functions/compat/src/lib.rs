//! The registry as clients of other ecosystems know it: ClawHub, the discovery indexes of agent skills, and MCP.

mod clawhub;
mod discovery;
mod files;
mod mcp;

use std::time::Duration;

use axum::Router;
use axum::extract::FromRef;
use skillhub_store::Objects;
use skillhub_web::Registry;

#[derive(Debug, Clone, FromRef)]
struct App {
    registry: Registry,
    objects: Objects,
    verdict_wait: Duration,
}

/// How long a publication waits for the validator before it is answered as pending. A request to a function lives 29 s.
pub const VERDICT_WAIT: Duration = Duration::from_secs(10);

/// The routes of this function; `verdict_wait` is [`VERDICT_WAIT`], but in tests of what comes after it.
pub fn router(registry: Registry, objects: Objects, verdict_wait: Duration) -> Router {
    let app = App { registry, objects, verdict_wait };
    let routers = clawhub::router(&app).merge(discovery::router()).merge(mcp::router());
    routers.with_state(app)
}
