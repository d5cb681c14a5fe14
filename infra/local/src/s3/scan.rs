//! What is there at a start: the files at once, and their keys in the background.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry, File};
use std::io;
use std::path::{Path, PathBuf};

use super::footer::{self, ObjectMeta};
use super::store::{OpenReport, Store, StoreError, TEMPORARY_PREFIX, at, file_name};
use crate::files;

/// The files of each bucket, by its name.
pub(crate) struct Found {
    buckets: BTreeMap<String, Vec<PathBuf>>,
    leftovers: usize,
}

impl Found {
    /// The names of the buckets.
    pub(super) fn buckets(&self) -> impl Iterator<Item = &str> {
        self.buckets.keys().map(String::as_str)
    }
}

/// Finds all files, and opens none. Leftovers of uploads are removed.
pub(super) fn find(root: &Path) -> Result<Found, StoreError> {
    let mut found = Found { buckets: BTreeMap::new(), leftovers: 0 };
    fs::create_dir_all(root).and_then(|()| root.parent().map_or(Ok(()), files::sync_dir)).map_err(at(root))?;
    for entry in entries(root)? {
        if let (true, Ok(name)) = (entry.path().is_dir(), entry.file_name().into_string()) {
            let files = find_in_bucket(&entry.path(), &mut found.leftovers)?;
            found.buckets.insert(name, files);
        }
    }
    Ok(found)
}

fn find_in_bucket(dir: &Path, leftovers: &mut usize) -> Result<Vec<PathBuf>, StoreError> {
    let mut found = Vec::new();
    for entry in entries(dir)? {
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(TEMPORARY_PREFIX.as_bytes()) {
            files::remove_if_present(&path).map_err(at(&path))?;
            *leftovers += 1;
        } else {
            found.push(path);
        }
    }
    files::sync_dir(dir).map_err(at(dir))?;
    Ok(found)
}

/// Reads the footer of every file that was found: tells `store` its key and `each` its metadata. Files without a sound footer are
/// moved to `damaged`.
pub(crate) fn read(store: &Store, found: Found, damaged: &Path, mut each: impl FnMut(&str, &ObjectMeta)) {
    let mut report = OpenReport { leftovers: found.leftovers, ..OpenReport::default() };
    for (bucket, files) in found.buckets {
        for path in files {
            match read_object(&bucket, &path) {
                Ok(meta) => {
                    each(&bucket, &meta);
                    store.change(&bucket, |keys| keys.insert(meta.key));
                    report.objects += 1;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_) => report.damaged.extend(move_aside(store, &path, &bucket, damaged)),
            }
        }
    }
    store.is_read(report);
}

fn read_object(bucket: &str, path: &Path) -> io::Result<ObjectMeta> {
    let meta = footer::decode(&mut File::open(path)?)?;
    if path.file_name().is_some_and(|name| *name == *file_name(bucket, &meta.key)) {
        return Ok(meta);
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "the key has another file name"))
}

/// Moves a file away, unless a sound one has taken its place by now.
fn move_aside(store: &Store, path: &Path, bucket: &str, damaged: &Path) -> Option<PathBuf> {
    let _turn = store.own_turn();
    let reason = read_object(bucket, path).err()?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut target = damaged.join(format!("{bucket}.{name}"));
    while target.exists() {
        target.as_mut_os_string().push("+");
    }
    match fs::create_dir_all(damaged).and_then(|()| fs::rename(path, &target)) {
        Ok(()) => {
            tracing::error!(file = %target.display(), %reason, "a damaged object was moved aside");
            Some(target)
        }
        Err(error) => {
            tracing::error!(file = %path.display(), %reason, %error, "a damaged object could not be moved aside");
            None
        }
    }
}

fn entries(dir: &Path) -> Result<Vec<DirEntry>, StoreError> {
    fs::read_dir(dir).and_then(Iterator::collect).map_err(at(dir))
}
