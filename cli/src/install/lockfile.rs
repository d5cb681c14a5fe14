//! `skillhub.lock`: what a project has installed, to the byte.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use skillhub_protocol::{Coordinate, Selector, Sha256, Slug, Version, is_kebab_case};

use super::interrupt;
use super::lock::{LOCK, open as open_lock};
use crate::args::Convention;
use crate::config::{Environment, RegistryUrl};
use crate::error::{Exit, Failure};

const FILE: &str = "skillhub.lock";
/// The next lock file, before it takes the place of the one that is there.
const NEXT: &str = ".skillhub.lock.new";
const FORMAT: u32 = 1;
const HEAD: &str = "# Written by skillhub: `skillhub install` installs exactly this, `skillhub update` moves it on.\n";

/// The file of a project, as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lockfile {
    skills: BTreeMap<LockedFolder, LockedSkill>,
}

/// A folder of the project with a skill: `.agent/skills/<name>` or the like, and nothing else, since the file may come from
/// anybody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LockedFolder {
    pub(crate) agent: Convention,
    pub(crate) name: Slug,
}

/// What is in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LockedSkill {
    /// What was asked for: updates follow it.
    pub(crate) coordinate: Coordinate,
    /// What that meant.
    pub(crate) version: Version,
    pub(crate) sha256: Sha256,
    pub(crate) registry: RegistryUrl,
}

impl LockedSkill {
    /// Whether both mean the same bytes, in whatever way they were asked for.
    pub(super) fn is_same_package(&self, other: &Self) -> bool {
        let skill = self.coordinate.to_canonical() == other.coordinate.to_canonical();
        skill && (&self.version, self.sha256, &self.registry) == (&other.version, other.sha256, &other.registry)
    }

    /// The exact version, where it can be written so.
    pub(crate) fn exact(&self) -> Coordinate {
        let skill = self.coordinate.to_canonical();
        let release = self.version.to_release();
        release.map_or_else(|_| self.coordinate.clone(), |release| skill.with(Selector::Version(release)))
    }
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    #[serde(default, rename = "skill")]
    skills: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    folder: LockedFolder,
    #[serde(flatten)]
    skill: LockedSkill,
}

impl LockedFolder {
    /// The folder of a skill in a folder of the project, if the name is one that this command gives.
    pub(crate) fn new(agent: Convention, name: &str) -> Option<Self> {
        Some(Self { agent, name: name.parse().ok().filter(|_| is_kebab_case(name))? })
    }
}

impl fmt::Display for LockedFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.agent.folder(), self.name)
    }
}

impl FromStr for LockedFolder {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.rsplit_once('/');
        let folder = parts.and_then(|(folder, name)| Self::new(Convention::of_folder(folder)?, name));
        folder.ok_or("must be .agent/skills/NAME, .claude/skills/NAME or .agents/skills/NAME")
    }
}

impl Ord for LockedFolder {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.to_string().cmp(&other.to_string())
    }
}

impl PartialOrd for LockedFolder {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for LockedFolder {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LockedFolder {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Lockfile {
    /// Reads the file of the project, if there is one.
    ///
    /// # Errors
    /// If it cannot be read, or is of a later release.
    pub(crate) fn load(env: &Environment) -> Result<Option<Self>, Failure> {
        read(&env.cwd.join(FILE))
    }

    /// What stands in it, in order of the folders.
    pub(crate) fn skills(&self) -> impl Iterator<Item = (&LockedFolder, &LockedSkill)> {
        self.skills.iter()
    }

    /// What stands there about a folder.
    pub(crate) fn get(&self, folder: &LockedFolder) -> Option<&LockedSkill> {
        self.skills.get(folder)
    }

    fn text(&self) -> io::Result<String> {
        let rows = self.skills.iter().map(|(folder, skill)| Row { folder: folder.clone(), skill: skill.clone() });
        let document = Document { version: FORMAT, skills: rows.collect() };
        toml::to_string(&document).map(|text| format!("{HEAD}{text}")).map_err(io::Error::other)
    }
}

fn read(path: &Path) -> Result<Option<Lockfile>, Failure> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::io("read", path, &error)),
    };
    let document: Document = toml::from_str(&text).map_err(|e| not_understood(path, &e))?;
    if document.version > FORMAT {
        let message = format!("{} is of version {}, this skillhub knows {FORMAT}", path.display(), document.version);
        return Err(Failure::new(Exit::Failed, "newer_client_needed", message).hint("update skillhub"));
    }
    Ok(Some(Lockfile { skills: document.skills.into_iter().map(|row| (row.folder, row.skill)).collect() }))
}

fn not_understood(path: &Path, error: &toml::de::Error) -> Failure {
    let line =
        error.span().and_then(|span| fs::read_to_string(path).ok()?.get(..span.start).map(|s| s.lines().count()));
    let place = line.map(|line| format!(" (line {})", line.max(1))).unwrap_or_default();
    Failure::usage(format!("cannot understand {}{place}: {}", path.display(), error.message()))
        .hint("correct it, or delete it and install again what the project needs")
}

/// A change of the file that is written down, but not in force.
pub(super) struct Staged {
    file: PathBuf,
    next: PathBuf,
    /// Nobody else changes the file meanwhile.
    _lock: File,
}

/// Writes down what the file of the project shall be: with `skill` in `folder`, or without the folder. `None` if it is that
/// already.
pub(super) fn stage(
    env: &Environment,
    folder: &LockedFolder,
    skill: Option<&LockedSkill>,
) -> Result<Option<Staged>, Failure> {
    let (file, next) = (env.cwd.join(FILE), env.cwd.join(NEXT));
    let failed =
        |e: io::Error| Failure::io("write", &file, &e).hint("nothing was changed; correct that, then try again");
    let lock = lock(&env.cwd).map_err(failed)?;
    let mut lockfile = Lockfile::load(env)?.unwrap_or_default();
    let before = lockfile.get(folder).cloned();
    match skill {
        Some(skill) => lockfile.skills.insert(folder.clone(), skill.clone()),
        None => lockfile.skills.remove(folder),
    };
    if before.as_ref() == skill {
        return Ok(None);
    }
    if file.is_symlink() {
        return Err(failed(io::Error::other("it is a link, which is not followed")));
    }
    lockfile.text().and_then(|text| create(&next, &text)).map_err(failed)?;
    Ok(Some(Staged { file, next, _lock: lock }))
}

/// Puts a change in force that goes with nothing else.
pub(super) fn commit(env: &Environment, staged: &Staged) -> Result<(), Failure> {
    staged.commit().map_err(|e| Failure::io("write", &env.cwd.join(FILE), &e))
}

impl Staged {
    /// Puts it in force, in one step.
    pub(super) fn commit(&self) -> io::Result<()> {
        fs::rename(&self.next, &self.file)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // It is there only if it was not put in force.
        let _ = fs::remove_file(&self.next);
        interrupt::unstage(&self.next);
    }
}

fn create(path: &Path, text: &str) -> io::Result<()> {
    // Left over by a process that was killed.
    let _ = fs::remove_file(path);
    interrupt::stage(|| File::options().write(true).create_new(true).open(path).map(|_| path))?;
    let mut file = File::options().write(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Waits until no other process changes the file, which itself is replaced and so cannot be locked.
fn lock(project: &Path) -> io::Result<File> {
    let lock = if cfg!(unix) { File::open(project) } else { open_lock(&project.join(LOCK)) }?;
    lock.lock()?;
    Ok(lock)
}
