//! The folders that hold skills.

use std::fs;
use std::path::{Path, PathBuf};

use skillhub_protocol::Manifest;

use crate::args::{Convention, TargetArgs};
use crate::config::Environment;
use crate::error::{Exit, Failure};

/// In the order in which clients look; `.agents` is no folder of the convention, and comes after all others.
const LOOKUP: [Convention; 2] = [Convention::Agent, Convention::Claude];
const ALL: [Convention; 3] = [Convention::Agent, Convention::Claude, Convention::Agents];

impl Convention {
    fn segments(self) -> [&'static str; 2] {
        match self {
            Self::Agent => [".agent", "skills"],
            Self::Claude => [".claude", "skills"],
            Self::Agents => [".agents", "skills"],
        }
    }

    /// The folder, from the project or the home folder.
    pub(crate) fn folder(self) -> String {
        self.segments().join("/")
    }

    /// The clients whose folder this is.
    pub(super) fn of_folder(folder: &str) -> Option<Self> {
        ALL.into_iter().find(|agent| agent.folder() == folder)
    }

    fn below(self, base: &Path) -> PathBuf {
        // Segment by segment, so that the system's own separator stands between them.
        self.segments().iter().fold(base.to_owned(), |path, segment| path.join(segment))
    }
}

/// A folder that holds skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Where it is.
    pub(crate) dir: PathBuf,
    /// Whether it is one of the home folder.
    pub(crate) is_global: bool,
    /// Whose folder of the project it is; what is in it stands in the project's lock file.
    pub(crate) in_project: Option<Convention>,
}

impl Target {
    /// The folder that the options name: `./.agent/skills` if they name none.
    pub(crate) fn choose(args: &TargetArgs, env: &Environment) -> Result<Self, Failure> {
        let agent = args.agent().unwrap_or(Convention::Agent);
        match (&args.dir, args.home) {
            (Some(dir), _) => Ok(Self { dir: env.cwd.join(dir), is_global: false, in_project: None }),
            (None, true) => Self::global(agent, env)
                .ok_or_else(|| Failure::usage("there is no home folder").hint("name a folder with `--dir`")),
            (None, false) => Self::project(agent, env).checked(env),
        }
    }

    /// The folders in which a named skill is looked for: those of the project or, with `--global`, of the home folder; only the
    /// one that the options name, if they name one.
    pub(crate) fn searched(args: &TargetArgs, env: &Environment) -> Result<Vec<Self>, Failure> {
        if args.dir.is_some() {
            return Ok(vec![Self::choose(args, env)?]);
        }
        let agents = ALL.into_iter().filter(|agent| args.agent().is_none_or(|named| named == *agent));
        if args.home {
            return Ok(agents.filter_map(|agent| Self::global(agent, env)).collect());
        }
        agents.map(|agent| Self::project(agent, env).checked(env)).collect()
    }

    /// All folders that clients look at, the first one first.
    pub(crate) fn all(env: &Environment) -> Vec<Self> {
        let both = |agent| [Some(Self::project(agent, env)), Self::global(agent, env)];
        let order = LOOKUP.into_iter().chain([Convention::Agents]).flat_map(both);
        let mut all = Vec::<Self>::new();
        for target in order.flatten() {
            // In the home folder itself, project and home are one.
            if !all.iter().any(|other| other.dir == target.dir) {
                all.push(target);
            }
        }
        all
    }

    /// A folder of the project.
    pub(crate) fn project(agent: Convention, env: &Environment) -> Self {
        Self { dir: agent.below(&env.cwd), is_global: false, in_project: Some(agent) }
    }

    fn global(agent: Convention, env: &Environment) -> Option<Self> {
        let dir = agent.below(env.home.as_ref()?);
        Some(Self { dir, is_global: true, in_project: None })
    }

    /// The same folder of the project, if there is no link on the way to it.
    pub(crate) fn checked(self, env: &Environment) -> Result<Self, Failure> {
        if let Some(agent) = self.in_project {
            refuse_links(&env.cwd, &agent.segments())?;
        }
        Ok(self)
    }

    /// What the block in `AGENTS.md` and lists call it.
    pub(crate) fn location(&self) -> &'static str {
        if self.is_global { "global" } else { "project" }
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
        Ok(target) => failure.hint(format!("if it is meant, name its target: `--dir {}`", target.display())),
        Err(_) => failure.hint("remove the link, or name another folder with `--dir`"),
    }
}
