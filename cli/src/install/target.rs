//! The folders that hold skills.

use std::fs;
use std::path::{Path, PathBuf};

use skillhub_protocol::Manifest;

use crate::args::TargetArgs;
use crate::config::Environment;
use crate::error::{Exit, Failure};

const UNIVERSAL: [&str; 2] = [".agent", "skills"];
const CLAUDE: [&str; 2] = [".claude", "skills"];

/// A folder that holds skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Where it is.
    pub(crate) dir: PathBuf,
    /// Whether it is one of the home folder.
    pub(crate) is_global: bool,
}

impl Target {
    /// The folder that the options name: `./.agent/skills` if they name none.
    pub(crate) fn choose(args: &TargetArgs, env: &Environment) -> Result<Self, Failure> {
        if let Some(dir) = &args.dir {
            return Ok(Self { dir: env.cwd.join(dir), is_global: false });
        }
        let segments = if args.claude { CLAUDE } else { UNIVERSAL };
        if args.home {
            let home = env.home.as_ref().ok_or_else(|| Failure::usage("there is no home folder").hint("give --dir"))?;
            return Ok(Self { dir: home.join(segments.join("/")), is_global: true });
        }
        refuse_links(&env.cwd, &segments)?;
        Ok(Self { dir: env.cwd.join(segments.join("/")), is_global: false })
    }

    /// All folders that clients look at, the first one first.
    pub(crate) fn all(env: &Environment) -> Vec<Self> {
        let in_project = |segments: [&str; 2]| Self { dir: env.cwd.join(segments.join("/")), is_global: false };
        let in_home = |segments: [&str; 2]| {
            let dir = env.home.as_ref().map(|home| home.join(segments.join("/")));
            dir.map(|dir| Self { dir, is_global: true })
        };
        let order = [Some(in_project(UNIVERSAL)), in_home(UNIVERSAL), Some(in_project(CLAUDE)), in_home(CLAUDE)];
        let mut all = Vec::<Self>::new();
        for target in order.into_iter().flatten() {
            // In the home folder itself, project and home are one.
            if !all.iter().any(|other| other.dir == target.dir) {
                all.push(target);
            }
        }
        all
    }

    /// The folders in it that hold a `SKILL.md`, in order, links to folders among them as other clients have it.
    pub(crate) fn skill_names(&self) -> Result<Vec<String>, Failure> {
        let Ok(entries) = fs::read_dir(&self.dir) else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|e| Failure::io("read", &self.dir, &e))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with('.') && entry.path().join(Manifest::SKILL_MD).is_file() {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }
}

/// A project may come from anybody, so a link in it must not decide where files are written.
fn refuse_links(base: &Path, segments: &[&str]) -> Result<(), Failure> {
    let mut path = base.to_owned();
    for segment in segments {
        path.push(segment);
        if path.is_symlink() {
            return Err(link(&path));
        }
    }
    Ok(())
}

fn link(path: &Path) -> Failure {
    let failure = Failure::new(Exit::Conflict, "directory_conflict", format!("{} is a link", path.display()));
    match fs::canonicalize(path) {
        Ok(target) => failure.hint(format!("if it is meant, name its target: --dir {}", target.display())),
        Err(_) => failure.hint("remove the link, or name another folder with --dir"),
    }
}
