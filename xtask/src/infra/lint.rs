//! What tools that know templates say of ours.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::folder;
use super::templates::Templates;
use crate::process::{capture, line, run as run_command};
use crate::tools::{CHECKOV, SAM};

/// `sam validate --lint`, `cfn-lint` and `checkov`.
///
/// # Errors
/// The first that finds something which the templates do not explain.
pub(super) fn run() -> Result<(), String> {
    let programs = SAM.programs()?;
    let mut validate = sam(&programs);
    // It asks nobody there, but wants one.
    validate.env("AWS_DEFAULT_REGION", "us-east-1");
    run_command(validate.args(["validate", "--lint", "--template"]).arg(folder().join("template.yaml")))?;
    run_command(Command::new(programs.join("cfn-lint")).args(yaml_files()?))?;
    checkov()
}

/// The SAM command, which sends nothing home.
pub(super) fn sam(programs: &Path) -> Command {
    let mut sam = Command::new(programs.join("sam"));
    sam.env("SAM_CLI_TELEMETRY", "0");
    sam
}

/// The templates.
///
/// # Errors
/// If their folder cannot be read.
pub(super) fn yaml_files() -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder()).map_err(|e| format!("{}: {e}", folder().display()))?;
    let files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    Ok(files.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")).collect())
}

/// What checkov prints, as far as it matters here.
#[derive(Deserialize)]
struct Report {
    results: Results,
    summary: Summary,
}

#[derive(Deserialize)]
struct Results {
    failed_checks: Vec<Finding>,
}

#[derive(Deserialize)]
struct Summary {
    passed: u32,
    parsing_errors: u32,
}

#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Finding {
    file_path: String,
    check_id: String,
}

/// Every finding must be accepted by its file, with a reason; and what is accepted must be found.
fn checkov() -> Result<(), String> {
    let mut checkov = Command::new(CHECKOV.programs()?.join("checkov"));
    checkov.args(["--framework", "cloudformation", "--skip-download", "--quiet", "--soft-fail", "-o", "json", "-d"]);
    let command = checkov.arg(folder());
    let text = capture(command)?;
    let report: Report = serde_json::from_str(&text).map_err(|e| format!("{}: {e}\n{text}", line(command)))?;
    if report.summary.parsing_errors > 0 || report.summary.passed == 0 {
        return Err("checkov could not read the templates".to_owned());
    }
    let found: BTreeSet<_> = report.results.failed_checks.into_iter().collect();
    let accepted = accepted(&Templates::read()?)?;
    println!("checkov: {} checks passed, {} kinds of findings, all explained", report.summary.passed, found.len());
    match found.symmetric_difference(&accepted).next() {
        None => Ok(()),
        Some(one) if found.contains(one) => Err(format!("checkov finds {} in {}", one.check_id, one.file_path)),
        Some(one) => Err(format!("{} accepts {}, which is not found any more", one.file_path, one.check_id)),
    }
}

/// What the files accept, in `Metadata`.
fn accepted(templates: &Templates) -> Result<BTreeSet<Finding>, String> {
    let mut all = BTreeSet::new();
    for (file, template) in templates.files() {
        for (id, reason) in template["Metadata"]["Accepted"].as_object().into_iter().flatten() {
            if reason.as_str().is_none_or(|reason| reason.len() < 20) {
                return Err(format!("{file} accepts {id} without a reason"));
            }
            all.insert(Finding { file_path: format!("/{file}"), check_id: id.clone() });
        }
    }
    Ok(all)
}
