//! P8: reading, as the catalogue grows. Registries of several sizes stand beside each other, all of them on files, and every
//! round asks all of them, so that a busy moment hits all.
//!
//! `--sizes 1000,10000,100000` are the sizes, `--rounds 15` the rounds. `--quick` is the gate of the tests: two small sizes, few
//! rounds, some slack, and a failure where a target is missed by more than that.
#![expect(clippy::print_stderr, reason = "a program that reports on the terminal")]

mod catalogue;
mod reading;
#[path = "../stage/mod.rs"]
mod stage;

use std::process::ExitCode;

use skillhub_bench::{Bound, Line, Row, Unit, median, shares};
use skillhub_tests::proxy::Operation;

use self::catalogue::{Catalogue, SCOPES};
use self::reading::{HITS, KINDS, PAGE, Reading, SEARCH, Times};

/// What reading may take at the greatest size, as a multiple of the smallest.
const TARGET: f64 = 1.5;
/// By how much the gate lets it be missed, for the noise of a few rounds.
const QUICK_SLACK: f64 = 1.5;

/// What is asked of this program.
struct Options {
    sizes: Vec<usize>,
    rounds: usize,
    quick: bool,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { sizes: vec![1000, 10_000, 100_000], rounds: 15, quick: false };
        let mut arguments = arguments.filter(|argument| argument != "--bench");
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options = Self { sizes: vec![1000, 10_000], rounds: 7, quick: true },
                "--sizes" => options.sizes = numbers(arguments.next())?,
                "--rounds" => options.rounds = numbers(arguments.next())?[0],
                _ => return Err(format!("{argument}: there are --quick, --sizes 1000,10000 and --rounds 15")),
            }
        }
        options.sizes.sort_unstable();
        // Below that, a page is not full.
        if options.sizes.len() < 2 || options.sizes[0] < 1000 {
            return Err(String::from("--sizes: at least two, of at least 1000 skills"));
        }
        Ok(options)
    }
}

fn numbers(text: Option<String>) -> Result<Vec<usize>, String> {
    let text = text.ok_or("a number is missing at the end")?;
    text.split(',').map(|number| number.parse().map_err(|e| format!("{number}: {e}"))).collect()
}

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)).map(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Whether a gate is passed; what only measures always does.
fn run(options: &Options) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut kept = true;
    for scopes in SCOPES {
        let seed = |size: &usize| runtime.block_on(Catalogue::seeded(*size, scopes));
        let catalogues: Vec<_> = options.sizes.iter().map(seed).collect();
        let mut readings: Vec<_> = catalogues.iter().map(Reading::of).collect();
        let times = reading::measure(&runtime, &mut readings, options.rounds);
        let mut rows = ratios(options, scopes.name, &times);
        rows.extend(runtime.block_on(pages(scopes.name, &catalogues)));
        rows.iter().for_each(Row::print);
        lines(options, scopes.name, &times).iter().for_each(Line::print);
        kept &= !options.quick || rows.iter().filter(|row| is_missed(row)).count() == 0;
    }
    kept
}

/// Whether a target is missed by more than the noise of a few rounds. Counts have none.
fn is_missed(row: &Row) -> bool {
    let slack = if row.unit == Unit::Count { 1.0 } else { QUICK_SLACK };
    let is_met = row.ratio.is_some_and(|ratio| ratio <= slack);
    if !is_met {
        eprintln!("error: {}: {:.2}", row.what, row.figure);
    }
    !is_met
}

/// Each kind of reading at the greatest size, as a multiple of the smallest.
fn ratios(options: &Options, scopes: &str, times: &Times) -> Vec<Row> {
    let (least, greatest) = (options.sizes[0], options.sizes[options.sizes.len() - 1]);
    let row = |(kind, name): (usize, &&str)| {
        let ratio = median(shares(&times[options.sizes.len() - 1][kind], &times[0][kind]));
        let what = format!("{name}, {scopes}: {greatest} skills / {least}");
        let method = "p50 of a round, in turn with all sizes, in process; embedded DynamoDB on files";
        Row::new("P8", what, ratio, Unit::Times).demands(Bound::AtMost(TARGET)).method(method, options.rounds)
    };
    KINDS.iter().enumerate().map(row).collect()
}

fn lines(options: &Options, scopes: &str, times: &Times) -> Vec<Line> {
    let point = |size: usize, times: &[f64]| (size as f64, median(times.to_vec()) * 1e3);
    let line = |(kind, name): (usize, &&str)| Line {
        chart: String::from("list"),
        name: format!("{name}, {scopes}"),
        points: options.sizes.iter().zip(times).map(|(size, times)| point(*size, &times[kind])).collect(),
    };
    KINDS.iter().enumerate().map(line).collect()
}

/// What an answer reads of the greatest catalogue: the most of any partition, by what the store answers.
async fn pages(scopes: &str, catalogues: &[Catalogue]) -> Vec<Row> {
    let Some(catalogue) = catalogues.last() else { return Vec::new() };
    let (size, middle) = (catalogue.skills.len(), catalogue.middle());
    let mut rows = Vec::new();
    for (what, path, partitions, page) in [
        ("first page of 50", format!("/api/skills?limit={PAGE}"), "L#", PAGE),
        ("middle page of 50", format!("/api/skills?limit={PAGE}&cursor={middle}"), "L#", PAGE),
        ("search for 20", String::from(SEARCH), "Q#", HITS),
    ] {
        let calls = catalogue.stage.calls_of(catalogue.token(), &path).await;
        let queries = calls.iter().filter(|call| call.operation == Operation::Query && call.touches(partitions));
        let read: Vec<_> = queries.map(|call| call.answer.and_then(|answer| answer.items).unwrap()).collect();
        assert_eq!(read.len(), catalogue.scopes.shares.len(), "one query for each partition: {calls:?}");
        let most = read.iter().max().copied().unwrap_or(u64::MAX);
        let what = format!("items read of each partition for the {what}, {scopes}, {size} skills");
        let row = Row::new("P8", what, most as f64, Unit::Count).demands(Bound::AtMost((page + 1) as f64));
        rows.push(row.method("counted in the store's answers", 1));
    }
    rows
}
