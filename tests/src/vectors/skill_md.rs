//! Vectors of SKILL.md: its bytes, and what the publish policy must say of a package that holds nothing else.

use std::io::{Cursor, Write};
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::policy::{Expected, report};
use super::{Outcome, read};

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    case: String,
    /// The name of the file at the root of the package.
    file: String,
    slug: String,
    data_b64: String,
    repeat: Option<Repeat>,
    /// The value that the description must be read as.
    description: Option<String>,
    #[serde(flatten)]
    expected: Expected,
}

/// Bytes that are too many to keep: one byte, appended until the file is this long.
#[derive(Deserialize)]
struct Repeat {
    byte: char,
    to_length: usize,
}

/// Runs every case of a file.
///
/// # Errors
/// If the file cannot be read as vectors of SKILL.md.
pub fn run(file: &Path) -> Result<Outcome, String> {
    let File { cases } = read(file)?;
    Ok(Outcome::of(&cases, |case| check(case).map_err(|e| format!("{}: {e}", case.case))))
}

fn check(case: &Case) -> Result<(), String> {
    let archive = stored(&case.file, &case.bytes()?).map_err(|e| e.to_string())?;
    let report = report(&archive, &case.slug);
    case.expected.demand(&report)?;
    let read = report.package.as_ref().map(|package| package.skill_md.description.as_str());
    match &case.description {
        Some(description) if read != Some(description) => Err(format!("must read {description:?}, got {read:?}")),
        _ => Ok(()),
    }
}

impl Case {
    fn bytes(&self) -> Result<Vec<u8>, String> {
        let mut bytes = BASE64_STANDARD.decode(&self.data_b64).map_err(|e| e.to_string())?;
        if let Some(Repeat { byte, to_length }) = self.repeat {
            bytes.resize(to_length, u8::try_from(byte).map_err(|e| e.to_string())?);
        }
        Ok(bytes)
    }
}

/// An archive with one stored file. It is built by another writer than ours, which takes any name.
fn stored(name: &str, data: &[u8]) -> zip::result::ZipResult<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file(name, SimpleFileOptions::default().compression_method(CompressionMethod::Stored))?;
    writer.write_all(data)?;
    Ok(writer.finish()?.into_inner())
}
