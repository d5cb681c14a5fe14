//! Local mode as a process of its own, for tests that kill it. A binary of this package, so that Cargo builds it for them.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    skillhub_local::main().await
}
