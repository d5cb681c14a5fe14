//! Writing a skill's files, and putting them in place.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use skillhub_package::Contents;
use skillhub_protocol::Manifest;
use tempfile::TempDir;

use super::interrupt;
use super::lock::{Locked, OLD, STAGING};
use super::lockfile::Staged;
use super::record::{FOLDER, MANIFEST, RECORD, Record};
use crate::error::Failure;
use crate::fail_point::fail_point;

const FILE: u32 = 0o644;
const EXECUTABLE: u32 = 0o755;
const DIR: u32 = 0o755;

/// Whether there is anything, a dangling link included.
pub(super) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Writes everything into a fresh hidden folder beside the skills; it disappears with the value.
pub(super) fn stage(
    locked: &Locked,
    contents: &Contents,
    manifest: &Manifest,
    record: &Record,
) -> Result<TempDir, Failure> {
    let staged = || -> io::Result<TempDir> {
        let staging = fresh(locked)?;
        for file in contents.files() {
            let mode = if file.is_executable() { EXECUTABLE } else { FILE };
            write(staging.path(), file.path().as_str(), file.data(), mode)?;
            fail_point("file-written");
        }
        write(staging.path(), &format!("{FOLDER}/{MANIFEST}"), &pretty(manifest)?, FILE)?;
        fail_point("files-written");
        // Last, because it says that the rest is there.
        write(staging.path(), &format!("{FOLDER}/{RECORD}"), &pretty(record)?, FILE)?;
        finish_dirs(staging.path())?;
        fail_point("staged");
        Ok(staging)
    };
    staged().map_err(|e| not_written(locked, &e))
}

fn fresh(locked: &Locked) -> io::Result<TempDir> {
    interrupt::stage(|| tempfile::Builder::new().prefix(STAGING).tempdir_in(locked.dir()))
}

fn not_written(locked: &Locked, error: &io::Error) -> Failure {
    let failure = Failure::io("write to", locked.dir(), error);
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            failure.hint("nothing was changed; make room, then try again")
        }
        _ => failure.hint("nothing was changed; correct that, then try again"),
    }
}

fn pretty(value: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(text)
}

/// `path` is a package path, so it stays below `root`; every folder on the way is made here. `root` itself is not: an interrupt
/// may have taken it away.
fn write(root: &Path, path: &str, data: &[u8], mode: u32) -> io::Result<()> {
    let mut at = root.to_owned();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        at.push(segment);
        if segments.peek().is_some() {
            create_dir(&at)?;
        }
    }
    // A name that the file system takes for another one is an error here.
    let mut file = OpenOptions::new().write(true).create_new(true).open(at)?;
    file.write_all(data)?;
    set_mode(&file, mode)?;
    file.sync_all()
}

fn create_dir(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        done => done,
    }
}

fn finish_dirs(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            finish_dirs(&entry.path())?;
        }
    }
    if cfg!(unix) {
        set_mode(&File::open(dir)?, DIR)?;
    }
    sync_dir(dir)
}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// Only Unix can open a folder to make its names durable.
fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

/// Puts a staged skill in place, and the line of the lock file in force, both or neither. The old copy is kept until both are.
///
/// Answers the old copy where it could not be removed.
pub(super) fn swap(
    locked: &Locked,
    staging: TempDir,
    name: &str,
    lockfile: Option<&Staged>,
) -> Result<Option<PathBuf>, Failure> {
    let skill = locked.dir().join(name);
    let failed = |e: io::Error| Failure::io("replace", &skill, &e);
    let _commit = interrupt::commit();
    fail_point("before-swap");
    let old = if exists(&skill) { exchange(locked, staging.path(), name) } else { place(staging.path(), &skill) };
    let old = old.map_err(failed)?;
    fail_point("after-swap");
    let kept = lockfile.map_or(Ok(()), Staged::commit).and_then(|()| sync_dir(locked.dir()));
    if let Err(error) = kept {
        put_back(staging.path(), &skill, old.as_deref()).map_err(failed)?;
        return Err(failed(error));
    }
    fail_point("lock-file-written");
    let left = old.filter(|old| fs::remove_dir_all(old).is_err());
    if !exists(staging.path()) {
        // It has another name now, or was the old copy.
        let _ = staging.keep();
    }
    Ok(left)
}

fn place(staging: &Path, skill: &Path) -> io::Result<Option<PathBuf>> {
    fs::rename(staging, skill).map(|()| None)
}

/// Answers where the old copy is now.
fn exchange(locked: &Locked, staging: &Path, name: &str) -> io::Result<Option<PathBuf>> {
    let skill = locked.dir().join(name);
    if exchange_names(staging, &skill).is_ok() {
        return Ok(Some(staging.to_owned()));
    }
    // The old copy goes aside first and comes back if the new one cannot take its place.
    let old = locked.dir().join(format!("{OLD}{name}"));
    fs::rename(&skill, &old)?;
    fail_point("old-aside");
    match fs::rename(staging, &skill) {
        Ok(()) => Ok(Some(old)),
        Err(error) => fs::rename(&old, &skill).and(Err(error)),
    }
}

/// Gives each of two folders the name of the other in one step, where the system can do that.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange_names(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange_names(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

fn put_back(staging: &Path, skill: &Path, old: Option<&Path>) -> io::Result<()> {
    match old {
        Some(old) if old == staging => exchange_names(staging, skill),
        Some(old) => fs::rename(skill, staging).and_then(|()| fs::rename(old, skill)),
        None => fs::rename(skill, staging),
    }
}

/// Takes a skill away, and its line in the lock file, both or neither.
pub(super) fn take_away(locked: &Locked, name: &str, lockfile: Option<&Staged>) -> Result<(), Failure> {
    let skill = locked.dir().join(name);
    let failed = |e: io::Error| Failure::io("remove", &skill, &e);
    let staging = fresh(locked).map_err(failed)?;
    let _commit = interrupt::commit();
    let aside = staging.path().join(name);
    fs::rename(&skill, &aside).map_err(failed)?;
    fail_point("set-aside");
    if let Err(error) = lockfile.map_or(Ok(()), Staged::commit) {
        fs::rename(&aside, &skill).map_err(failed)?;
        return Err(failed(error));
    }
    fail_point("lock-file-written");
    // What cannot be removed now is removed by the next installation.
    let _ = sync_dir(locked.dir());
    let _ = staging.close();
    Ok(())
}
