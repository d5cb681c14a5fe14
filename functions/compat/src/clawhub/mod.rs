//! The API that ClawHub clients speak.

mod absent;
mod account;
mod download;
mod file;
mod listing;
mod name;
mod publish;
mod resolve;
mod skill;
mod stars;
mod tags;
mod text;
mod versions;
mod withdraw;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, delete, get, post};

use crate::App;

pub(crate) fn router(app: &App) -> Router<App> {
    reading()
        .merge(writing())
        .merge(without_support())
        .method_not_allowed_fallback(absent::method)
        .layer(from_fn_with_state(app.registry.clone(), text::tell_rate))
}

fn writing() -> Router<App> {
    Router::new()
        .route("/api/v1/skills", post(publish::publish))
        .route("/api/v1/skills/-/upload-url", post(publish::open_ticket))
        .route("/api/v1/skills/-/upload/{ticket}", post(publish::upload))
        .route("/api/v1/skills/{slug}", delete(withdraw::delete))
        .route("/api/v1/skills/{slug}/undelete", post(withdraw::undelete))
        .route("/api/v1/skills/{slug}/versions/{version}", delete(withdraw::delete_version))
        .route("/api/v1/skills/{slug}/versions/{version}/restore", post(withdraw::restore_version))
        .route("/api/v1/skills/{slug}/tags/{tag}", post(tags::tag))
        .route("/api/v1/stars/{slug}", post(stars::star).delete(stars::unstar))
        // Bodies are read piece by piece, each to its own limit.
        .layer(DefaultBodyLimit::disable())
}

fn reading() -> Router<App> {
    Router::new()
        .route("/.well-known/clawhub.json", get(account::well_known))
        .route("/.well-known/clawdhub.json", get(account::well_known))
        .route("/api/v1/whoami", get(account::whoami))
        .route("/api/v1/search", get(listing::search))
        .route("/api/v1/skills", get(listing::list))
        .route("/api/v1/skills/{slug}", get(skill::show))
        .route("/api/v1/skills/{slug}/install", get(skill::install))
        .route("/api/v1/skills/{slug}/versions", get(versions::list))
        .route("/api/v1/skills/{slug}/versions/{version}", get(versions::show))
        .route("/api/v1/skills/{slug}/file", get(file::file))
        .route("/api/v1/resolve", get(resolve::resolve))
        .route("/api/v1/download", get(download::download))
        .route("/api/cli/telemetry/{event}", post(account::telemetry))
}

/// What is answered with words only.
fn without_support() -> Router<App> {
    Router::new()
        .route("/cli/auth", get(account::no_login))
        .route("/api/cli/device/{step}", post(account::no_login))
        .route("/api/v1/skills/{slug}/rename", any(absent::rename))
        .route("/api/v1/skills/{slug}/merge", any(absent::merge))
        .route("/api/v1/skills/{slug}/transfer", any(absent::transfer))
        .route("/api/v1/skills/{slug}/transfer/{step}", any(absent::transfer))
        .route("/api/v1/transfers/{direction}", any(absent::transfer))
        .route("/api/v1/skills/{slug}/verify", any(absent::verify))
        .route("/api/v1/skills/{slug}/card", any(absent::verify))
        .route("/api/v1/skills/{slug}/report", any(absent::report))
        .route("/api/v1/skills/{slug}/moderation", any(absent::moderation))
        .route("/api/v1/skills/-/scan", any(absent::scan))
        .route("/api/v1/skills/-/scan/{*rest}", any(absent::scan))
        .route("/api/v1/packages", any(absent::packages))
        .route("/api/v1/packages/{*rest}", any(absent::packages))
        .route("/api/v1/code-plugins", any(absent::packages))
        .route("/api/v1/bundle-plugins", any(absent::packages))
        .route("/api/v1/publishers", any(absent::publishers))
        .route("/api/v1/{*rest}", any(absent::route))
        .route("/api/cli/{*rest}", any(absent::route))
}
