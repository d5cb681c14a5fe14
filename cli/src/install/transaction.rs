//! One installation, from a version to a folder.
//!
//! Everything is fetched and checked in memory first; then it is written beside the skills and takes its place in one step.
//! Whatever fails on the way leaves the old copy as it was and nothing beside it.

use std::path::{Path, PathBuf};

use serde::Serialize;
use skillhub_protocol::{Sha256, Version, is_kebab_case};

use super::cache::Cache;
use super::existing::{Existing, examine};
use super::files::{stage, swap};
use super::lock::Locked;
use super::lockfile::{self, LockedFolder, Lockfile};
use super::package::obtain;
use super::record::Record;
use super::target::Target;
use super::wanted::Wanted;
use crate::config::Environment;
use crate::error::{Exit, Failure};
use crate::fail_point::fail_point;
use crate::output::Progress;

/// How to install.
pub(crate) struct InstallOptions<'a> {
    pub(crate) env: &'a Environment,
    /// The folder that holds skills.
    pub(crate) target: &'a Target,
    /// Whether local changes may be lost.
    pub(crate) force: bool,
    /// What the lock file must say already, if it may not change.
    pub(crate) frozen: Option<&'a Lockfile>,
    pub(crate) cache: &'a Cache,
}

/// What came of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Installed {
    pub(crate) name: String,
    pub(crate) coordinate: String,
    pub(crate) version: Version,
    /// The version that was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) previous: Option<Version>,
    pub(crate) sha256: Sha256,
    pub(crate) path: PathBuf,
    pub(crate) outcome: Outcome,
    /// The old copy, where it could not be removed.
    #[serde(skip)]
    pub(crate) left_over: Option<PathBuf>,
}

impl Installed {
    pub(crate) fn new(name: &str, record: &Record, previous: Option<Version>, path: PathBuf, outcome: Outcome) -> Self {
        let (name, coordinate, version) = (name.to_owned(), record.coordinate(), record.version.clone());
        Self { name, coordinate, version, previous, sha256: record.sha256, path, outcome, left_over: None }
    }
}

/// Whether anything was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Installed,
    Updated,
    AlreadyInstalled,
    /// The version that is there is higher than the one that an update would bring.
    Kept,
}

/// Installs a version into the folder `name` of a target that is locked.
pub(crate) fn install(
    locked: &Locked,
    wanted: &Wanted,
    name: &str,
    options: &InstallOptions<'_>,
    progress: &Progress,
) -> Result<Installed, Failure> {
    let path = locked.dir().join(name);
    let record = new_record(wanted, options.env);
    let folder = options.target.in_project.and_then(|agent| LockedFolder::new(agent, name));
    demand_frozen(wanted, folder.as_ref(), options)?;
    let existing = examine(&path)?;
    let is_there = match &existing {
        Some(existing) => is_up_to_date(existing, &record, &path, options.force)?,
        None => false,
    };
    let mut left_over = None;
    // Where the lock file may not change, it says what is to be installed already.
    let stage_line = || match folder.as_ref().filter(|_| options.frozen.is_none()) {
        Some(folder) => lockfile::stage(options.env, folder, Some(&wanted.to_locked())),
        None => Ok(None),
    };
    if is_there {
        if let Some(line) = stage_line()? {
            lockfile::commit(options.env, &line)?;
        }
    } else {
        let package = obtain(wanted, options.cache, progress)?;
        let staging = stage(locked, &package.contents, &package.manifest, &record)?;
        let line = stage_line()?;
        fail_point("lock-file-staged");
        left_over = swap(locked, staging, name, line.as_ref())?;
    }
    let previous = existing.map(|existing| existing.record.version).filter(|_| !is_there);
    let outcome = match (is_there, &previous) {
        (true, _) => Outcome::AlreadyInstalled,
        (false, Some(previous)) if *previous != record.version => Outcome::Updated,
        (false, _) => Outcome::Installed,
    };
    Ok(Installed { left_over, ..Installed::new(name, &record, previous, path, outcome) })
}

fn new_record(wanted: &Wanted, env: &Environment) -> Record {
    let (namespace, slug) = (wanted.namespace().clone(), wanted.slug().clone());
    Record::new(wanted.client.registry().to_string(), namespace, slug, wanted.version.clone(), wanted.sha256, env.now)
}

/// With `--locked`, the lock file must mean the same bytes already; what was asked for may be written in another way.
fn demand_frozen(wanted: &Wanted, folder: Option<&LockedFolder>, options: &InstallOptions<'_>) -> Result<(), Failure> {
    let (Some(lockfile), Some(folder)) = (options.frozen, folder) else { return Ok(()) };
    let new = wanted.to_locked();
    let old = lockfile.get(folder);
    if old.is_some_and(|old| old.is_same_package(&new)) {
        return Ok(());
    }
    let old = old.map_or_else(|| String::from("nothing"), |old| format!("{} (sha256 {})", old.exact(), old.sha256));
    Err(Failure::new(Exit::Conflict, "lock_outdated", format!("skillhub.lock would have to change for {folder}"))
        .detail(format!("it has:   {old}"))
        .detail(format!("it needs: {} (sha256 {})", new.exact(), new.sha256))
        .hint("do the same without `--locked`, and keep the file that comes of it"))
}

/// Whether `existing` is what is wanted, to the byte. If it is something else, whether it may be replaced.
fn is_up_to_date(existing: &Existing, wanted: &Record, path: &Path, force: bool) -> Result<bool, Failure> {
    let record = &existing.record;
    if !record.is_same_skill(wanted) {
        return Err(directory_conflict(record, wanted, path));
    }
    if existing.changes.is_empty() {
        return Ok(record.version == wanted.version && record.sha256 == wanted.sha256);
    }
    if force { Ok(false) } else { Err(local_changes(&existing.changes, path)) }
}

fn directory_conflict(existing: &Record, wanted: &Record, path: &Path) -> Failure {
    let alias = alias_of(wanted).unwrap_or_else(|| String::from("NAME"));
    let message = format!("{} holds another skill", path.display());
    Failure::new(Exit::Conflict, "directory_conflict", message)
        .detail(format!("installed: {} from {}", existing.coordinate(), existing.registry_url))
        .detail(format!("wanted:    {} from {}", wanted.coordinate(), wanted.registry_url))
        .hint(format!("add `--as {alias}` to install it under another name, or `--dir D` to install it elsewhere"))
}

/// A name that tells the skill from those of other namespaces.
fn alias_of(record: &Record) -> Option<String> {
    let alias = format!("{}-{}", record.namespace.handle(), record.skill_slug);
    is_kebab_case(&alias).then_some(alias)
}

pub(super) fn local_changes(changes: &[String], path: &Path) -> Failure {
    let message = format!("{} has local changes, which would be lost", path.display());
    Failure::new(Exit::Conflict, "local_changes", message)
        .details(changes.iter().cloned())
        .hint("keep a copy of what you need, then add `--force`")
}
