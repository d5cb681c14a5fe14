//! The same packages for every registry.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::registries::Registry;
use super::server::{Server, bounded};
use super::{Stage, read};
use crate::process::root;
use crate::tools;

/// The first package.
pub(super) const FIRST: &str = "skill-00000";
/// The version of all packages.
pub(super) const VERSION: &str = "1.0.0";
/// How long filling one registry may take.
const PATIENCE: Duration = Duration::from_secs(1800);

/// Fills a registry that has nothing yet. Ours comes first: it makes the packages that the others get.
///
/// # Errors
/// If that fails.
pub(super) fn fill(stage: &Stage<'_>, registry: Registry) -> Result<(), String> {
    let start = Instant::now();
    let (home, packages) = (stage.home(registry), stage.packages());
    if registry == Registry::Skillhub {
        let mut fill = stage.program("fill")?;
        fill.arg(&home).args([stage.options.skills.to_string(), stage.options.seed.to_string()]);
        bounded(fill.arg("--packages").arg(&packages), PATIENCE).1?;
        check(stage)?;
    } else {
        // Its own library fills skillhub-selfhost; what fills the others needs Python alone.
        let mut python = Command::new(tools::SKILLHUB_SELFHOST.programs()?.join("python"));
        python.arg(root().join("xtask/src/bench/local/peers.py")).arg(registry.name());
        bounded(python.arg(&home).arg(&packages), PATIENCE).1?;
    }
    let (count, seconds) = (stage.options.skills, start.elapsed().as_secs_f64());
    println!("{:18} has {count} packages after {seconds:.1} s", registry.name());
    Ok(())
}

/// Demands that the registry serves what was put in: the command installs a skill, whose digest it verifies.
fn check(stage: &Stage<'_>) -> Result<(), String> {
    let server = Server::start(stage, Registry::Skillhub)?;
    let (home, project) = (stage.home(Registry::Skillhub), stage.folder.join("installed"));
    fs::create_dir_all(&project).map_err(|e| format!("{}: {e}", project.display()))?;
    let mut install = stage.program("skillhub")?;
    install.env_clear().env("HOME", &project).current_dir(&project).args(["install", FIRST, "--quiet"]);
    install.arg(format!("--local={}", home.display())).arg("--dir").arg(project.join("skills"));
    bounded(&mut install, PATIENCE).1?;
    let file = server.get(&format!("/api/v1/skills/{FIRST}/file?path=SKILL.md"))?;
    let installed = read(&Path::new(&project).join("skills").join(FIRST).join("SKILL.md"))?;
    if file == installed { Ok(()) } else { Err(format!("the single file and the installed one of {FIRST} differ")) }
}

/// The names of all packages.
pub(super) fn names(stage: &Stage<'_>) -> impl Iterator<Item = String> + use<> {
    (0..stage.options.skills).map(|number| format!("skill-{number:05}"))
}
