//! Packages that were downloaded before, by the digests of their bytes.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skillhub_package::{Limits, sha256};
use skillhub_protocol::Sha256;

/// The folder of packages. It may be deleted at any time; without one nothing is kept.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    dir: Option<PathBuf>,
}

impl Cache {
    /// The cache below the folder for cached things.
    pub(crate) fn new(cache_dir: Option<&Path>) -> Self {
        Self { dir: cache_dir.map(|dir| dir.join("packages")) }
    }

    /// Where it is.
    pub(crate) fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// The package with this digest. What does not have it any more is thrown away.
    pub(super) fn get(&self, digest: Sha256) -> Option<Vec<u8>> {
        let path = self.path(digest)?;
        if fs::metadata(&path).ok()?.len() > Limits::default().archive_bytes {
            return None;
        }
        let bytes = fs::read(&path).ok()?;
        if sha256(&bytes) == digest {
            return Some(bytes);
        }
        let _ = fs::remove_file(&path);
        None
    }

    /// Keeps a package whose digest was checked. A cache that cannot be written costs a download later, nothing else.
    pub(super) fn put(&self, digest: Sha256, bytes: &[u8]) {
        if let Some(path) = self.path(digest) {
            let _ = write(&path, bytes);
        }
    }

    fn path(&self, digest: Sha256) -> Option<PathBuf> {
        self.dir.as_ref().map(|dir| dir.join(format!("{digest}.zip")))
    }
}

/// Packages may be private, so only their owner can read them.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(dir)?;
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}
