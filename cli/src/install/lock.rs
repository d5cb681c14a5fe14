//! One installation at a time into one folder.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::{files, interrupt};
use crate::error::Failure;
use crate::fail_point::fail_point;
use crate::output::Output;

pub(super) const LOCK: &str = ".skillhub-lock";
pub(super) const STAGING: &str = ".skillhub-staging-";
pub(super) const OLD: &str = ".skillhub-old-";

/// The folder of a [`super::Target`], made if need be, with no other installation in it until this is dropped.
pub(crate) struct Locked {
    dir: PathBuf,
    _lock: File,
}

impl Locked {
    /// Waits for the folder, and repairs what an installation that was killed has left in it.
    pub(crate) fn acquire(dir: &Path, output: &Output) -> Result<Self, Failure> {
        let failed = |e: io::Error| Failure::io("write to", dir, &e);
        interrupt::handle();
        fs::create_dir_all(dir).map_err(failed)?;
        let lock = open(&dir.join(LOCK)).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                output.note(format!("waiting for another installation into {}", dir.display()));
                lock.lock().map_err(failed)?;
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        recover(dir).map_err(failed)?;
        fail_point("locked");
        Ok(Self { dir: dir.to_owned(), _lock: lock })
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }
}

/// The file that is locked, made if need be.
pub(super) fn open(path: &Path) -> io::Result<File> {
    // A link here could make a file anywhere.
    if path.is_symlink() {
        return Err(io::Error::other(format!("{} is a link", path.display())));
    }
    File::options().create(true).truncate(false).write(true).open(path)
}

/// What an installation that was killed has left in a folder of skills, if no other one is running there.
pub(crate) fn leftovers(dir: &Path) -> Vec<PathBuf> {
    let is_left = |name: &str| name.starts_with(STAGING) || name.starts_with(OLD);
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().to_str().is_some_and(is_left)).map(|entry| entry.path()).collect()
}

/// With the lock held, whatever is staged is left over, and an old copy without a new one is the copy.
fn recover(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|_| entry.file_type().is_ok_and(|kind| kind.is_dir())) else { continue };
        match name.strip_prefix(OLD).map(|skill| dir.join(skill)) {
            Some(skill) if !files::exists(&skill) => fs::rename(entry.path(), skill)?,
            Some(_) => fs::remove_dir_all(entry.path())?,
            None if name.starts_with(STAGING) => fs::remove_dir_all(entry.path())?,
            None => {}
        }
    }
    Ok(())
}
