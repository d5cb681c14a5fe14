//! What is where a skill shall go.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use skillhub_protocol::Manifest;

use super::record::{FOLDER, Record, read_manifest, read_record};
use crate::error::{Exit, Failure};

/// A skill that this command installed.
pub(crate) struct Existing {
    pub(crate) record: Record,
    /// What was changed since, a line for each file.
    pub(crate) changes: Vec<String>,
}

/// Looks at `skill`; `None` if there is nothing.
///
/// # Errors
/// `directory_conflict` if there is something that this command did not install: it is never overwritten.
pub(crate) fn examine(skill: &Path) -> Result<Option<Existing>, Failure> {
    let Ok(metadata) = fs::symlink_metadata(skill) else { return Ok(None) };
    if !metadata.is_dir() {
        let what = if metadata.is_symlink() { "a link, which is not followed" } else { "a file" };
        return Err(foreign(skill, what));
    }
    let record = read_record(skill)?.ok_or_else(|| foreign(skill, "a folder that skillhub did not install"))?;
    let changes = match read_manifest(skill) {
        Some(manifest) => changes(skill, &manifest)?,
        None => vec![format!("unknown: {FOLDER}/manifest.json is missing or unreadable")],
    };
    Ok(Some(Existing { record, changes }))
}

fn foreign(skill: &Path, what: &str) -> Failure {
    let message = format!("{} is {what}; it is never overwritten", skill.display());
    Failure::new(Exit::Conflict, "directory_conflict", message)
        .hint("install next to it with `--as NAME`, elsewhere with `--dir D`, or move it away")
}

fn changes(skill: &Path, manifest: &Manifest) -> Result<Vec<String>, Failure> {
    let mut present = BTreeSet::new();
    list(skill, "", &mut present).map_err(|e| Failure::io("read", skill, &e))?;
    let mut lines = Vec::new();
    for file in manifest.files() {
        let path = skill.join(file.path.as_str());
        if !present.remove(file.path.as_str()) {
            lines.push(format!("deleted:  {}", file.path));
        } else if !is_unchanged(&path, file.size_bytes, file.sha256) {
            lines.push(format!("modified: {}", file.path));
        }
    }
    lines.extend(present.iter().map(|path| format!("added:    {path}")));
    Ok(lines)
}

fn is_unchanged(path: &Path, size: u64, sha256: skillhub_protocol::Sha256) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() == size);
    is_file && fs::read(path).is_ok_and(|data| skillhub_package::sha256(&data) == sha256)
}

/// The files of a skill, in order, without what is ours.
pub(crate) fn files_of(skill: &Path) -> std::io::Result<Vec<String>> {
    let mut found = BTreeSet::new();
    list(skill, "", &mut found)?;
    Ok(found.into_iter().collect())
}

/// Everything but folders below `dir`, without what is ours.
fn list(dir: &Path, prefix: &str, found: &mut BTreeSet<String>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.file_type()?.is_dir() {
            true if path == FOLDER => {}
            true => list(&entry.path(), &format!("{path}/"), found)?,
            false => {
                found.insert(path);
            }
        }
    }
    Ok(())
}
