//! Removing an installed skill.

use std::path::PathBuf;

use super::existing::examine;
use super::files::{exists, take_away};
use super::lock::Locked;
use super::lockfile::{self, LockedFolder};
use super::name::FolderName;
use super::record::Record;
use super::target::Target;
use super::transaction::local_changes;
use crate::config::Environment;
use crate::error::Failure;

/// What was removed.
pub(crate) struct Removed {
    pub(crate) path: PathBuf,
    /// `None` if only the lock file knew of it.
    pub(crate) record: Option<Record>,
}

/// Removes the skill in the folder `name` of a target that is locked, and its line in the lock file. The folder may be gone
/// already. Answers where it was and what it was, as far as that is known; `None` if there is neither.
///
/// # Errors
/// If the folder is not one that this command installed, or has local changes that are not to be lost.
pub(crate) fn remove(
    locked: &Locked,
    target: &Target,
    name: &FolderName,
    force: bool,
    env: &Environment,
) -> Result<Option<Removed>, Failure> {
    let path = locked.dir().join(name.as_str());
    let existing = examine(&path)?;
    if let Some(existing) = existing.as_ref().filter(|existing| !existing.changes.is_empty() && !force) {
        return Err(local_changes(&existing.changes, &path));
    }
    let line = match target.in_project.and_then(|agent| LockedFolder::new(agent, name.as_str())) {
        Some(folder) => lockfile::stage(env, &folder, None)?,
        None => None,
    };
    match (exists(&path), &line) {
        (true, line) => take_away(locked, name.as_str(), line.as_ref())?,
        (false, Some(line)) => lockfile::commit(env, line)?,
        (false, None) => return Ok(None),
    }
    Ok(Some(Removed { path, record: existing.map(|existing| existing.record) }))
}
