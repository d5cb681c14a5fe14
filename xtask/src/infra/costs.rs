//! What operations cost: their calls, which `tests/tests/calls.rs` pins, times the sizes of the items, times `bench/prices.json`.

use std::fmt::Write as _;
use std::fs;

use serde::Deserialize;

use super::folder;
use crate::process::root;

/// Between these lines of README.md stands what is written here.
const BEGIN: &str = "<!-- costs: written by `cargo xtask infra --only costs --write` -->\n";
const END: &str = "<!-- end of costs -->";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Prices {
    region: String,
    date: String,
    usd_per_million: PerMillion,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PerMillion {
    read_units: f64,
    write_units: f64,
    object_puts: f64,
    object_gets: f64,
    function_calls: f64,
    function_gigabyte_seconds: f64,
    api_calls: f64,
}

/// Something that callers do. Sizes are bytes of items as they are in the table of a registry with one ten-file skill.
struct Operation {
    name: &'static str,
    /// Each read that may miss the last second.
    eventual: &'static [u32],
    strong: &'static [u32],
    writes: &'static [u32],
    transacted: &'static [u32],
    puts: u32,
    gets: u32,
    /// MB and milliseconds of each call of a function. Milliseconds are assumed: an emulator does not show them.
    functions: &'static [(f64, f64)],
    /// USD a million, at most.
    target: Option<f64>,
}

const OPERATIONS: [Operation; 6] = [
    Operation {
        name: "detail",
        eventual: &[465, 1214],
        strong: &[],
        writes: &[],
        transacted: &[],
        puts: 0,
        gets: 0,
        functions: &[(256.0, 8.0)],
        target: Some(0.40),
    },
    Operation {
        name: "list of 50",
        // One query, billed for the sum of its items.
        eventual: &[51 * 464],
        strong: &[],
        writes: &[],
        transacted: &[],
        puts: 0,
        gets: 0,
        functions: &[(256.0, 10.0)],
        target: Some(1.00),
    },
    Operation {
        name: "download, with the GET of the bytes",
        eventual: &[265],
        strong: &[],
        writes: &[],
        transacted: &[],
        puts: 0,
        gets: 1,
        functions: &[(256.0, 6.0)],
        target: Some(0.80),
    },
    Operation {
        name: "authentication with a token, beside any of these",
        eventual: &[176],
        strong: &[138],
        writes: &[],
        transacted: &[],
        puts: 0,
        gets: 0,
        functions: &[],
        target: None,
    },
    Operation {
        name: "the allowance, beside any request that writes",
        eventual: &[],
        strong: &[],
        writes: &[61],
        transacted: &[],
        puts: 0,
        gets: 0,
        functions: &[],
        target: None,
    },
    Operation {
        name: "publish a new skill of 10 files, with two looks for the verdict",
        // Sessions of one's own.
        eventual: &[0],
        // Slug and lock; the session twice; what the decision depends on.
        strong: &[0, 0, 872, 872, 947, 0, 0, 0, 131, 138],
        // The claim; entries of the index: made, moved (two), removed.
        writes: &[872, 100, 100, 100, 100],
        // Opening: session, manifest, "mine", lock. Publishing: session, "mine", version, body, number, skill, slug, two lists,
        // search, membership, token, audit.
        transacted: &[872, 947, 100, 229, 872, 100, 265, 1214, 356, 465, 71, 464, 476, 61, 131, 138, 215],
        puts: 2,
        gets: 1,
        functions: &[(256.0, 15.0), (256.0, 6.0), (256.0, 6.0), (1024.0, 80.0)],
        target: Some(40.0),
    },
];

impl Operation {
    /// Read units: 4 KB each, half of one where the last second may be missed.
    fn reads(&self) -> f64 {
        let units = |bytes: &u32| f64::from(bytes.div_ceil(4096).max(1));
        // An empty sum is -0.
        0.0 + self.strong.iter().map(units).sum::<f64>() + self.eventual.iter().map(units).sum::<f64>() / 2.0
    }

    /// Write units: 1 KB each, twice in a transaction.
    fn writes(&self) -> f64 {
        let units = |bytes: &u32| f64::from(bytes.div_ceil(1024).max(1));
        0.0 + self.writes.iter().map(units).sum::<f64>() + 2.0 * self.transacted.iter().map(units).sum::<f64>()
    }

    /// USD a million, without the API.
    fn cost(&self, prices: &PerMillion) -> f64 {
        let seconds: f64 = self.functions.iter().map(|(mb, millis)| mb / 1024.0 * millis / 1000.0).sum();
        self.reads() * prices.read_units
            + self.writes() * prices.write_units
            + f64::from(self.puts) * prices.object_puts
            + f64::from(self.gets) * prices.object_gets
            + self.functions.len() as f64 * prices.function_calls
            + seconds * prices.function_gigabyte_seconds
    }
}

/// Writes the table into README.md, or demands that it stands there.
///
/// # Errors
/// If it does not.
pub(super) fn run(write: bool) -> Result<(), String> {
    let path = folder().join("README.md");
    let page = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (before, rest) = page.split_once(BEGIN).ok_or("README.md has no place for costs")?;
    let (kept, after) = rest.split_once(END).ok_or("README.md has no end of costs")?;
    let table = table(&prices()?);
    if write {
        return fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).map_err(|e| e.to_string());
    }
    let problem = "the costs in README.md are out of date: `cargo xtask infra --only costs --write` writes them again";
    if kept == table { Ok(()) } else { Err(problem.to_owned()) }
}

fn prices() -> Result<Prices, String> {
    let path = root().join("bench/prices.json");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

fn table(prices: &Prices) -> String {
    let Prices { region, date, usd_per_million: per } = prices;
    let mut table = format!(
        "\nUSD a million in {region}, at prices of {date} ([bench/prices.json](../../bench/prices.json)). The HTTP API adds {:.2} for each \
         request, and the internet its price for each byte.\n\n\
         | operation | read units | write units | PUT, GET | calls of functions | USD | target |\n|---|---|---|---|---|---|---|\n",
        per.api_calls
    );
    for operation in &OPERATIONS {
        let target = operation.target.map_or_else(String::new, |target| format!("{target:.2}"));
        let (name, reads, writes, cost) = (operation.name, operation.reads(), operation.writes(), operation.cost(per));
        let (puts, gets, calls) = (operation.puts, operation.gets, operation.functions.len());
        let _ = writeln!(table, "| {name} | {reads} | {writes} | {puts}, {gets} | {calls} | {cost:.2} | {target} |");
    }
    table.push_str("\nWith nobody asking: the sweeper's 43,200 runs a month, well below a dollar, and the alarms.\n\n");
    table
}
