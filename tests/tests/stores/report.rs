//! What a run has seen, for people, for the test, and as a file for `cargo xtask stores`.

use std::time::Duration;

use serde::Serialize;

use crate::differences::Listed;
use crate::probe::{Done, Seen};

/// The file that results are written to, as JSON.
const RESULTS: &str = "SKILLHUB_STORES_RESULTS";

/// One run against one server.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) server: String,
    probes: Vec<Row>,
    #[serde(skip)]
    done: Vec<Done>,
}

#[derive(Serialize)]
struct Row {
    store: &'static str,
    probe: &'static str,
    states: &'static str,
    outcome: Outcome,
    /// What was seen instead.
    seen: Option<String>,
    /// What the list says that it means.
    means: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Holds,
    Differs,
    DoesNotApply,
}

impl Report {
    pub(crate) fn new(server: &str, done: Vec<Done>, listed: &Listed) -> Self {
        let row = |Done { store, id, states, verdict, .. }: &Done| {
            let (outcome, seen) = match verdict {
                Some(Ok(())) => (Outcome::Holds, None),
                Some(Err(Seen(seen))) => (Outcome::Differs, Some(seen.clone())),
                None => (Outcome::DoesNotApply, None),
            };
            let means = seen.as_ref().and_then(|_| listed.find(server, id)).map(|listed| listed.means.clone());
            Row { store, probe: id, states, outcome, seen, means }
        };
        Self { server: server.to_owned(), probes: done.iter().map(row).collect(), done }
    }

    /// Where this run and the list of differences disagree.
    pub(crate) fn problems(&self, listed: &Listed) -> Vec<String> {
        listed.disagreements(&self.server, &self.done)
    }

    /// How many probes did what, and which took longest.
    pub(crate) fn print(&self) {
        let count = |outcome| self.probes.iter().filter(|row| row.outcome == outcome).count();
        let (holds, differs) = (count(Outcome::Holds), count(Outcome::Differs));
        println!("{}: {} probes: {holds} hold, {differs} differ", self.server, self.probes.len());
        for Row { store, probe, seen, .. } in &self.probes {
            seen.iter().for_each(|seen| println!("  {store} {probe}: {seen}"));
        }
        let slow = |done: &&Done| done.took > Duration::from_millis(300);
        for Done { id, took, .. } in self.done.iter().filter(slow) {
            println!("  {:.1} s for {id}", took.as_secs_f64());
        }
    }

    /// Writes the results to the file that [`RESULTS`] names.
    pub(crate) fn write_if_asked(&self) {
        if let Some(path) = std::env::var_os(RESULTS) {
            std::fs::write(path, serde_json::to_vec_pretty(self).unwrap()).unwrap();
        }
    }
}
