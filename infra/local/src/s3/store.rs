//! Objects as files, and their keys in order.
//!
//! The files decide what exists. Whoever changes them takes a turn of its own until they are durable, and whoever opens one
//! shares a turn with others, so nobody sees an object that a crash could take back. Readers take the metadata from the file
//! that they opened, so they never mix two versions of an object. The keys in memory are for listings, which wait until a
//! thread of its own has read them from all files; no other request does.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use sha2::{Digest as _, Sha256};

use super::footer::{self, ObjectMeta};
use super::scan;
use crate::files::{self, Access};

/// Files whose name begins so are uploads in progress; those of an earlier process are leftovers.
pub(crate) const TEMPORARY_PREFIX: &str = ".upload-";

/// The keys of one bucket.
pub(crate) type Keys = BTreeSet<String>;

/// Buckets and objects below one directory, which this process must own alone.
pub(crate) struct Store {
    root: PathBuf,
    buckets: RwLock<BTreeMap<String, Keys>>,
    files: RwLock<()>,
    uploads: AtomicU64,
    report: OnceLock<OpenReport>,
}

/// What must hold for a change to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Nothing.
    Always,
    /// No object has the key (`If-None-Match: *`).
    Absent,
    /// An object has the key (`If-Match: *`).
    Present,
    /// The object has this ETag (`If-Match`).
    Etag(String),
}

/// Why an operation didn't happen.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("there is no such bucket")]
    NoSuchBucket,
    #[error("the bucket exists already")]
    BucketExists,
    #[error("there is no such object")]
    NoSuchKey,
    #[error("the condition of the request does not hold")]
    PreconditionFailed,
    #[error("there are no listings: the store is being closed, or could not read all of its files")]
    NoListings,
    #[error("{} is damaged: {reason}", path.display())]
    Damaged { path: PathBuf, reason: io::Error },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// What was found in a store that was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// Sound objects.
    pub objects: usize,
    /// Uploads that an earlier process left unfinished; removed.
    pub leftovers: usize,
    /// Where files without a sound footer were moved to.
    pub damaged: Vec<PathBuf>,
    /// Whether that is all: not if the store was closed before, or a file could not be read.
    pub is_whole: bool,
}

impl Store {
    /// Opens the store below `root`. What is in the files that are found is for [`scan::read`].
    pub(crate) fn open(root: &Path) -> Result<(Self, scan::Found), StoreError> {
        let found = scan::find(root)?;
        let store = Self {
            root: root.to_owned(),
            buckets: RwLock::new(found.buckets().map(|name| (name.to_owned(), Keys::new())).collect()),
            files: RwLock::new(()),
            uploads: AtomicU64::new(0),
            report: OnceLock::new(),
        };
        Ok((store, found))
    }

    /// What was found at the start. Blocks until all files have been read.
    pub(crate) fn report(&self) -> &OpenReport {
        self.report.wait()
    }

    /// Lets everybody go on who waits for the files to be read.
    pub(super) fn set_report(&self, report: OpenReport) {
        self.report.get_or_init(|| report);
    }

    /// Makes a bucket. The name must be legal in S3, which makes it a legal file name too.
    pub(crate) fn create_bucket(&self, name: &str) -> Result<(), StoreError> {
        let _turn = self.own_turn();
        if self.has_bucket(name).is_ok() {
            return Err(StoreError::BucketExists);
        }
        let dir = self.root.join(name);
        fs::create_dir_all(&dir).and_then(|()| files::sync_dir(&self.root)).map_err(at(&dir))?;
        self.buckets.write().unwrap_or_else(PoisonError::into_inner).entry(name.to_owned()).or_default();
        Ok(())
    }

    /// Fails unless there is a bucket of that name.
    pub(crate) fn has_bucket(&self, name: &str) -> Result<(), StoreError> {
        if self.read().contains_key(name) { Ok(()) } else { Err(StoreError::NoSuchBucket) }
    }

    /// Runs `read` on the keys of a bucket. Blocks until all files have been read. An object may be gone by now.
    pub(crate) fn with_keys<T>(&self, bucket: &str, read: impl FnOnce(&Keys) -> T) -> Result<T, StoreError> {
        if !self.report().is_whole {
            return Err(StoreError::NoListings);
        }
        self.read().get(bucket).map(read).ok_or(StoreError::NoSuchBucket)
    }

    /// The metadata of an object.
    pub(crate) fn head(&self, bucket: &str, key: &str) -> Result<ObjectMeta, StoreError> {
        self.open_object(bucket, key).map(|(_, meta)| meta)
    }

    /// The file of an object, at the start of its body, with the metadata that this very file holds.
    pub(crate) fn open_object(&self, bucket: &str, key: &str) -> Result<(File, ObjectMeta), StoreError> {
        let _turn = self.shared_turn();
        self.find(bucket, key)
    }

    /// Fails unless the condition holds now. [`Store::commit`] asks again; this only spares a hopeless upload.
    pub(crate) fn check(&self, bucket: &str, key: &str, condition: &Condition) -> Result<(), StoreError> {
        let _turn = self.shared_turn();
        self.demand(bucket, key, condition)
    }

