//! `cargo xtask aws-smoke`: the path of `cargo xtask infra` through a stack in a real account, for whoever has one. It costs some
//! cents, and nobody's CI runs it.

use std::env;
use std::fs;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clap::Args;

use super::cloud::Cloud;
use super::path::walk;
use super::stack::Stack;
use crate::process::{build_programs, root, target};

/// The report, from the root of the workspace. It says "not run" until somebody has.
const REPORT: &str = "docs/aws-smoke.md";

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
    build_programs()?;
    let folder = target().join("aws-smoke");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let start = Instant::now();
    let cloud = Cloud::Account(folder);
    let done = Stack::deployed(&cloud, &options.stack).and_then(|stack| walk(&stack, &token));
    let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let outcome = done.as_ref().map_or_else(|e| format!("failed: {e}"), |()| "everything held".to_owned());
    let report = format!(
        "# The smoke test on AWS\n\nRun at {at} (Unix time), {:.0} s: {outcome}\n",
        start.elapsed().as_secs_f64()
    );
    let path = root().join(REPORT);
    fs::write(&path, report).map_err(|e| format!("{}: {e}", path.display()))?;
    done
}
