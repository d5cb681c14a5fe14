//! Load on registries that run, by one client that all of them get: `load peers|publish|mixed PLAN`, where PLAN is a file.
//!
//! A client of our own, because a download from this registry is two requests, of which the second goes to another address,
//! over TLS, that the first has told: no load generator that was tried follows that.
#![expect(clippy::print_stderr, reason = "what is done, for who waits")]

mod client;
mod exchange;
mod mixed;
mod ours;
#[path = "../fill/packages.rs"]
mod packages;
mod peers;
mod publish;
mod selfhost;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Connections that are busy at the same time.
const CONNECTIONS: usize = 16;

/// Puts load on registries that run.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The same kinds of requests to several registries, in turn: requests each second
    Peers {
        /// A file of JSON
        plan: PathBuf,
    },
    /// A large package, to two registries in turn: what their processors do for it, and when it can be seen
    Publish {
        /// A file of JSON
        plan: PathBuf,
    },
    /// Readers beside a publisher, for minutes
    Mixed {
        /// A file of JSON
        plan: PathBuf,
    },
}

/// The registry as the plans have it.
#[derive(Clone, Deserialize)]
struct Ours {
    pid: u32,
    /// Host and port of its API.
    address: String,
    token: String,
    /// The certificate of its authority, as PEM.
    ca: String,
}

// One thread: what it does not need is left to the registries.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    // `cargo test` and `cargo bench` run every benchmark without arguments; this one needs registries.
    if std::env::args().skip(1).all(|argument| argument == "--bench") {
        eprintln!("load: nothing to do without a plan");
        return ExitCode::SUCCESS;
    }
    let done = match Arguments::parse().what {
        What::Peers { plan } => peers::run(read(plan)).await,
        What::Publish { plan } => publish::run(read(plan)).await,
        What::Mixed { plan } => mixed::run(read(plan)).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn read<T: DeserializeOwned>(plan: PathBuf) -> Result<T, String> {
    let text = std::fs::read_to_string(&plan).map_err(|e| format!("{}: {e}", plan.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", plan.display()))
}
