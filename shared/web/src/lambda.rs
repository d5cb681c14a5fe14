//! Running on Lambda.

use axum::Router;
use skillhub_store::{Connection, Settings};

use crate::app::finish;
use crate::{Clock, IssuerKeyCache, Registry};

/// Why a function could not start or go on.
pub type LambdaError = lambda_http::Error;

/// Serves a function's router: clients are built once, before the first request.
///
/// # Errors
/// If a setting is missing or the runtime fails.
pub async fn run(router: impl FnOnce(Registry, &Connection) -> Router) -> Result<(), LambdaError> {
    init_logging();
    let settings = Settings::from_variables(|name| std::env::var(name).ok())?;
    let connection = Connection::from_env().await;
    let (table, issuer_keys) = (connection.table(&settings), IssuerKeyCache::default());
    let registry = Registry { table, settings: settings.into(), clock: Clock::default(), issuer_keys };
    lambda_http::run(finish(router(registry, &connection))).await
}

/// JSON lines on stdout, one an event; the level is in `SKILLHUB_LOG` (default `info`).
pub fn init_logging() {
    let level = std::env::var("SKILLHUB_LOG").unwrap_or_else(|_| String::from("info"));
    let filter = tracing_subscriber::EnvFilter::new(log_filter(&level));
    let subscriber = tracing_subscriber::fmt().json().with_env_filter(filter);
    // A second start in one process keeps the first subscriber.
    let _ = subscriber.try_init();
}

/// What is logged at `level` (`error`, `warn`, `info`, `debug`, `trace`): our own events. Those of the SDK and of HTTP stacks
/// can hold requests with their secrets, so they stay out at every level.
pub fn log_filter(level: &str) -> String {
    format!("off,skillhub={level}")
}
