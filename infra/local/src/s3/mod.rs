//! The embedded object store: S3 over files that survive `kill -9`.

mod api;
mod checksum;
mod error;
mod footer;
mod list;
mod read;
mod scan;
mod service;
mod store;
mod upload;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

pub(crate) use service::ObjectService;
pub use store::OpenReport;

use crate::credentials::Credentials;
use footer::ObjectMeta;
use scan::Found;
pub(crate) use store::Store;

/// The region that the store says it is in. Clients may sign for any.
pub const REGION: &str = "us-east-1";

/// An object was stored, durably.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectCreated {
    /// Its bucket.
    pub bucket: String,
    /// Its key, as it is (not encoded).
    pub key: String,
    /// Bytes.
    pub size: u64,
    /// MD5 in hex, without quotes.
    pub etag: String,
    /// When it was stored.
    pub event_time: SystemTime,
    /// What stored it.
    pub by: Creation,
}

impl ObjectCreated {
    fn of(bucket: &str, meta: &ObjectMeta, by: Creation) -> Self {
        Self {
            bucket: bucket.to_owned(),
            key: meta.key.clone(),
            size: meta.size,
            etag: meta.etag.clone(),
            event_time: UNIX_EPOCH + Duration::from_millis(meta.modified_ms),
            by,
        }
    }
}

/// The operation that stored an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Creation {
    /// PutObject.
    Put,
    /// CopyObject.
    Copy,
}

/// Why the store couldn't be opened.
#[derive(Debug, thiserror::Error)]
#[error("the object store can't be opened: {0}")]
pub struct OpenError(#[from] store::StoreError);

/// The open store.
pub(crate) struct Opened {
    /// Answers requests.
    pub(crate) service: ObjectService,
    /// The files.
    pub(crate) store: Arc<Store>,
    /// Those that were there at the start, still to be read.
    pub(crate) unread: Unread,
}

/// Opens the store below `objects`; requests must be signed with `credentials`.
pub(crate) fn open(
    objects: &Path,
    damaged: PathBuf,
    credentials: &Credentials,
    created: UnboundedSender<ObjectCreated>,
) -> Result<Opened, OpenError> {
    let (store, found) = Store::open(objects)?;
    let store = Arc::new(store);
    let unread = Unread { store: Arc::clone(&store), found, damaged, created: created.clone() };
    let mut builder = S3ServiceBuilder::new(api::Api { store: Arc::clone(&store), created });
    let secret = credentials.secret_access_key.expose();
    builder.set_auth(SimpleAuth::from_single(credentials.access_key_id.clone(), secret));
    Ok(Opened { service: ObjectService::new(builder.build()), store, unread })
}

/// The files that were there at the start.
pub(crate) struct Unread {
    store: Arc<Store>,
    found: Found,
    damaged: PathBuf,
    created: UnboundedSender<ObjectCreated>,
}

impl Unread {
    /// Reads them on a thread of its own, until `closing`. Every object that is there is told again: the process before may
    /// have ended with its events undelivered, and an event is told at least once.
    ///
    /// # Errors
    /// If there is no thread.
    pub(crate) fn read(self, closing: CancellationToken) -> io::Result<JoinHandle<()>> {
        thread::Builder::new().name("objects".to_owned()).spawn(move || {
            scan::read(&self.store, self.found, &self.damaged, &closing, |bucket, meta| {
                // Where nobody listens, nobody needs to know.
                let _untold = self.created.send(ObjectCreated::of(bucket, meta, Creation::Put));
            });
        })
    }
}
