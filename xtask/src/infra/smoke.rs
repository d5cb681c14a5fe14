//! `cargo xtask aws-smoke`: the path of `cargo xtask infra` through a stack in a real account, for whoever has one. It costs some
//! cents and half an hour, and nobody's CI runs it.

use std::env;
use std::fs;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clap::Args;

use super::cloud::Cloud;
use super::path::walk;
use super::stack::Stack;
use crate::process::{build_programs, root, target};

/// The report, from the root of the workspace. It says what is done, and "not run" until somebody has.
const REPORT: &str = "docs/aws-smoke.md";
/// Between these lines of it stands what the last run saw.
const BEGIN: &str = "<!-- run: written by `cargo xtask aws-smoke` -->\n";
const END: &str = "<!-- end of run -->";

/// Options of the command.
#[derive(Args)]
pub(crate) struct Options {
    /// A stack that is deployed, and whose registry is empty
    #[arg(long)]
    stack: String,
}

/// Walks the path with the API token in `SKILLHUB_TOKEN`, an administrator's, and writes the report.
///
/// # Errors
/// The first step that is not as it should be; the report says which.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let token = env::var("SKILLHUB_TOKEN").map_err(|_| "SKILLHUB_TOKEN must hold an administrator's API token")?;
    let page = Page::read()?;
    build_programs()?;
    let folder = target().join("aws-smoke");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let start = Instant::now();
    let cloud = Cloud::Account(folder);
    // What was seen before a failure is told as well.
    let mut seen = Vec::new();
    let done = Stack::deployed(&cloud, &options.stack).and_then(|stack| walk(&stack, &token, &mut seen));
    let written = page.write(start.elapsed().as_secs_f64(), &seen, &done);
    done.and(written)
}

/// The report around what a run writes.
struct Page {
    before: String,
    after: String,
}

impl Page {
    fn read() -> Result<Self, String> {
        let path = root().join(REPORT);
        let page = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let (before, rest) = page.split_once(BEGIN).ok_or("the report has no place for a run")?;
        let (_, after) = rest.split_once(END).ok_or("the report has no end of a run")?;
        Ok(Self { before: before.to_owned(), after: after.to_owned() })
    }

    fn write(&self, seconds: f64, seen: &[String], done: &Result<(), String>) -> Result<(), String> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let outcome = done.as_ref().map_or_else(|e| format!("failed: {e}"), |()| "everything held".to_owned());
        let seen: String = seen.iter().map(|line| format!("- {line}\n")).collect();
        let run = format!("\nRun at {at} (Unix time), {seconds:.0} s: {outcome}\n\n{seen}\n");
        let (path, Self { before, after }) = (root().join(REPORT), self);
        fs::write(&path, format!("{before}{BEGIN}{run}{END}{after}")).map_err(|e| format!("{}: {e}", path.display()))
    }
}
