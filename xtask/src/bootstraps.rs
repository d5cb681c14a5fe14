//! `cargo xtask bootstraps`: the Lambda programs as they are deployed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::DeflateEncoder;

use crate::process::{cargo, root, run as run_command, target};

/// Builds the release binary of every function, and prints its size in bytes as it is and deflated, as a Lambda zip has it.
///
/// # Errors
/// If a build fails or a file cannot be read.
pub(crate) fn run() -> Result<(), String> {
    let names = functions()?;
    let mut build = cargo("build --release");
    build.args(names.iter().flat_map(|name| ["--package", name]));
    run_command(&mut build)?;
    println!("{:20}{:>14}{:>14}", "bootstrap", "raw bytes", "deflated");
    for name in names {
        let program = target().join("release").join(&name);
        let bytes = fs::read(&program).map_err(|e| format!("{}: {e}", program.display()))?;
        println!("{name:20}{:>14}{:>14}", bytes.len(), deflated(&bytes)?);
    }
    Ok(())
}

/// The packages of `functions/` that have a program.
fn functions() -> Result<Vec<String>, String> {
    let folder = root().join("functions");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let has_program = |folder: &PathBuf| folder.join("src/main.rs").is_file();
    let folders = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(has_program);
    let mut names: Vec<String> = folders.filter_map(|folder| package_name(&folder)).collect();
    names.sort();
    Ok(names)
}

fn package_name(folder: &Path) -> Option<String> {
    Some(format!("skillhub-{}", folder.file_name()?.to_str()?))
}

fn deflated(bytes: &[u8]) -> Result<usize, String> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map(|zipped| zipped.len()).map_err(|e| e.to_string())
}
