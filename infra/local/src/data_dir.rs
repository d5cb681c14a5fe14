//! The directory that holds everything local mode remembers, and the lock on it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::files::{self, Access};
use crate::secret::Secret;

/// An open data directory, locked against other processes for as long as this value or a clone of it lives.
#[derive(Clone, Debug)]
pub struct DataDir {
    root: PathBuf,
    _lock: Arc<File>,
}

/// Why a data directory can't be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Another process holds it.
    #[error(
        "{} is in use by {}; stop that one, or choose another directory with --data DIR",
        dir.display(),
        pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
    )]
    InUse {
        /// The data directory.
        dir: PathBuf,
        /// The process that holds it, where it could be read.
        pid: Option<u32>,
    },
    /// A file in it can't be read or written.
    #[error("{}: {source}; check the permissions, or choose another directory with --data DIR", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file in it is not what this program wrote.
    #[error("{} is not readable ({reason}); remove it to have a new one made", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl DataDir {
    /// Creates the directory if need be, and locks it.
    ///
    /// # Errors
    /// [`DataDirError::InUse`] if another process (or another value in this one) holds it.
    pub fn open(dir: &Path) -> Result<Self, DataDirError> {
        create_private_dir(dir).map_err(at(dir))?;
        let root = dir.canonicalize().map_err(at(dir))?;
        let lock = lock(&root)?;
        let ignore = root.join(".gitignore");
        if files::read_if_present(&ignore).map_err(at(&ignore))?.is_none() {
            files::write_atomically(&ignore, b"*\n", Access::Shared).map_err(at(&ignore))?;
        }
        Ok(Self { root, _lock: Arc::new(lock) })
    }

    /// The directory itself, absolute.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What the CLI reads with `--local`.
    pub fn local_config_path(&self) -> PathBuf {
        self.root.join("local.json")
    }

    /// The certificate of the CA, for clients to trust.
    pub fn ca_path(&self) -> PathBuf {
        self.root.join("ca.pem")
    }

    /// The CA's key and certificate; private.
    pub(crate) fn ca_key_path(&self) -> PathBuf {
        self.root.join("ca-key.pem")
    }

    /// Access key of the object store; private.
    pub(crate) fn credentials_path(&self) -> PathBuf {
        self.root.join("store-credentials.json")
    }

    /// The objects, a folder per bucket.
    pub(crate) fn objects_path(&self) -> PathBuf {
        self.root.join("objects")
    }

    /// Object files that were found damaged.
    pub(crate) fn damaged_path(&self) -> PathBuf {
        self.root.join("objects-damaged")
    }

    /// The tables.
    pub(crate) fn tables_path(&self) -> PathBuf {
        self.root.join("dynamodb.sqlite")
    }

    /// Writes `local.json` (mode 0600), whole or not at all.
    ///
    /// # Errors
    /// [`DataDirError::Io`].
    pub fn write_local_config(&self, config: &LocalConfig) -> Result<(), DataDirError> {
        let path = self.local_config_path();
        write_json(&path, config)
    }

    /// Reads `local.json`, if there is one: the token of an earlier start is in it.
    ///
    /// # Errors
    /// [`DataDirError::Io`], or [`DataDirError::Corrupt`] if it is not what [`DataDir::write_local_config`] wrote.
    pub fn read_local_config(&self) -> Result<Option<LocalConfig>, DataDirError> {
        read_json(&self.local_config_path())
    }
}

/// `local.json`: all that the CLI needs to talk to this instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalConfig {
    /// Base URL of the API, without a slash at the end.
    pub registry: String,
    /// An API token of the administrator.
    pub token: Secret,
    /// Absolute path of the CA's certificate.
    pub ca: PathBuf,
    /// Namespace to publish to, with its `@`.
    pub namespace: String,
}

/// Writes a private JSON file.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), DataDirError> {
    let mut text = serde_json::to_vec_pretty(value).map_err(io::Error::other).map_err(at(path))?;
    text.push(b'\n');
    files::write_atomically(path, &text, Access::Private).map_err(at(path))
}

/// Reads a JSON file, if there is one. The reason of a failure doesn't quote the file, which may hold a secret.
pub(crate) fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Option<T>, DataDirError> {
    let Some(text) = files::read_if_present(path).map_err(at(path))? else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|error| DataDirError::Corrupt {
        path: path.to_owned(),
        reason: format!("line {}, column {}", error.line(), error.column()),
    })
}

/// Names the file in an I/O error.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> DataDirError {
    move |source| DataDirError::Io { path: path.to_owned(), source }
}

fn create_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

fn lock(root: &Path) -> Result<File, DataDirError> {
    let path = root.join("lock");
    let mut options = OpenOptions::new();
    let mut file = options.read(true).write(true).create(true).truncate(false).open(&path).map_err(at(&path))?;
    match file.try_lock() {
        Ok(()) => write_pid(&mut file).map_err(at(&path)).map(|()| file),
        Err(TryLockError::WouldBlock) => Err(DataDirError::InUse { dir: root.to_owned(), pid: read_pid(&mut file) }),
        Err(TryLockError::Error(source)) => Err(DataDirError::Io { path, source }),
    }
}

fn write_pid(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

/// The holder's process id. It serves only the message, so a failure is no failure.
fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
