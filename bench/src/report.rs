//! What measurements say, and the file in which it is kept.

use serde::{Deserialize, Serialize};

/// What a figure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Unit {
    /// A multiple of something else in the same run.
    Times,
    /// Microseconds.
    Micros,
    /// Milliseconds.
    Millis,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Megabytes, of a million bytes.
    Megabytes,
    /// Instructions of the processor, by callgrind.
    Instructions,
    /// Calls of the stores, items, or other things that are counted.
    Count,
    /// Each second.
    PerSecond,
    /// Megabytes each second.
    MegabytesPerSecond,
    /// US dollars for a million operations.
    UsdPerMillion,
}

impl Unit {
    /// As it is written behind a figure.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Times => "x",
            Self::Micros => "us",
            Self::Millis => "ms",
            Self::Seconds => "s",
            Self::Bytes => "bytes",
            Self::Megabytes => "MB",
            Self::Instructions => "instructions",
            Self::Count => "",
            Self::PerSecond => "/s",
            Self::MegabytesPerSecond => "MB/s",
            Self::UsdPerMillion => "USD/million",
        }
    }
}

/// What a figure may be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Bound {
    /// This or less.
    AtMost(f64),
    /// This or more.
    AtLeast(f64),
}

impl Bound {
    /// Whether a figure keeps it. What is not a number keeps nothing.
    pub fn is_met_by(self, figure: f64) -> bool {
        match self {
            Self::AtMost(most) => figure <= most,
            Self::AtLeast(least) => figure >= least,
        }
    }

    fn value(self) -> f64 {
        let (Self::AtMost(value) | Self::AtLeast(value)) = self;
        value
    }
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The row of targets that it belongs to, such as `P6`.
    pub id: String,
    /// What was measured; with the id, what tells rows apart.
    pub what: String,
    /// The figure.
    pub figure: f64,
    /// Its unit.
    pub unit: Unit,
    /// What it may be; nothing if it is told for information alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Bound>,
    /// The figure as a multiple of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Whether the target is met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met: Option<bool>,
    /// How it was measured.
    pub method: String,
    /// How often; 1 for what is counted.
    pub rounds: usize,
    /// The load average of the machine at that time.
    pub load: String,
}

impl Row {
    /// A figure without a target, counted once.
    pub fn new(id: &str, what: impl Into<String>, figure: f64, unit: Unit) -> Self {
        let load = crate::load();
        let (target, ratio, met, method) = (None, None, None, String::from("counted"));
        Self { id: id.to_owned(), what: what.into(), figure, unit, target, ratio, met, method, rounds: 1, load }
    }

    /// The same with a target.
    #[must_use]
    pub fn demands(self, target: Bound) -> Self {
        let (ratio, met) = (Some(self.figure / target.value()), Some(target.is_met_by(self.figure)));
        Self { target: Some(target), ratio, met, ..self }
    }

    /// The same, measured like this, so many times.
    #[must_use]
    pub fn method(self, method: impl Into<String>, rounds: usize) -> Self {
        Self { method: method.into(), rounds, ..self }
    }

    /// Prints it as one line of JSON, which is how `cargo xtask bench` gets it.
    pub fn print(&self) {
        print("row", self);
    }
}

/// A line or a bar of a chart: what was measured at each place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// The chart, such as `list`.
    pub chart: String,
    /// The name of the line.
    pub name: String,
    /// Places and figures.
    pub points: Vec<(f64, f64)>,
}

impl Line {
    /// Prints it as one line of JSON, which is how `cargo xtask bench` gets it.
    pub fn print(&self) {
        print("line", self);
    }
}

#[expect(clippy::print_stdout, reason = "what a measurement has to say")]
fn print(kind: &str, value: &impl Serialize) {
    // These types always have a JSON.
    if let Ok(json) = serde_json::to_string(value) {
        println!("{kind} {json}");
    }
}

/// Everything that was measured, by the measurement that it is of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The machine of the last run.
    pub machine: String,
    /// The figures, in order of their ids.
    pub rows: Vec<Row>,
    /// What the charts show.
    pub lines: Vec<Line>,
}

impl Report {
    /// Takes over what a measurement has printed; gives the lines that are something else.
    pub fn take<'a>(&mut self, printed: &'a str) -> Vec<&'a str> {
        let (mut new, mut others) = (Self::default(), Vec::new());
        for line in printed.lines() {
            let row = line.strip_prefix("row ").and_then(|json| serde_json::from_str(json).ok());
            let points = line.strip_prefix("line ").and_then(|json| serde_json::from_str(json).ok());
            match (row, points) {
                (Some(row), _) => new.rows.push(row),
                (_, Some(line)) => new.lines.push(line),
                _ => others.push(line),
            }
        }
        self.merge(new);
        others
    }

    /// Takes over the rows and lines of a later run. What they are about counts no more as it was: rows with one of their ids,
    /// lines of one of their charts.
    pub fn merge(&mut self, later: Self) {
        self.rows.retain(|row| later.rows.iter().all(|new| new.id != row.id));
        self.lines.retain(|line| later.lines.iter().all(|new| new.chart != line.chart));
        self.rows.extend(later.rows);
        self.lines.extend(later.lines);
        self.rows.sort_by_key(|row| row.id.trim_start_matches('P').parse::<u32>().unwrap_or(u32::MAX));
    }

    /// The rows whose target is missed.
    pub fn missed(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.met == Some(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, figure: f64) -> Row {
        Row::new(id, "x", figure, Unit::Times).demands(Bound::AtMost(2.0))
    }

    #[test]
    fn a_later_run_replaces_the_rows_of_its_ids_and_no_others() {
        let mut report = Report::default();
        report.merge(Report { rows: vec![row("P10", 1.0), row("P2", 1.0), row("P2", 1.5)], ..Report::default() });
        let line = serde_json::to_string(&row("P2", 3.0)).unwrap();
        let printed = format!("hello\nrow {line}\nrow {{}}\n");
        assert_eq!(report.take(&printed), ["hello", "row {}"]);
        let kept: Vec<_> = report.rows.iter().map(|row| (row.id.as_str(), row.figure, row.met)).collect();
        assert_eq!(kept, [("P2", 3.0, Some(false)), ("P10", 1.0, Some(true))]);
        assert_eq!(report.missed().count(), 1);
    }

    #[test]
    fn what_is_no_number_meets_nothing() {
        for bound in [Bound::AtMost(1.0), Bound::AtLeast(1.0)] {
            assert!(!bound.is_met_by(f64::NAN));
            assert!(bound.is_met_by(1.0));
        }
    }
}
