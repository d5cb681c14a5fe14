//! `cargo xtask model`: many random histories against the model of the registry, and what came of them in
//! `docs/reliability.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clap::Args;
use serde::{Deserialize, Serialize};
use skillhub_protocol::UtcMillis;

use crate::process::{capture, cargo, root, run as run_command, target};

/// Histories of one step; what is finished counts, even if the next step does not end.
const STEP: u64 = 50;
/// Marks a commit whose code was changed, so that nobody can tell what was run.
const DIRTY: &str = "-dirty";
/// Where the totals stand, and under which heading.
const PAGE: &str = "docs/reliability.md";
const HEADING: &str = "## Histories explained by the model";

/// Options of the command.
#[derive(Args)]
pub(crate) struct Options {
    /// How many histories there shall be; those of an earlier run with the same seed and of the same commit count
    #[arg(long, default_value_t = 2000)]
    schedules: u64,
    /// The seed of the first; the others follow it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many at a time
    #[arg(long, default_value_t = 6)]
    parallel: u64,
}

/// What is done so far.
#[derive(Default, Serialize, Deserialize)]
struct State {
    /// Of which commit the code is: histories of another one count for nothing.
    commit: String,
    seed: u64,
    done: u64,
    seconds: f64,
    counts: BTreeMap<String, u64>,
}

impl State {
    fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or_default()
    }
}

/// Carries out what is missing, then writes the totals.
///
/// # Errors
/// If a history cannot be explained: its shortest form, and the command that repeats it. Or if a file cannot be written.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let file = target().join("model").join("state.json");
    let kept: Option<State> = fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str(&text).ok());
    let new = State { commit: commit()?, seed: options.seed, ..State::default() };
    let goes_on = |state: &State| state.commit == new.commit && state.seed == new.seed && !new.commit.ends_with(DIRTY);
    let mut state = kept.filter(goes_on).unwrap_or(new);
    run_command(&mut cargo("test --quiet --workspace --test model --no-run"))?;
    while state.done < options.schedules {
        step(&mut state, options)?;
        if commit()? != state.commit {
            return Err(String::from("the code has changed meanwhile: begin again"));
        }
        fs::create_dir_all(target().join("model")).map_err(|e| e.to_string())?;
        let text = serde_json::to_string(&state).map_err(|e| e.to_string())?;
        fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        println!("{} of {} in {:.0} s", state.done, options.schedules, state.seconds);
    }
    write_page(&section(&state))
}

/// The commit, marked if something in the working tree differs from it.
fn commit() -> Result<String, String> {
    let describe = ["describe", "--always", "--exclude=*", &format!("--dirty={DIRTY}")];
    Ok(capture(Command::new("git").args(describe).current_dir(root()))?.trim().to_owned())
}

fn step(state: &mut State, options: &Options) -> Result<(), String> {
    let (first, count) = (state.seed + state.done, STEP.min(options.schedules - state.done));
    let mut test = cargo("test --quiet --workspace --test model -- --nocapture");
    for (name, number) in [("SEED", first), ("SCHEDULES", count), ("PARALLEL", options.parallel)] {
        test.env(format!("SKILLHUB_MODEL_{name}"), number.to_string());
    }
    let started = Instant::now();
    let output = capture(&mut test)?;
    let counts = output
        .lines()
        .find_map(|line| Some(&line[line.find('{')?..]))
        .ok_or_else(|| format!("no numbers:\n{output}"))?;
    let counts: BTreeMap<String, u64> = serde_json::from_str(counts).map_err(|e| e.to_string())?;
    state.seconds += started.elapsed().as_secs_f64();
    state.done += count;
    counts.into_iter().for_each(|(name, more)| *state.counts.entry(name).or_default() += more);
    Ok(())
}

fn section(state: &State) -> String {
    let (last, cores) =
        (state.seed + state.done.max(1) - 1, std::thread::available_parallelism().map_or(1, usize::from));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let date = i64::try_from(now).ok().and_then(UtcMillis::from_epoch_millis).map(|now| now.to_string());
    let date = date.unwrap_or_default().chars().take(10).collect::<String>();
    let mut text = format!(
        "{HEADING}\n\n`cargo xtask model --schedules {} --seed {}` wrote this section on {date}, of commit {}: a debug build on {}, {}, {cores} \
         cores, {:.0} minutes.\nEach history runs against a registry of its own: the functions on embedded stores, behind a proxy that injects the \
         faults.\nThe model is `tests/src/model/`; what it does not cover stands there.\n\n",
        state.done,
        state.seed,
        state.commit,
        std::env::consts::OS,
        std::env::consts::ARCH,
        state.seconds / 60.0
    );
    let _ = writeln!(text, "| | |\n|---|--:|\n| histories, seeds {} to {last} | {} |", state.seed, state.done);
    let rows = [
        ("operations in them, many at once", "operations"),
        ("reads when nothing is under way any more", "last reads"),
        ("calls of the stores", "calls"),
        ("publications acknowledged, and read again", "acknowledged"),
        ("acknowledged publications that were lost", "lost"),
        ("phantoms: shown, but never made", "phantom"),
        ("versions that changed", "changed"),
        ("shown to somebody who may not see it", "cross-scope"),
        ("other answers or states without an explanation", "unexplained"),
    ];
    for (what, name) in rows {
        text.push_str(&format!("| {what} | {} |\n", state.count(name)));
    }
    text.push_str("\n| fault injected | calls |\n|---|--:|\n");
    for (name, count) in &state.counts {
        if let Some(fault) = name.strip_prefix("fault: ") {
            let _ = writeln!(text, "| {fault} | {count} |");
        }
    }
    text
}

/// Puts the section where it was, or at the end; the rest of the page belongs to others.
fn write_page(section: &str) -> Result<(), String> {
    let path = root().join(PAGE);
    let page = fs::read_to_string(&path).unwrap_or_else(|_| String::from("# Reliability\n"));
    let (before, rest) = page.split_once(HEADING).unwrap_or((&page, ""));
    let after = rest.find("\n## ").map_or("", |at| &rest[at..]);
    let text = format!("{}\n\n{section}{after}", before.trim_end());
    fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}
