//! The registry as clients of other ecosystems know it: the discovery indexes of agent skills, and MCP.

mod discovery;
mod files;
mod mcp;

use axum::Router;
use axum::extract::FromRef;
use skillhub_store::Objects;
use skillhub_web::Registry;

#[derive(Debug, Clone, FromRef)]
struct App {
    registry: Registry,
    objects: Objects,
}

/// The routes of this function.
pub fn router(registry: Registry, objects: Objects) -> Router {
    Router::new().merge(discovery::router()).merge(mcp::router()).with_state(App { registry, objects })
}
