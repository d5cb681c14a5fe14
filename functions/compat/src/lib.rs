//! The registry as clients of other ecosystems know it.

mod clawhub;

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
    let app = App { registry, objects };
    clawhub::router(&app).with_state(app)
}
