//! Everything together: stores, API and delivery of events, from start to a clean end.

use std::fmt::Display;
use std::future::Future;
use std::net::SocketAddr;
use std::time::SystemTime;

use aws_lambda_events::event::s3::S3Event;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::data_dir::{DataDir, LocalConfig};
use crate::events::dispatch;
use crate::registry::LocalRegistry;
use crate::serve::{bind, serve_plain};
use crate::stores::{Ports, StartError, Stores, start_stores};

/// Keys of uploads; only these are told to the handler of events, as the notification filter on AWS does.
const STAGING: &str = "staging/";

/// Starts all of local mode.
///
/// # Errors
/// [`StartError`]; its text says what to do.
pub async fn start(config: &Config) -> Result<Running, StartError> {
    let issuer = config.issuer()?;
    let base = Base::start(config).await?;
    let registry = LocalRegistry::connect(&base, issuer).await?;
    let local = registry.local_config(&base).await?;
    let mut running = base.serve(registry.functions.router(), registry.on_event(), local)?;
    running.sweeper = Some(tokio::spawn(registry.sweep_until(running.no_more_requests.clone())));
    Ok(running)
}

/// The stores, and the port of the API, on which nothing answers yet.
pub struct Base {
    /// Where the API will answer, always 127.0.0.1.
    pub address: SocketAddr,
    /// The running stores.
    pub stores: Stores,
    listener: std::net::TcpListener,
}

impl Base {
    /// Locks the data directory and starts the stores.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(config: &Config) -> Result<Self, StartError> {
        let data = DataDir::open(&config.data)?;
        let (listener, address) = bind(config.port, "--port")?;
        let ports = Ports { objects: config.object_port, dynamodb: config.dynamodb_port };
        let stores = start_stores(data, ports, rand::random(), SystemTime::now()).await?;
        Ok(Self { address, stores, listener })
    }

    /// `http://127.0.0.1:PORT`, the base URL of the API.
    pub fn api_endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers requests with `router`, and hands the event of each uploaded object to `validate`.
    ///
    /// # Errors
    /// [`StartError::EventsTaken`] if the events were taken from the stores before.
    pub fn serve<H, F, E>(
        mut self,
        router: axum::Router,
        validate: H,
        local: LocalConfig,
    ) -> Result<Running, StartError>
    where
        H: Fn(S3Event) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Display + Send + 'static,
    {
        let events = self.stores.take_events().ok_or(StartError::EventsTaken)?;
        let no_more_requests = CancellationToken::new();
        let no_more_events = CancellationToken::new();
        let api = tokio::spawn(serve_plain(self.listener, router, no_more_requests.clone()));
        let delivery = tokio::spawn(dispatch(events, STAGING, validate, no_more_events.clone()));
        let (address, stores) = (self.address, self.stores);
        Ok(Running { address, stores, local, api, delivery, sweeper: None, no_more_requests, no_more_events })
    }
}

/// A running local mode. [`Running::stop`] ends it.
pub struct Running {
    /// Where the API answers, always 127.0.0.1.
    pub address: SocketAddr,
    /// The stores below it.
    pub stores: Stores,
    /// What a client needs to know, as it stands in `local.json`.
    pub local: LocalConfig,
    api: JoinHandle<std::io::Result<()>>,
    delivery: JoinHandle<()>,
    sweeper: Option<JoinHandle<()>>,
    no_more_requests: CancellationToken,
    no_more_events: CancellationToken,
}

impl Running {
    /// Cancelled when [`Running::stop`] begins: for timers that run beside it.
    pub fn stopping(&self) -> CancellationToken {
        self.no_more_requests.clone()
    }

    /// Ends the API, then the handling of events, then the stores, which both need. Takes seconds at most.
    pub async fn stop(self) {
        self.no_more_requests.cancel();
        match self.api.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the API could not serve"),
            Err(error) => tracing::error!(%error, "the API ended abnormally"),
        }
        if let Some(sweeper) = self.sweeper
            && let Err(error) = sweeper.await
        {
            tracing::error!(%error, "the sweeper ended abnormally");
        }
        self.no_more_events.cancel();
        if let Err(error) = self.delivery.await {
            tracing::error!(%error, "the delivery of events ended abnormally");
        }
        self.stores.stop().await;
    }
}
