//! Files that survive a crash: written whole, or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Who may read a file that this process writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Whoever may enter the data directory.
    Shared,
    /// Only the user who runs the process (mode 0600 on Unix).
    Private,
}

/// Replaces `path` by `bytes`. After a crash at any moment the file is the old one or the new one, never a part.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let temporary = path.with_added_extension("new");
    remove_if_present(&temporary)?;
    let mut file = create_new(&temporary, access)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    path.parent().map_or(Ok(()), sync_dir)
}

/// Creates a file that must not exist yet.
pub(crate) fn create_new(path: &Path, access: Access) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if access == Access::Private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    options.open(path)
}

/// The text of a file, or nothing if there is no such file.
pub(crate) fn read_if_present(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes a file that may be gone already.
pub(crate) fn remove_if_present(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes the names inside a directory durable. Only Unix can, and needs to.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}
