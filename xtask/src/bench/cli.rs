//! The command as a cold process: CPU time by hyperfine, beside other clients that do the same in the same folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use skillhub_bench::{Bound, Report, Row, Unit};

use super::programs;
use crate::process::{capture, target};
use crate::tools::{self, Tool};

/// The most CPU time of a cold process, in milliseconds.
const MAX_CPU_MS: f64 = 10.0;
/// How many times less CPU time than any other client.
const MIN_RATIO: f64 = 10.0;
/// The same with a thousand installed skills, in milliseconds.
const MAX_CPU_MS_OF_THOUSAND: f64 = 100.0;
const SKILLS: usize = 10;
/// How often each command runs.
const RUNS: usize = 15;

/// What is measured: our command, and those of others that do the same.
struct Action {
    name: &'static str,
    ours: &'static [&'static str],
    others: &'static [(&'static Tool, &'static [&'static str])],
    /// What each run needs to be taken away before.
    undo: Option<&'static str>,
    skills: usize,
    max_cpu_ms: f64,
}

const ACTIONS: [Action; 6] = [
    Action {
        name: "version",
        ours: &["--version"],
        others: &[
            (&tools::OPENSKILLS, &["--version"]),
            (&tools::VERCEL_SKILLS, &["--version"]),
            (&tools::CLAWHUB, &["--cli-version"]),
        ],
        undo: None,
        skills: SKILLS,
        max_cpu_ms: MAX_CPU_MS,
    },
    Action {
        name: "list",
        ours: &["list"],
        others: &[(&tools::OPENSKILLS, &["list"]), (&tools::VERCEL_SKILLS, &["list"]), (&tools::CLAWHUB, &["list"])],
        undo: None,
        skills: SKILLS,
        max_cpu_ms: MAX_CPU_MS,
    },
    Action {
        name: "sync",
        ours: &["sync"],
        others: &[(&tools::OPENSKILLS, &["sync", "-y"])],
        undo: Some("AGENTS.md"),
        skills: SKILLS,
        max_cpu_ms: MAX_CPU_MS,
    },
    Action {
        name: "install",
        ours: &["install"],
        others: &[
            (&tools::OPENSKILLS, &["install", "./source/packed", "-y"]),
            (&tools::VERCEL_SKILLS, &["add", "./source/packed", "-y", "--copy"]),
        ],
        undo: Some(".agent/skills/packed"),
        skills: SKILLS,
        max_cpu_ms: MAX_CPU_MS,
    },
    Action {
        name: "list 1000",
        ours: &["list"],
        others: &[],
        undo: None,
        skills: 1000,
        max_cpu_ms: MAX_CPU_MS_OF_THOUSAND,
    },
    Action {
        name: "sync --check 1000",
        ours: &["sync", "--check"],
        others: &[],
        undo: None,
        skills: 1000,
        max_cpu_ms: MAX_CPU_MS_OF_THOUSAND,
    },
];

/// What hyperfine keeps of a command; times in seconds.
#[derive(Deserialize)]
struct Measured {
    command: String,
    user: f64,
    system: f64,
}

#[derive(Deserialize)]
struct Export {
    results: Vec<Measured>,
}

/// Measures.
///
/// # Errors
/// If a tool is missing, or a command fails.
pub(super) fn run(report: &mut Report) -> Result<(), String> {
    tools::need("hyperfine", &["--version"], "hyperfine")?;
    let ours = programs()?.path("skillhub")?.clone();
    let home = target().join("bench/cli");
    let mut rows = Vec::new();
    for action in &ACTIONS {
        let project = Project::fresh(&home, &ours, action.skills)?;
        rows.extend(measure(action, &project)?);
    }
    report.merge(Report { rows, ..Report::default() });
    Ok(())
}

/// The rows of an action.
fn measure(action: &Action, project: &Project) -> Result<Vec<Row>, String> {
    let results = project.hyperfine(action)?.results;
    let cpu = |measured: &Measured| (measured.user + measured.system) * 1000.0;
    let ours = results.first().map(cpu).ok_or("hyperfine measured nothing")?;
    let method = format!("CPU of the process by hyperfine, mean, {} installed skills", action.skills);
    let row = |(number, measured): (usize, &Measured)| {
        let row = if number == 0 {
            Row::new("P12", action.name, cpu(measured), Unit::Millis).demands(Bound::AtMost(action.max_cpu_ms))
        } else {
            let what = format!("{}: {} / ours", action.name, measured.command);
            Row::new("P12", what, cpu(measured) / ours, Unit::Times).demands(Bound::AtLeast(MIN_RATIO))
        };
        row.method(method.as_str(), RUNS)
    };
    Ok(results.iter().enumerate().map(row).collect())
}

