//! Object store and DynamoDB together, as the functions see them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::SystemTime;

use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::credentials::{Credentials, RANDOM_BYTES};
use crate::data_dir::{DataDir, DataDirError};
use crate::dynamo::{Tables, TablesError};
use crate::s3::{self, ObjectCreated, OpenError, OpenReport, Opened, Store};
use crate::serve::{self, PortError};
use crate::tls::{Authority, TlsError};

/// Ports of the stores; 0 for any free one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ports {
    /// HTTPS.
    pub objects: u16,
    /// HTTP.
    pub dynamodb: u16,
}

/// Why local mode can't start.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is an error with a documentation of its own")]
pub enum StartError {
    #[error(transparent)]
    Data(#[from] DataDirError),
    #[error(transparent)]
    Port(#[from] PortError),
    #[error(transparent)]
    Objects(#[from] OpenError),
    #[error(transparent)]
    Tables(#[from] TablesError),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error(transparent)]
    Connection(#[from] skillhub_store::ConnectionError),
    #[error(transparent)]
    Settings(#[from] skillhub_store::SettingsError),
    #[error(transparent)]
    Store(#[from] skillhub_store::StoreError),
    #[error("the system refuses a resource: {0}")]
    System(#[from] std::io::Error),
    #[error("the events of the object store were taken already")]
    EventsTaken,
}

/// The running stores. Dropping them leaves them running until the process ends; [`Stores::stop`] ends them.
pub struct Stores {
    /// Where the object store listens, always 127.0.0.1.
    pub object_address: SocketAddr,
    /// Where DynamoDB listens, always 127.0.0.1.
    pub dynamodb_address: SocketAddr,
    /// The access key that the object store wants requests signed with. DynamoDB takes any.
    pub credentials: Credentials,
    /// The certificate of the CA that the object store's certificate is from, as PEM.
    pub ca_pem: String,
    /// The file of the same.
    pub ca_path: PathBuf,
    store: Arc<Store>,
    reading: thread::JoinHandle<()>,
    events: Option<UnboundedReceiver<ObjectCreated>>,
    tables: Tables,
    objects: JoinHandle<std::io::Result<()>>,
    shutdown: CancellationToken,
    // Last, so that the lock outlives all that writes.
    data: DataDir,
}

/// Starts object store and DynamoDB on the data of `data`. `random` is used only where they have no access key yet.
///
/// # Errors
/// [`StartError`]; nothing is left running then.
pub async fn start_stores(
    data: DataDir,
    ports: Ports,
    random: [u8; RANDOM_BYTES],
    now: SystemTime,
) -> Result<Stores, StartError> {
    let credentials = Credentials::load(&data, random)?;
    let authority = Authority::load(&data, now)?;
    let tls = authority.server_config(now)?;
    let (sender, events) = mpsc::unbounded_channel();
    let (listener, object_address) = serve::bind(ports.objects, "--object-port")?;
    let Opened { service, store, unread } = s3::open(&data.objects_path(), data.damaged_path(), &credentials, sender)?;

    let shutdown = CancellationToken::new();
    let tables = Tables::start(&data.tables_path(), ports.dynamodb, shutdown.clone())?;
    let reading = unread.read(shutdown.clone()).inspect_err(|_| shutdown.cancel())?;
    let objects = tokio::spawn(serve::serve_tls(listener, tls, service, shutdown.clone()));
    Ok(Stores {
        object_address,
        dynamodb_address: tables.address,
        credentials,
        ca_pem: authority.certificate_pem().to_owned(),
        ca_path: data.ca_path(),
        store,
        reading,
        events: Some(events),
        tables,
        objects,
        shutdown,
        data,
    })
}

impl Stores {
    /// `https://127.0.0.1:PORT`; path style only.
    pub fn object_endpoint(&self) -> String {
        format!("https://{}", self.object_address)
    }

    /// `http://127.0.0.1:PORT`.
    pub fn dynamodb_endpoint(&self) -> String {
        format!("http://{}", self.dynamodb_address)
    }

    /// The data directory that they run on.
    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// What was found in the object store at the start. Blocks until all of its files have been read.
    pub fn report(&self) -> &OpenReport {
        self.store.report()
    }

    /// The events of the object store, given out once: every object that was there at the start, and each that is stored.
    pub fn take_events(&mut self) -> Option<UnboundedReceiver<ObjectCreated>> {
        self.events.take()
    }

    /// Removes at once what has outlived its time to live; a timer does it every hour. Blocks.
    ///
    /// # Errors
    /// What the engine said.
    pub fn sweep_ttl(&self) -> Result<usize, String> {
        self.tables.sweep_ttl()
    }

    /// Ends both; requests in progress get some seconds. The data directory is free afterwards.
    pub async fn stop(self) {
        self.shutdown.cancel();
        match self.objects.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the object store could not serve"),
            Err(error) => tracing::error!(%error, "the object store ended abnormally"),
        }
        let reading = self.reading;
        if !matches!(tokio::task::spawn_blocking(|| reading.join()).await, Ok(Ok(()))) {
            tracing::error!("the thread of the object store ended abnormally");
        }
        self.tables.ended().await;
    }
}
