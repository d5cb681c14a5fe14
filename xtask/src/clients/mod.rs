//! `cargo xtask clients`: other people's clients of the same folders find, read and sync what `skillhub` installs, and the other
//! way round.

mod agents;
mod openskills;
mod project;
mod skills_ref;

use std::fs;
use std::path::PathBuf;

use self::project::Project;
use crate::corpus::{ARC, Batch, Server, publish_all};
use crate::process::{build_programs, target};

/// How many skills are installed into each folder.
const PER_FOLDER: usize = 3;

/// A folder that clients look at, and how to install into it.
struct Folder {
    path: &'static str,
    location: &'static str,
    flags: &'static [&'static str],
}

const FOLDERS: [Folder; 4] = [
    Folder { path: "project/.agent/skills", location: "project", flags: &[] },
    Folder { path: "home/.agent/skills", location: "global", flags: &["--global"] },
    Folder { path: "project/.claude/skills", location: "project", flags: &["--claude"] },
    Folder { path: "home/.claude/skills", location: "global", flags: &["--global", "--claude"] },
];

/// Runs all of it with skills of a public pack, published to a registry on this machine.
///
/// # Errors
/// The first thing that is not as it should be, or a client that cannot be installed.
pub(crate) fn run() -> Result<(), String> {
    build_programs()?;
    ARC.fetch()?;
    let home = fresh_folder()?;
    let server = Server::start(&home.join("data"))?;
    let batch = publish_all(&server, &ARC.skills())?;
    let slugs = slugs(&batch)?;
    println!("published {} skills of {}", slugs.len(), ARC.name);
    let project = Project::new(&home.join("folders"), &server)?;
    openskills::finds_what_we_install(&project, &slugs)?;
    openskills::installs_what_we_find(&Project::new(&home.join("foreign"), &server)?, &slugs)?;
    openskills::syncs_with_us(&project)?;
    skills_ref::accepts_what_we_install(&Project::new(&home.join("all"), &server)?, &slugs)?;
    server.stop()
}

/// The slugs of a pack, all of which are kebab-case and published.
fn slugs(batch: &Batch) -> Result<Vec<String>, String> {
    let slug = |coordinate: &str| Some(coordinate.strip_prefix("@global/")?.split_once('@')?.0.to_owned());
    let slugs = batch.skills.iter().map(|verdict| verdict.coordinate.as_deref().and_then(slug));
    slugs.collect::<Option<Vec<_>>>().ok_or_else(|| format!("some skills of {} were not published", ARC.name))
}

fn fresh_folder() -> Result<PathBuf, String> {
    let folder = target().join("clients/run");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}
