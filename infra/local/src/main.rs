//! Runs skillhub on this machine; the crate's documentation says how.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    skillhub_local::main().await
}
