//! The embedded DynamoDB: dynoxide over SQLite, on its own thread and a loopback port.
//!
//! It checks no signatures, so it must never listen elsewhere. A commit is in the write-ahead log, synced, before it
//! is answered (SQLite's default `synchronous=FULL`).

use std::net::SocketAddr;
use std::path::Path;
use std::thread;
use std::time::Duration;

use dynoxide::Database;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::serve::{GRACE, PortError, bind};

/// Time between two removals of items whose time to live is over. Each reads the whole table; DynamoDB promises days.
const SWEEP_PERIOD: Duration = Duration::from_secs(60 * 60);
/// Time from a start to the first of them, for those who start often and do not stay.
const FIRST_SWEEP: Duration = Duration::from_secs(60);

/// Why there is no DynamoDB.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// The file can't be opened.
    #[error("the tables in {path} can't be opened: {reason}")]
    Open {
        /// The SQLite file.
        path: String,
        /// What the database said.
        reason: String,
    },
    /// The port can't be listened on.
    #[error(transparent)]
    Port(#[from] PortError),
    /// No thread to serve it.
    #[error("no thread for the tables: {0}")]
    Thread(#[from] std::io::Error),
}

/// A running DynamoDB.
pub(crate) struct Tables {
    pub(crate) address: SocketAddr,
    database: Database,
    ended: oneshot::Receiver<()>,
}

impl Tables {
    /// Opens the tables and serves them until `shutdown`.
    ///
    /// The engine blocks its threads while SQLite works, so it gets threads of its own.
    pub(crate) fn start(path: &Path, port: u16, shutdown: CancellationToken) -> Result<Self, TablesError> {
        let path = path.to_string_lossy().into_owned();
        let database = Database::new(&path).map_err(|error| TablesError::Open { path, reason: error.to_string() })?;
        let (listener, address) = bind(port, "--dynamodb-port")?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let (end, ended) = oneshot::channel();
        let served = database.clone();
        thread::Builder::new().name("dynamodb".to_owned()).spawn(move || {
            runtime.block_on(serve(listener, served, shutdown));
            runtime.shutdown_timeout(GRACE);
            // Where nobody waits any more, nobody needs to know.
            let _unawaited = end.send(());
        })?;
        Ok(Self { address, database, ended })
    }

    /// Removes the items whose time to live is over; returns how many.
    ///
    /// # Errors
    /// What the engine said.
    pub(crate) fn sweep_ttl(&self) -> Result<usize, String> {
        self.database.sweep_ttl().map_err(|error| error.to_string())
    }

    /// Waits until the server has ended after its `shutdown`.
    pub(crate) async fn ended(self) {
        drop(self.database);
        if self.ended.await.is_err() {
            tracing::error!("the thread of the tables ended abnormally");
        }
    }
}

async fn serve(listener: std::net::TcpListener, database: Database, shutdown: CancellationToken) {
    let sweeping = tokio::spawn(sweep(database.clone(), shutdown.clone()));
    let served = async {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(|error| error.to_string())?;
        dynoxide::server::serve_with_shutdown(listener, database, shutdown.clone().cancelled_owned()).await
    };
    let overdue = async {
        shutdown.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        ended = served => if let Err(error) = ended { tracing::error!(error, "the tables are not served any more") },
        () = overdue => tracing::warn!("requests to the tables that did not end in time were cut"),
    }
    shutdown.cancel();
    if let Err(error) = sweeping.await {
        tracing::error!(%error, "the sweep of the tables ended abnormally");
    }
}

async fn sweep(database: Database, shutdown: CancellationToken) {
    let mut ticks = tokio::time::interval_at(Instant::now() + FIRST_SWEEP, SWEEP_PERIOD);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        let database = database.clone();
        match tokio::task::spawn_blocking(move || database.sweep_ttl()).await {
            Ok(Ok(removed)) => tracing::debug!(removed, "items past their time to live"),
            Ok(Err(error)) => tracing::warn!(%error, "items past their time to live could not be removed"),
            Err(error) => tracing::error!(%error, "the sweep of the tables ended abnormally"),
        }
    }
}
