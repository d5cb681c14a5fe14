//! P13: what a million of each operation costs on AWS. The operations are carried out against the embedded stores, which say what
//! each call has consumed, through the proxy that counts; `bench/calls.json` keeps that, and `bench/prices.json` has the prices.
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
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let prices = Prices::read(&folder.join("prices.json"))?;
    let runtime = tokio::runtime::Runtime::new().map_err(|e| e.to_string())?;
    let consumption = Consumption { about: ABOUT.to_owned(), operations: runtime.block_on(operations::count()) };
    for operation in &consumption.operations {
        tell(operation);
        row(operation, &prices).print();
    }
    consumption.write(&folder.join("calls.json"))
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
