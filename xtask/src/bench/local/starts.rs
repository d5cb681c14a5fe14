//! P10: a start with everything on disk, and memory when nothing is asked.

use skillhub_bench::{Bound, Report, Row, Unit, median, resident_bytes, shares};

use super::registries::Registry;
use super::server::Server;
use super::{Part, Stage, registries_of};

/// A start of ours, as a multiple of the other's.
const MAX_START: f64 = 0.1;
/// The same of the memory.
const MAX_MEMORY: f64 = 0.25;

/// What starts have cost, by round.
struct Starts {
    registry: Registry,
    seconds: Vec<f64>,
    megabytes: Vec<f64>,
}

/// Starts the registries in turn.
///
/// # Errors
/// If one does not start.
pub(super) fn measure(stage: &Stage<'_>) -> Result<Report, String> {
    let begin = |registry: &Registry| Starts { registry: *registry, seconds: Vec::new(), megabytes: Vec::new() };
    let mut all: Vec<Starts> = registries_of(Part::P10).iter().map(begin).collect();
    let rounds = stage.options.rounds;
    for round in 0..=rounds {
        for starts in &mut all {
            let server = Server::start(stage, starts.registry)?;
            let megabytes = resident_bytes(server.pid())? as f64 / 1e6;
            eprintln!("round {round}: {:18} {:.3} s, {megabytes:.1} MB", starts.registry.name(), server.start);
            // The first round warms up.
            if round > 0 {
                starts.seconds.push(server.start);
                starts.megabytes.push(megabytes);
            }
        }
    }
    let [ours, other] = all.as_slice() else { return Err("two registries are compared".to_owned()) };
    Ok(Report { rows: rows(ours, other, stage), ..Report::default() })
}

fn rows(ours: &Starts, other: &Starts, stage: &Stage<'_>) -> Vec<Row> {
    let count = stage.options.skills;
    let method = format!("{count} packages on disk; a process until it tells of one of them, then idle; in turn");
    let row =
        |what: String, figure, unit| Row::new("P10", what, figure, unit).method(method.as_str(), ours.seconds.len());
    let names = format!("{} / {}", ours.registry.name(), other.registry.name());
    let start = median(shares(&ours.seconds, &other.seconds));
    let memory = median(shares(&ours.megabytes, &other.megabytes));
    let mut rows = vec![
        row(format!("start: {names}"), start, Unit::Times).demands(Bound::AtMost(MAX_START)),
        row(format!("idle memory: {names}"), memory, Unit::Times).demands(Bound::AtMost(MAX_MEMORY)),
    ];
    for Starts { registry, seconds, megabytes } in [ours, other] {
        rows.push(row(format!("start: {}", registry.name()), median(seconds.clone()), Unit::Seconds));
        rows.push(row(format!("idle memory: {}", registry.name()), median(megabytes.clone()), Unit::Megabytes));
    }
    rows
}
