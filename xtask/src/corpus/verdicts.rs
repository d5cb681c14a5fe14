//! `cargo xtask corpus verdicts`: what the publish checks say of skills that other people wrote.

mod page;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use clap::Args;
use serde::Deserialize;
use skillhub_protocol::Finding;

use super::client::Failure;
use super::fetch::{ARC_FREE_SKILLS, Archive, ECC_UNIVERSAL, home};
use crate::process::{build_programs, root, target};

/// Where the verdicts are kept, from the root of the workspace.
const PAGE: &str = "docs/corpus.md";

/// Options of the command.
#[derive(Args)]
pub(crate) struct Options {
    /// Writes nothing, and fails if docs/corpus.md is not what this run gives
    #[arg(long)]
    pub(super) check: bool,
}

/// A public package, all of it.
struct Pack {
    name: &'static str,
    archive: Archive,
    /// How many folders in it, hidden ones too, have a `SKILL.md`.
    count: usize,
    /// Whether every one of them must pass.
    must_pass: bool,
}

const PACKS: [Pack; 5] = [
    Pack { name: "arc-free-skills", archive: ARC_FREE_SKILLS, count: 100, must_pass: true },
    Pack { name: "ecc-universal", archive: ECC_UNIVERSAL, count: 719, must_pass: false },
    Pack {
        name: "agent-skills-bundle",
        archive: Archive::Wheel("agent-skills-bundle==0.1.0"),
        count: 22,
        must_pass: false,
    },
    Pack {
        name: "ai-labs-claude-skills",
        archive: Archive::Tarball("ai-labs-claude-skills@2.0.1"),
        count: 27,
        must_pass: false,
    },
    Pack { name: "bitranox-skills", archive: Archive::Wheel("bitranox-skills==10.3.7"), count: 83, must_pass: false },
];

/// What `skillhub pack --all --json` prints.
#[derive(Deserialize)]
struct Batch {
    skills: Vec<Verdict>,
}

/// What it says of one skill.
#[derive(Deserialize)]
struct Verdict {
    /// The folder, from the root of the package.
    source: PathBuf,
    findings: Vec<Finding>,
    error: Option<Failure>,
}

impl Verdict {
    /// Why it is refused; empty if it passed.
    fn codes(&self) -> BTreeSet<&str> {
        let errors = self.findings.iter().filter(|finding| finding.is_error());
        errors.map(|finding| finding.code.as_str()).chain(self.error.iter().map(|error| error.code.as_str())).collect()
    }
}

/// Judges every skill of the packs, and writes or compares the page.
///
/// # Errors
/// If a pack cannot be fetched or does not hold what it should, a skill that must pass does not, or the page differs.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    build_programs()?;
    let start = Instant::now();
    let mut judged = Vec::new();
    for pack in &PACKS {
        judged.push((pack, judge_all(pack)?));
    }
    let count: usize = judged.iter().map(|(_, verdicts)| verdicts.len()).sum();
    println!("{count} skills judged in {:.1} s", start.elapsed().as_secs_f64());
    judged.iter().try_for_each(|(pack, verdicts)| demand(pack, verdicts))?;
    keep(&page::render(&judged), options.check)
}

fn demand(pack: &Pack, verdicts: &[Verdict]) -> Result<(), String> {
    let refused: Vec<&Verdict> = verdicts.iter().filter(|verdict| verdict.error.is_some()).collect();
    println!("{:24}{:>5} skills, {:>4} refused", pack.name, verdicts.len(), refused.len());
    let Some(verdict) = refused.first().filter(|_| pack.must_pass) else { return Ok(()) };
    let why: String = verdict.findings.iter().map(|finding| format!("\n  {finding}")).collect();
    let (count, source) = (verdicts.len(), verdict.source.display());
    Err(format!("{}: all {count} skills must pass, but {source} is refused:{why}", pack.name))
}

fn keep(page: &str, check: bool) -> Result<(), String> {
    let path = root().join(PAGE);
    let fault = |e: std::io::Error| format!("{PAGE}: {e}");
    if !check {
        fs::create_dir_all(path.parent().unwrap_or(root())).map_err(fault)?;
        return fs::write(&path, page).map_err(fault);
    }
    let kept = fs::read_to_string(&path).map_err(fault)?;
    let differs = kept.lines().zip(page.lines()).position(|(kept, given)| kept != given);
    match differs.or_else(|| (kept != page).then(|| kept.lines().count().min(page.lines().count()))) {
        None => Ok(()),
        Some(index) => Err(format!(
            "{PAGE}:{}: is not what a run gives: run `cargo xtask corpus verdicts`, and look at what changed",
            index.saturating_add(1)
        )),
    }
}

/// The verdicts on all skills of a pack, in the order of their folders.
fn judge_all(pack: &Pack) -> Result<Vec<Verdict>, String> {
    let home = home(pack.name);
    let mut folders = skill_folders(&home);
    if folders.len() != pack.count {
        pack.archive.unpack(&home)?;
        folders = skill_folders(&home);
    }
    if folders.len() != pack.count {
        return Err(format!("{} has {} skills, not {}", pack.archive.pin(), folders.len(), pack.count));
    }
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut verdicts = thread::scope(|scope| {
        let judge_some = |first: usize| {
            let (folders, home) = (&folders, &home);
            move || folders.iter().skip(first).step_by(workers).map(|folder| judge(home, folder)).collect::<Vec<_>>()
        };
        let running: Vec<_> = (0..workers).map(|first| scope.spawn(judge_some(first))).collect();
        let ended = running
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|_| vec![Err("a worker panicked".to_owned())]));
        ended.collect::<Result<Vec<Verdict>, String>>()
    })?;
    verdicts.sort_by(|a, b| a.source.cmp(&b.source));
    Ok(verdicts)
}

/// One folder at a time, so that translations of a skill, which have its name, do not count as claims to the same slug.
fn judge(home: &Path, folder: &Path) -> Result<Verdict, String> {
    let mut skillhub = Command::new(target().join("debug/skillhub"));
    skillhub.env_clear().env("HOME", home).current_dir(home).stdin(Stdio::null());
    skillhub.args(["pack", "--json", "--quiet", "--all"]).arg(folder);
    let output = skillhub.output().map_err(|e| format!("skillhub: {e}"))?;
    let verdicts = serde_json::from_slice::<Batch>(&output.stdout).map(|batch| batch.skills);
    match verdicts.map(<[Verdict; 1]>::try_from) {
        Ok(Ok([verdict])) => Ok(verdict),
        _ => Err(format!(
            "{}: skillhub pack gave no verdict: {}",
            folder.display(),
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// The folders below `home` that have a `SKILL.md`, from there, in order. Links are not followed.
fn skill_folders(home: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(home.join(&folder)).into_iter().flatten().filter_map(Result::ok) {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                open.push(folder.join(entry.file_name()));
            } else if kind.is_file() && entry.file_name() == "SKILL.md" {
                found.push(folder.clone());
            }
        }
    }
    found.sort();
    found
}