/// A project with installed skills, and a home folder.
struct Project {
    home: PathBuf,
    folder: PathBuf,
    /// Our command.
    ours: PathBuf,
}

impl Project {
    /// Skills that were installed from packages in the cache, as the lock file names them: an installation asks no registry.
    fn fresh(home: &Path, ours: &Path, skills: usize) -> Result<Self, String> {
        let fault = |e: std::io::Error| format!("{}: {e}", home.display());
        if home.exists() {
            fs::remove_dir_all(home).map_err(fault)?;
        }
        let project = Self { home: home.join("home"), folder: home.join("project"), ours: ours.to_owned() };
        fs::create_dir_all(&project.home).map_err(fault)?;
        let names = (1..skills).map(|number| format!("skill-{number}")).chain([String::from("packed")]);
        let mut lock = String::from("version = 1\n");
        for name in names {
            project.skill(&format!("source/{name}"), &name)?;
            lock += &project.packed(&name)?;
        }
        project.write("skillhub.lock", lock.as_bytes())?;
        capture(project.command(&["install"]).arg("--quiet"))?;
        capture(project.command(&["sync"]).arg("--quiet"))?;
        Ok(project)
    }

    fn write(&self, path: &str, text: &[u8]) -> Result<(), String> {
        let path = self.folder.join(path);
        let made = fs::create_dir_all(path.parent().unwrap_or(&self.folder));
        made.and_then(|()| fs::write(&path, text)).map_err(|e| format!("{}: {e}", path.display()))
    }

    fn skill(&self, folder: &str, name: &str) -> Result<(), String> {
        let body = "Do one thing after another, and look at what came of it.\n".repeat(40);
        let text =
            format!("---\nname: {name}\ndescription: Use this when {name} is wanted.\n---\n\n# {name}\n\n{body}");
        self.write(&format!("{folder}/SKILL.md"), text.as_bytes())?;
        self.write(&format!("{folder}/references/notes.md"), body.as_bytes())
    }

    /// Puts a package into the cache; gives what the lock file has to say of it.
    fn packed(&self, name: &str) -> Result<String, String> {
        #[derive(Deserialize)]
        struct Packed {
            sha256: String,
            version: String,
        }
        let source = format!("source/{name}");
        let packed = capture(&mut self.command(&["pack", &source, "-o", "packed.zip", "--json", "--quiet"]))?;
        let packed: Packed = serde_json::from_str(&packed).map_err(|e| format!("skillhub pack: {e}"))?;
        let Packed { sha256, version } = &packed;
        let cache = self.home.join(".cache/skillhub/packages");
        let kept = fs::create_dir_all(&cache)
            .and_then(|()| fs::rename(self.folder.join("packed.zip"), cache.join(format!("{sha256}.zip"))));
        kept.map_err(|e| format!("{}: {e}", cache.display()))?;
        Ok(format!(
            "\n[[skill]]\nfolder = \".agent/skills/{name}\"\ncoordinate = \"@global/{name}\"\n\
             version = \"{version}\"\nsha256 = \"{sha256}\"\nregistry = \"https://skills.example.com\"\n"
        ))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.ours);
        command.args(args).env_clear().env("HOME", &self.home).current_dir(&self.folder);
        command
    }

    fn hyperfine(&self, action: &Action) -> Result<Export, String> {
        let export = self.home.join("report.json");
        let mut hyperfine = Command::new("hyperfine");
        hyperfine.args(["--shell=none", "--style=none", "--warmup=1", "--export-json"]).arg(&export);
        hyperfine.args(["--runs", &RUNS.to_string()]);
        hyperfine.env("HOME", &self.home).env("NO_COLOR", "1").env("CI", "1").env("DO_NOT_TRACK", "1");
        if let Some(path) = action.undo {
            hyperfine.args(["--prepare", &format!("rm -rf {path} .claude .agents")]);
        }
        hyperfine.args(["--command-name", "skillhub", &line(std::slice::from_ref(&self.ours), action.ours)]);
        for (tool, args) in action.others {
            hyperfine.args(["--command-name", tool.name(), &line(&tool.words()?, args)]);
        }
        capture(hyperfine.current_dir(&self.folder))?;
        let report = fs::read_to_string(&export).map_err(|e| format!("{}: {e}", export.display()))?;
        serde_json::from_str(&report).map_err(|e| format!("{}: {e}", export.display()))
    }
}

fn line(words: &[PathBuf], args: &[&str]) -> String {
    let words: String = words.iter().map(|word| format!("'{}' ", word.display())).collect();
    words + &args.join(" ")
}
