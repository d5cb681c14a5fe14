//! `vectors protocol|skill-md|zip FILE`: runs one file of vectors. `cargo xtask vectors` builds and calls it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command that reports on the terminal")]

use std::path::Path;
use std::process::ExitCode;

use skillhub_tests::vectors::{Outcome, protocol, skill_md, zip};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["protocol", file] => protocol::run(Path::new(file)),
        ["skill-md", file] => skill_md::run(Path::new(file)),
        ["zip", file] => zip::run(Path::new(file)),
        _ => Err("usage: vectors protocol|skill-md|zip FILE".to_owned()),
    };
    match outcome {
        Ok(outcome) => report(&outcome),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn report(Outcome { cases, mismatches }: &Outcome) -> ExitCode {
    for mismatch in mismatches {
        println!("mismatch: {mismatch}");
    }
    println!("{cases} vectors, {} mismatches", mismatches.len());
    if mismatches.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
