//! Writing a skill's files, and putting them in place.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skillhub_package::Contents;
use skillhub_protocol::Manifest;
use tempfile::TempDir;

use super::lock::{Locked, OLD, STAGING};
use super::record::{FOLDER, MANIFEST, RECORD, Record};
use crate::error::Failure;

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
        let staging = tempfile::Builder::new().prefix(STAGING).tempdir_in(locked.dir())?;
        for file in contents.files() {
            let mode = if file.is_executable() { EXECUTABLE } else { FILE };
            write(staging.path(), file.path().as_str(), file.data(), mode)?;
        }
        write(staging.path(), &format!("{FOLDER}/{MANIFEST}"), &pretty(manifest)?, FILE)?;
        // Last, because it says that the rest is there.
        write(staging.path(), &format!("{FOLDER}/{RECORD}"), &pretty(record)?, FILE)?;
        finish_dirs(staging.path())?;
        Ok(staging)
    };
    staged()
        .map_err(|e| Failure::io("write to", locked.dir(), &e).hint("nothing was changed; make room, then try again"))
}

fn pretty(value: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(text)
}

/// `path` is a package path, so it stays below `root`; every folder on the way was made here.
fn write(root: &Path, path: &str, data: &[u8], mode: u32) -> io::Result<()> {
    let path = root.join(path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    // A name that the file system takes for another one is an error here.
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(data)?;
    set_mode(&file, mode)?;
    file.sync_all()
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

/// Puts a staged skill in place: the old copy goes aside first and comes back if the new one cannot take its place.
///
/// Answers the old copy where it could not be removed.
pub(super) fn swap(locked: &Locked, staging: TempDir, name: &str) -> Result<Option<PathBuf>, Failure> {
    let (skill, old) = (locked.dir().join(name), locked.dir().join(format!("{OLD}{name}")));
    let failed = |e: io::Error| Failure::io("replace", &skill, &e);
    let had_old = exists(&skill);
    if had_old {
        fs::rename(&skill, &old).map_err(failed)?;
    }
    if let Err(error) = fs::rename(staging.path(), &skill) {
        let failure = failed(error);
        return Err(match had_old.then(|| fs::rename(&old, &skill)) {
            Some(Err(_)) => {
                failure.hint(format!("the old copy is in {}: the next install puts it back", old.display()))
            }
            _ => failure,
        });
    }
    // It has another name now.
    let _ = staging.keep();
    sync_dir(locked.dir()).map_err(failed)?;
    let is_left = had_old && fs::remove_dir_all(&old).is_err();
    Ok(is_left.then_some(old))
}
