//! What requests cost, in process: their calls of the stores (P5), the time of a detail beside a bare read (P6), a signature
//! (P7), and instructions.
//!
//! `--check-instructions` (or `--check`) only counts, and fails if a call too many is made or if instructions have grown;
//! `--keep-instructions` keeps them in `bench/instructions.json`.
#![expect(clippy::print_stderr, reason = "a program that reports on the terminal")]

mod bare;
mod calls;
mod detail;
mod instructions;
mod presign;
#[path = "../../../shared/package/benches/package/sample.rs"]
mod sample;
#[path = "../stage/mod.rs"]
mod stage;
mod work;

use std::process::ExitCode;

use skillhub_bench::Row;
use tokio::runtime::{Builder, Runtime};

/// What is asked of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Measure,
    Check,
    Keep,
}

fn main() -> ExitCode {
    // Cargo says that this is a benchmark.
    let arguments: Vec<_> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        [] => run(Mode::Measure),
        ["--check" | "--check-instructions"] => run(Mode::Check),
        ["--keep-instructions"] => run(Mode::Keep),
        ["--work", name, times, place] => work::run(name, times, place),
        _ => Err(format!("{arguments:?}: there are --check-instructions and --keep-instructions, one at a time")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(mode: Mode) -> Result<(), String> {
    let counted = runtime().block_on(calls::rows());
    counted.iter().for_each(Row::print);
    if mode == Mode::Measure {
        detail::rows().iter().for_each(Row::print);
        presign::rows().iter().for_each(Row::print);
    }
    let instructions = instructions::rows()?;
    instructions.iter().for_each(Row::print);
    match mode {
        Mode::Measure => Ok(()),
        Mode::Keep => instructions::keep(&instructions),
        Mode::Check => {
            let too_many = counted.iter().filter(|row| row.met == Some(false));
            let mut complaints: Vec<_> = too_many.map(|row| format!("{}: {} calls", row.what, row.figure)).collect();
            complaints.extend(instructions::complaints(&instructions)?);
            if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
        }
    }
}

/// One thread, as a function has.
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}
