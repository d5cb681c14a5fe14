//! Running on Lambda.

use std::time::Duration;

use axum::Router;
use skillhub_store::{Connection, Settings};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::app::finish;
use crate::metrics::MetricLines;
use crate::{Clock, IssuerKeyCache, Registry};

/// Why a function could not start or go on.
pub type LambdaError = lambda_http::Error;

/// How long the start may wait for the first connections. Lambda allows 10 s for all of it; what is not there by then is made
/// by the first request.
const WARM_UP: Duration = Duration::from_secs(2);

/// Serves a function's router: clients are built once, before the first request, and their first connection stands by then.
///
/// # Errors
/// If a setting is missing or the runtime fails.
pub async fn run(router: impl FnOnce(Registry, &Connection) -> Router) -> Result<(), LambdaError> {
    init_logging();
    let settings = Settings::from_variables(|name| std::env::var(name).ok())?;
    let connection = Connection::from_env();
    let (table, issuer_keys) = (connection.table(&settings), IssuerKeyCache::default());
    warm_up(table.warm_up()).await;
    let registry = Registry { table, settings: settings.into(), clock: Clock::default(), issuer_keys };
    lambda_http::run(finish(router(registry, &connection))).await
}

/// Waits for first connections, as long as a start may. `SKILLHUB_WARM_UP=false` leaves them to the first request.
pub async fn warm_up(connecting: impl Future<Output = ()>) {
    if std::env::var("SKILLHUB_WARM_UP").is_ok_and(|value| value == "false") {
        return;
    }
    if tokio::time::timeout(WARM_UP, connecting).await.is_err() {
        tracing::warn!("the stores were not reached while the function started");
    }
}

/// JSON lines on stdout, one an event; the level is in `SKILLHUB_LOG`: `error`, `warn`, `info` (default), `debug`, `trace`. Metrics are lines of their own.
pub fn init_logging() {
    let level = std::env::var("SKILLHUB_LOG").ok().and_then(|level| level.parse().ok()).unwrap_or(LevelFilter::INFO);
    let function = std::env::var("AWS_LAMBDA_FUNCTION_NAME").unwrap_or_else(|_| String::from("local"));
    let events = tracing_subscriber::fmt::layer().json().with_filter(log_filter(level));
    let metrics = MetricLines::new(function, std::io::stdout);
    // A second start in one process keeps the first subscriber.
    let _ = tracing_subscriber::registry().with(events).with(metrics).try_init();
}

/// What is logged at a level: our own events. Those of the SDK and of HTTP stacks can hold requests with their secrets, so
/// they stay out at every level.
pub fn log_filter(level: LevelFilter) -> Targets {
    Targets::new().with_target("skillhub", level)
}
