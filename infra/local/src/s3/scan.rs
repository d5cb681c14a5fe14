//! Rebuilding the index from the files at start.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::footer::{self, ObjectMeta};
use super::store::{Bucket, OpenReport, StoreError, TEMPORARY_PREFIX, at, file_name};
use crate::files;

/// Reads every footer. Leftovers of uploads are removed, files without a sound footer moved to `damaged`.
pub(super) fn scan(root: &Path, damaged: &Path) -> Result<(BTreeMap<String, Bucket>, OpenReport), StoreError> {
    let mut report = OpenReport::default();
    let mut buckets = BTreeMap::new();
    fs::create_dir_all(root).and_then(|()| root.parent().map_or(Ok(()), files::sync_dir)).map_err(at(root))?;
    for entry in entries(root)? {
        if let (true, Ok(name)) = (entry.path().is_dir(), entry.file_name().into_string()) {
            let objects = scan_bucket(&name, &entry.path(), damaged, &mut report)?;
            buckets.insert(name, objects);
        }
    }
    Ok((buckets, report))
}

fn scan_bucket(bucket: &str, dir: &Path, damaged: &Path, report: &mut OpenReport) -> Result<Bucket, StoreError> {
    let mut objects = Bucket::new();
    for entry in entries(dir)? {
        let path = entry.path();
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(TEMPORARY_PREFIX.as_bytes()) {
            files::remove_if_present(&path).map_err(at(&path))?;
            report.leftovers += 1;
            continue;
        }
        match read_object(&path) {
            Ok(meta) if *name == *file_name(bucket, &meta.key) => {
                objects.insert(meta.key.clone(), Arc::new(meta));
                report.objects += 1;
            }
            Ok(_) => report.damaged.push(move_aside(&path, bucket, damaged, "the key has another file name")?),
            Err(error) => report.damaged.push(move_aside(&path, bucket, damaged, &error.to_string())?),
        }
    }
    files::sync_dir(dir).map_err(at(dir))?;
    Ok(objects)
}

fn read_object(path: &Path) -> std::io::Result<ObjectMeta> {
    footer::decode(&mut File::open(path)?)
}

fn move_aside(path: &Path, bucket: &str, damaged: &Path, reason: &str) -> Result<PathBuf, StoreError> {
    fs::create_dir_all(damaged).map_err(at(damaged))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut target = damaged.join(format!("{bucket}.{name}"));
    while target.exists() {
        target.as_mut_os_string().push("+");
    }
    fs::rename(path, &target).map_err(at(path))?;
    tracing::error!(file = %target.display(), reason, "a damaged object was moved aside");
    Ok(target)
}

fn entries(dir: &Path) -> Result<Vec<DirEntry>, StoreError> {
    fs::read_dir(dir).and_then(Iterator::collect).map_err(at(dir))
}
