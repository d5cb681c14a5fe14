//! The `skillhub` command as a process of its own. A binary of this package, so that Cargo builds it for its tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    skillhub_cli::main()
}
