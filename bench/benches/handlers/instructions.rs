//! Instructions of single requests and of the parsers, by callgrind: this program runs itself below it, once with one turn of
//! the work and once with eleven, so that what comes before the work does not count. The stores of a request are here, outside.

use std::path::{Path, PathBuf};
use std::process::Command;

use skillhub_bench::{Baseline, Row, Unit};

use crate::runtime;
use crate::work::{WORKS, Work};

/// More than the kept count by this share is too much. Seeds of hash tables and the pieces in which answers arrive vary less.
const SLACK: f64 = 0.05;
const FEW: u32 = 1;
const MANY: u32 = 11;
/// What takes so many instructions once, start included, is not done eleven times: nothing of it varies that much.
const LARGE: f64 = 1e9;

/// A row for each work; none where valgrind is not installed, which is said.
///
/// # Errors
/// If a work fails.
#[expect(clippy::print_stderr, reason = "what is left out is told")]
pub(crate) fn rows() -> Result<Vec<Row>, String> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("instructions are not counted: install the Debian package valgrind");
        return Ok(Vec::new());
    }
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let runtime = runtime();
    let place = dir.path().join("place.json");
    // The stores have threads of their own: they answer while this one waits for the child.
    let _stage = runtime.block_on(Work::prepare(&place));
    WORKS.iter().map(|(name, _)| row(name, &place)).collect()
}

fn row(name: &str, place: &Path) -> Result<Row, String> {
    let few = instructions(name, FEW, place)?;
    let turns = if few > LARGE { FEW + 1 } else { MANY };
    let each = (instructions(name, turns, place)? - few) / f64::from(turns - FEW);
    let method = format!("callgrind; what {turns} turns take more than {FEW}; the client's side alone");
    Ok(Row::new("instructions", name, each.round(), Unit::Instructions).method(method, 1))
}

/// Instructions of a run of this program that does the work so many times.
fn instructions(name: &str, times: u32, place: &Path) -> Result<f64, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    command.args(["--work", name, &times.to_string()]).arg(place);
    let output = command.output().map_err(|e| format!("valgrind: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{name} below valgrind: {}: {said}", output.status));
    }
    let collected = said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    collected.ok_or_else(|| format!("{name}: valgrind has not said what it counted: {said}"))
}

/// Keeps the counts.
///
/// # Errors
/// If there are none, or they cannot be written.
pub(crate) fn keep(rows: &[Row]) -> Result<(), String> {
    demand_the_build_of_the_tests()?;
    if rows.is_empty() {
        return Err(String::from("there are no counts to keep"));
    }
    Baseline::of(rows).write(&path())
}

/// What has grown; nothing if nothing was counted.
///
/// # Errors
/// If nothing is kept to compare with.
pub(crate) fn complaints(rows: &[Row]) -> Result<Vec<String>, String> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    demand_the_build_of_the_tests()?;
    Ok(Baseline::read(&path())?.complaints(rows, SLACK))
}

/// The kept counts are held against every change, so they are those of the build that every change makes anyway. What grows in
/// one build grows in the other.
fn demand_the_build_of_the_tests() -> Result<(), String> {
    let problem = "the counts that are kept are those of the tests' build: cargo test --workspace --bench handlers";
    if cfg!(debug_assertions) { Ok(()) } else { Err(problem.to_owned()) }
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.json")
}
