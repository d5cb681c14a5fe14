//! Installing: a skill comes into its folder whole, or not at all.

mod existing;
mod files;
mod lock;
mod package;
mod record;
mod target;
mod transaction;

pub(crate) use record::read_record;
pub(crate) use target::Target;
pub(crate) use transaction::{InstallOptions, Installed, Outcome, install};
