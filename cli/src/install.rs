//! Installing: a skill comes into its folder whole, or not at all.

mod cache;
mod existing;
mod files;
mod interrupt;
mod lock;
mod lockfile;
mod name;
mod package;
mod record;
mod remove;
mod scan;
mod target;
mod transaction;
mod wanted;

pub(crate) use cache::Cache;
pub(crate) use existing::{examine, files_of};
pub(crate) use lock::{Locked, leftovers};
pub(crate) use lockfile::{LockedFolder, LockedSkill, Lockfile};
pub(crate) use name::FolderName;
pub(crate) use record::{Record, read_manifest, read_record};
pub(crate) use remove::{Removed, remove};
pub(crate) use scan::{Found, scan};
pub(crate) use target::Target;
pub(crate) use transaction::{InstallOptions, Installed, Outcome, install};
pub(crate) use wanted::Wanted;
