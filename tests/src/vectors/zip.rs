//! Vectors of archives: files beside an index that says what the package reader must make of them.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::policy::{Expected, report};
use super::{Outcome, read};

/// The slug that every archive is published under.
const SLUG: &str = "a";

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    file: String,
    #[serde(flatten)]
    expected: Expected,
}

/// Runs every archive that an index names.
///
/// # Errors
/// If the index cannot be read as vectors of archives.
pub fn run(index: &Path) -> Result<Outcome, String> {
    let File { cases } = read(index)?;
    Ok(Outcome::of(&cases, |case| check(case, &index.with_file_name(&case.file))))
}

fn check(case: &Case, archive: &Path) -> Result<(), String> {
    let archive = fs::read(archive).map_err(|e| format!("{}: {e}", archive.display()))?;
    case.expected.demand(&report(&archive, SLUG)).map_err(|e| format!("{}: {e}", case.file))
}
