//! P13: what a million of each operation costs on AWS. The operations are carried out against the embedded stores, which say what
//! each call has consumed, through the proxy that counts; `bench/calls.json` keeps that, and `bench/prices.json` has the prices.
//!
//! `--check` keeps nothing, and fails if what was kept is not what is counted, or an operation costs more than it may.
#![expect(clippy::print_stderr, reason = "a program that reports on the terminal")]

mod operations;
mod registry;

use std::path::Path;
use std::process::ExitCode;

use skillhub_bench::{Bound, Consumption, Operation, Prices, Row, Unit};

/// What is counted, and what not.
const ABOUT: &str = "Counted at the calls that each operation makes of the stores, with the sizes of a skill of 10 files and a \
                     description of 200 characters. Not counted: the HTTP API, what leaves for the internet, and storage. \
                     The time of functions is assumed. Written by `cargo xtask bench cost`.";

fn main() -> ExitCode {
    let checks = std::env::args().any(|argument| argument == "--check");
    match run(checks) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(checks: bool) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (prices, kept) = (Prices::read(&folder.join("prices.json"))?, folder.join("calls.json"));
    let runtime = tokio::runtime::Runtime::new().map_err(|e| e.to_string())?;
    let consumption = Consumption { about: ABOUT.to_owned(), operations: runtime.block_on(operations::count()) };
    if checks {
        return check(&consumption, &Consumption::read(&kept)?, &prices);
    }
    for operation in &consumption.operations {
        tell(operation);
        row(operation, &prices).print();
    }
    consumption.write(&kept)
}

/// Everything must be as it was kept, but for bytes, which may differ by a digit of a random number.
fn check(counted: &Consumption, kept: &Consumption, prices: &Prices) -> Result<(), String> {
    if without_bytes(counted) != without_bytes(kept) {
        counted.operations.iter().for_each(tell);
        return Err(String::from("bench/calls.json is out of date: `cargo xtask bench cost` counts again"));
    }
    let rows = counted.operations.iter().map(|operation| row(operation, prices));
    let missed: Vec<_> = rows.filter(|row| row.met == Some(false)).map(|row| row.what).collect();
    if missed.is_empty() { Ok(()) } else { Err(format!("too expensive: {}", missed.join(", "))) }
}

fn without_bytes(consumption: &Consumption) -> Consumption {
    let mut consumption = consumption.clone();
    consumption.operations.iter_mut().flat_map(|operation| &mut operation.calls).for_each(|call| call.bytes = 0);
    consumption
}

fn row(operation: &Operation, prices: &Prices) -> Row {
    let usd = operation.usd_per_million(&prices.usd_per_million);
    let method = format!("counted units, prices of {} in {}, assumed time of functions", prices.date, prices.region);
    let row = Row::new("P13", &operation.name, usd, Unit::UsdPerMillion).method(method, 1);
    match operation.target {
        Some(target) => row.demands(Bound::AtMost(target)),
        None => row,
    }
}

/// The sum, and what it is made of.
fn tell(operation: &Operation) {
    let Operation { name, read_units, write_units, puts, gets, functions, .. } = operation;
    let runs = functions.len();
    eprintln!("{name}: {read_units} read, {write_units} written, {puts} PUT, {gets} GET, {runs} runs of functions");
    for call in &operation.calls {
        eprintln!("    {}: {} units, {} bytes", call.call, call.units, call.bytes);
    }
}
