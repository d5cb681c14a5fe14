//! The report: `bench/report.json` for programs, `bench/REPORT.md` for people.

use std::fmt::Write as _;
use std::fs;

use skillhub_bench::{Bound, Report, Row};

use super::{chart, kept, write};

const FILE: &str = "report.json";
/// What people read around the figures.
const PAGE: &str = include_str!("page.md");

/// The report as it is kept; an empty one if there is none.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read() -> Result<Report, String> {
    let path = kept(FILE);
    if !path.exists() {
        return Ok(Report::default());
    }
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Keeps the report, and writes the page and its charts.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn write_all(report: &mut Report) -> Result<(), String> {
    report.machine = machine();
    let json = serde_json::to_string_pretty(report).map_err(|e| e.to_string())?;
    write(FILE, &format!("{json}\n"))?;
    for chart in chart::CHARTS {
        if let Some(svg) = chart.draw(&report.lines)? {
            write(chart.file, &svg)?;
        }
    }
    write("REPORT.md", &PAGE.replace("{machine}", &report.machine).replace("{rows}", &table(&report.rows)))
}

fn table(rows: &[Row]) -> String {
    let mut table = String::from("| # | what | figure | target | of it | met | method | rounds | load |\n");
    table.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for row in rows {
        let Row { id, what, method, rounds, load, .. } = row;
        let target = row.target.map_or_else(String::new, |bound| bound_text(bound, row));
        let ratio = row.ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        let met = row.met.map_or("", |met| if met { "yes" } else { "**no**" });
        let figure = figure(row.figure, row);
        let _ =
            writeln!(table, "| {id} | {what} | {figure} | {target} | {ratio} | {met} | {method} | {rounds} | {load} |");
    }
    table
}

/// A row in one line.
pub(super) fn sentence(row: &Row) -> String {
    let target = row.target.map_or_else(|| String::from("no target"), |bound| bound_text(bound, row));
    format!("{} {}: {}, target {target}", row.id, row.what, figure(row.figure, row))
}

fn bound_text(bound: Bound, row: &Row) -> String {
    match bound {
        Bound::AtMost(most) => format!("<= {}", figure(most, row)),
        Bound::AtLeast(least) => format!(">= {}", figure(least, row)),
    }
}

/// With three digits that count, and its unit.
fn figure(value: f64, row: &Row) -> String {
    let digits = match value.abs() {
        size if size.fract() == 0.0 || size >= 1000.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 => 2,
        _ => 4,
    };
    format!("{value:.digits$} {}", row.unit.symbol()).trim_end().to_owned()
}

/// The processor, its cores, the memory and the kernel.
fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let value = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_once(':').map_or("unknown", |(_, value)| value.trim()).to_owned()
    };
    let (cpu, memory) = (read("/proc/cpuinfo"), read("/proc/meminfo"));
    let cores = cpu.lines().filter(|line| line.starts_with("processor")).count();
    let kernel = read("/proc/sys/kernel/osrelease");
    format!(
        "{cores} cores of {}, {} of memory, Linux {}",
        value(&cpu, "model name"),
        value(&memory, "MemTotal"),
        kernel.trim()
    )
}