    /// The same for those whose turn it is.
    fn demand(&self, bucket: &str, key: &str, condition: &Condition) -> Result<(), StoreError> {
        if *condition == Condition::Always {
            return self.has_bucket(bucket);
        }
        let found = match self.find(bucket, key) {
            Err(StoreError::NoSuchKey) => None,
            found => Some(found?.1),
        };
        match (condition, found) {
            (Condition::Always, _) | (Condition::Absent, None) | (Condition::Present, Some(_)) => Ok(()),
            (Condition::Etag(etag), Some(meta)) if meta.etag == *etag => Ok(()),
            (Condition::Etag(_) | Condition::Present, None) => Err(StoreError::NoSuchKey),
            (Condition::Absent | Condition::Etag(_), Some(_)) => Err(StoreError::PreconditionFailed),
        }
    }

    /// An object, for those whose turn it is.
    fn find(&self, bucket: &str, key: &str) -> Result<(File, ObjectMeta), StoreError> {
        self.has_bucket(bucket)?;
        let path = self.path(bucket, key);
        let mut file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(StoreError::NoSuchKey),
            opened => opened.map_err(at(&path))?,
        };
        let meta = footer::decode(&mut file).and_then(|meta| named(key, meta));
        match meta {
            Ok(meta) => Ok((file, meta)),
            Err(reason) if scan::is_damage(&reason) => Err(StoreError::Damaged { path, reason }),
            Err(source) => Err(StoreError::Io { path, source }),
        }
    }

    /// A new file to write a body into, beside the objects of the bucket.
    pub(crate) fn begin(&self, bucket: &str) -> Result<(File, Temporary), StoreError> {
        self.has_bucket(bucket)?;
        let number = self.uploads.fetch_add(1, Ordering::Relaxed);
        let path = self.root.join(bucket).join(format!("{TEMPORARY_PREFIX}{number}"));
        let file = files::create_new(&path, Access::Private).map_err(at(&path))?;
        Ok((file, Temporary { path }))
    }

    /// Gives a written body its metadata and its name. When this returns, the object is durable and visible.
    pub(crate) fn commit(
        &self,
        (mut file, temporary): (File, Temporary),
        bucket: &str,
        meta: ObjectMeta,
        condition: &Condition,
    ) -> Result<(), StoreError> {
        let sealed = footer::encode(&meta).and_then(|footer| file.write_all(&footer)).and_then(|()| file.sync_all());
        sealed.map_err(at(&temporary.path))?;
        drop(file);

        let _turn = self.own_turn();
        self.demand(bucket, &meta.key, condition)?;
        let path = self.path(bucket, &meta.key);
        temporary.publish(&path, condition)?;
        // The name is taken whether or not it could be synced, so the keys follow in either case.
        let synced = self.sync_bucket(bucket);
        self.change(bucket, |keys| keys.insert(meta.key));
        synced
    }

    /// Removes an object; removing what isn't there succeeds if the condition allows it.
    pub(crate) fn delete(&self, bucket: &str, key: &str, condition: &Condition) -> Result<(), StoreError> {
        let _turn = self.own_turn();
        self.demand(bucket, key, condition)?;
        let path = self.path(bucket, key);
        files::remove_if_present(&path).map_err(at(&path))?;
        let synced = self.sync_bucket(bucket);
        self.change(bucket, |keys| keys.remove(key));
        synced
    }

    /// Waits until nobody opens or changes a file, and keeps others from it.
    pub(super) fn own_turn(&self) -> RwLockWriteGuard<'_, ()> {
        self.files.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps others from changing files.
    pub(super) fn shared_turn(&self) -> RwLockReadGuard<'_, ()> {
        self.files.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, bucket: &str, key: &str) -> PathBuf {
        self.root.join(bucket).join(file_name(bucket, key))
    }

    fn sync_bucket(&self, bucket: &str) -> Result<(), StoreError> {
        let dir = self.root.join(bucket);
        files::sync_dir(&dir).map_err(at(&dir))
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<String, Keys>> {
        self.buckets.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the keys of a bucket.
    pub(super) fn change<T>(&self, bucket: &str, change: impl FnOnce(&mut Keys) -> T) {
        if let Some(keys) = self.buckets.write().unwrap_or_else(PoisonError::into_inner).get_mut(bucket) {
            change(keys);
        }
    }
}

/// A file that goes away unless it is published.
pub(crate) struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn publish(self, target: &Path, condition: &Condition) -> Result<(), StoreError> {
        if *condition != Condition::Absent {
            return fs::rename(&self.path, target).map_err(at(target));
        }
        match fs::hard_link(&self.path, target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(StoreError::PreconditionFailed),
            linked => linked.map_err(at(target)),
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Err(error) = files::remove_if_present(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "an unfinished upload stays until the next start");
        }
    }
}

/// The file name of an object. Keys hold what file names can't, and are longer.
pub(crate) fn file_name(bucket: &str, key: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(bucket);
    hasher.update([0]);
    hasher.update(key);
    hex::encode(hasher.finalize())
}

/// The metadata, if it is that of the object whose name the file has.
fn named(key: &str, meta: ObjectMeta) -> io::Result<ObjectMeta> {
    if meta.key == key { Ok(meta) } else { Err(scan::foreign()) }
}

/// Names the file in an I/O error.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    move |source| StoreError::Io { path: path.to_owned(), source }
}
