//! Vectors: inputs and the verdicts that they must get, kept as data so that any other implementation can use them too.
//!
//! Each module runs one form of file. A vector that gets another verdict is a mismatch; a file that cannot be read, or that
//! is of another form, is an error.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;

mod policy;
pub mod protocol;
pub mod skill_md;
pub mod zip;

/// What a run of one file found.
#[derive(Debug)]
pub struct Outcome {
    /// How many vectors the file holds.
    pub cases: usize,
    /// One line for each vector that got another verdict than the file says: its name, both verdicts.
    pub mismatches: Vec<String>,
}

impl Outcome {
    fn of<T>(cases: &[T], check: impl Fn(&T) -> Result<(), String>) -> Self {
        let mismatches = cases.iter().filter_map(|case| check(case).err()).collect();
        Self { cases: cases.len(), mismatches }
    }
}

fn read<T: DeserializeOwned>(file: &Path) -> Result<T, String> {
    let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: not of this form of vectors: {e}", file.display()))
}
