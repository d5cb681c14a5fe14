//! What operations cost, in README.md: what they consume (`bench/calls.json`, which `cargo xtask bench cost` counts), times prices
//! (`bench/prices.json`).

use std::fmt::Write as _;
use std::fs;

use skillhub_bench::{Consumption, Operation, Prices};

use super::folder;
use crate::process::root;

/// Between these lines of README.md stands what is written here.
const BEGIN: &str = "<!-- costs: written by `cargo xtask infra --only costs --write` -->\n";
const END: &str = "<!-- end of costs -->";

/// Writes the table into README.md, or demands that it stands there.
///
/// # Errors
/// If it does not.
pub(super) fn run(write: bool) -> Result<(), String> {
    let path = folder().join("README.md");
    let page = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (before, rest) = page.split_once(BEGIN).ok_or("README.md has no place for costs")?;
    let (kept, after) = rest.split_once(END).ok_or("README.md has no end of costs")?;
    let bench = root().join("bench");
    let table = table(&Consumption::read(&bench.join("calls.json"))?, &Prices::read(&bench.join("prices.json"))?);
    if write {
        return fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).map_err(|e| e.to_string());
    }
    let problem = "the costs in README.md are out of date: `cargo xtask infra --only costs --write` writes them again";
    if kept == table { Ok(()) } else { Err(problem.to_owned()) }
}

fn table(consumption: &Consumption, prices: &Prices) -> String {
    let Prices { region, date, usd_per_million: per, .. } = prices;
    let mut table = format!(
        "\nUSD a million in {region}, at prices of {date} ([bench/prices.json](../../bench/prices.json)), for what was counted \
         ([bench/calls.json](../../bench/calls.json)). The HTTP API adds {:.2} for each request, and the internet its price for \
         each byte.\n\n\
         | operation | read units | write units | PUT, GET | runs of functions | USD | target |\n|---|---|---|---|---|---|---|\n",
        per.api_calls
    );
    for operation in &consumption.operations {
        let Operation { name, read_units, write_units, puts, gets, functions, .. } = operation;
        let target = operation.target.map_or_else(String::new, |target| format!("{target:.2}"));
        let (runs, cost) = (functions.len(), operation.usd_per_million(per));
        let _ = writeln!(
            table,
            "| {name} | {read_units} | {write_units} | {puts}, {gets} | {runs} | {cost:.2} | {target} |"
        );
    }
    table.push_str("\nWith nobody asking: the sweeper's 43,200 runs a month, well below a dollar, and the alarms.");
    table + &alternative(consumption, prices) + "\n\n"
}

/// What is read of a hundred requests, in the order of the operations: detail, list, download.
const MIX: [f64; 3] = [60.0, 30.0, 10.0];

/// What a host that is always on costs, and how many requests that money pays for here.
fn alternative(consumption: &Consumption, prices: &Prices) -> String {
    let per = &prices.usd_per_million;
    let reads = consumption.operations.iter().zip(MIX).map(|(o, share)| share / 100.0 * o.usd_per_million(per));
    let million = reads.sum::<f64>() + per.api_calls;
    let [least, most] = prices.always_on_usd_per_month;
    format!(
        " A host that is always on costs {least} to {most} USD a month before the first request; here {least} USD pay for {:.0} \
         million requests (60 % detail, 30 % list, 10 % download, with the HTTP API).",
        least / million
    )
}
