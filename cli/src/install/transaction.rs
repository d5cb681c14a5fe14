//! One installation, from a coordinate to a folder.
//!
//! Everything is fetched and checked in memory first; then it is written beside the skills and renamed into place. Whatever
//! fails on the way leaves the old copy as it was and nothing beside it.

use std::path::{Path, PathBuf};

use serde::Serialize;
use skillhub_protocol::{Coordinate, ResolveResponse, Sha256, Slug, UtcMillis, Version, is_kebab_case};

use super::existing::{Existing, examine};
use super::files::{stage, swap};
use super::lock::Locked;
use super::package::{download, resolve};
use super::record::Record;
use crate::client::Client;
use crate::error::{Exit, Failure};
use crate::output::Output;

/// How to install.
pub(crate) struct InstallOptions<'a> {
    /// The folder that holds skills.
    pub(crate) dir: &'a Path,
    /// The folder's name, if it shall not be the slug.
    pub(crate) alias: Option<&'a Slug>,
    /// Whether local changes may be lost.
    pub(crate) force: bool,
    /// The time to remember.
    pub(crate) now: UtcMillis,
}

/// What came of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Installed {
    pub(crate) coordinate: String,
    pub(crate) version: Version,
    pub(crate) sha256: Sha256,
    pub(crate) path: PathBuf,
    pub(crate) outcome: Outcome,
}

/// Whether anything was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Installed,
    AlreadyInstalled,
}

/// Installs what `coordinate` means now.
pub(crate) fn install(
    client: &Client,
    coordinate: &Coordinate,
    options: &InstallOptions<'_>,
    output: &Output,
) -> Result<Installed, Failure> {
    let wanted = resolve(client, coordinate)?;
    let record = new_record(client, &wanted, options.now);
    let name = options.alias.unwrap_or(&wanted.slug).as_str();
    let locked = Locked::acquire(options.dir, output)?;
    let path = locked.dir().join(name);
    let outcome = match examine(&path)? {
        Some(existing) if is_up_to_date(&existing, &record, &path, options)? => Outcome::AlreadyInstalled,
        _ => {
            let package = download(client, &wanted, output)?;
            let staging = stage(&locked, &package.contents, &package.manifest, &record)?;
            if let Some(old) = swap(&locked, staging, name)? {
                output.warning(format!("the old copy could not be removed: {}", old.display()));
            }
            Outcome::Installed
        }
    };
    let (version, sha256) = (record.version.clone(), record.sha256);
    Ok(Installed { coordinate: record.coordinate(), version, sha256, path, outcome })
}

fn new_record(client: &Client, wanted: &ResolveResponse, now: UtcMillis) -> Record {
    let ResolveResponse { namespace, slug, version, sha256, .. } = wanted.clone();
    Record::new(client.registry().to_string(), namespace, slug, version, sha256, now)
}

/// Whether `existing` is what is wanted, to the byte. If it is something else, whether it may be replaced.
fn is_up_to_date(
    existing: &Existing,
    wanted: &Record,
    path: &Path,
    options: &InstallOptions<'_>,
) -> Result<bool, Failure> {
    let record = &existing.record;
    if !record.is_same_skill(wanted) {
        return Err(directory_conflict(record, wanted, path));
    }
    if existing.changes.is_empty() {
        return Ok(record.version == wanted.version && record.sha256 == wanted.sha256);
    }
    if options.force { Ok(false) } else { Err(local_changes(&existing.changes, path)) }
}

fn directory_conflict(existing: &Record, wanted: &Record, path: &Path) -> Failure {
    let alias = format!("{}-{}", wanted.namespace.handle(), wanted.skill_slug);
    let alias = if is_kebab_case(&alias) { &alias } else { "NAME" };
    let message = format!("{} holds another skill", path.display());
    Failure::new(Exit::Conflict, "directory_conflict", message)
        .detail(format!("installed: {} from {}", existing.coordinate(), existing.registry_url))
        .detail(format!("wanted:    {} from {}", wanted.coordinate(), wanted.registry_url))
        .hint(format!("add `--as {alias}` to install it under another name, or `--dir D` to install it elsewhere"))
}

fn local_changes(changes: &[String], path: &Path) -> Failure {
    let message = format!("{} has local changes, which would be lost", path.display());
    Failure::new(Exit::Conflict, "local_changes", message)
        .details(changes.iter().cloned())
        .hint("keep a copy of what you need, then add --force")
}
