//! A home and a project of one scenario, in which a client runs.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::outside::Outside;
use super::stage::Stage;
use crate::process::wait;

/// How long one command may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// Fresh folders, and the registry that the clients in them know.
pub(super) struct Sandbox<'a> {
    root: PathBuf,
    stage: &'a Stage,
    outside: &'a Outside,
}

/// What came of a command.
pub(super) struct Outcome {
    /// Nothing if a signal ended it.
    pub(super) code: Option<i32>,
    /// Standard output and standard error, without colours.
    pub(super) text: String,
}

impl<'a> Sandbox<'a> {
    /// # Errors
    /// If the folders cannot be made.
    pub(super) fn new(root: PathBuf, stage: &'a Stage, outside: &'a Outside) -> Result<Self, String> {
        let sandbox = Self { root, stage, outside };
        for folder in [sandbox.home(), sandbox.project()] {
            fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        // The skills to publish are there for every project, and not copied.
        let link = sandbox.project().join("src");
        std::os::unix::fs::symlink(stage.sources(), &link).map_err(|e| format!("{}: {e}", link.display()))?;
        Ok(sandbox)
    }

    pub(super) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Where the registry is.
    pub(super) fn registry(&self) -> &str {
        self.stage.registry()
    }

    /// What every program is told: its folders, and the way to the registry alone.
    pub(super) fn environment(&self) -> BTreeMap<&'static str, String> {
        let home = self.home();
        let within = |folder: &str| home.join(folder).display().to_string();
        let mut variables = BTreeMap::from([
            ("HOME", home.display().to_string()),
            ("LANG", "en_US.UTF-8".to_owned()),
            // Most of what a command costs is its start, and most of that is to compile what was compiled before.
            ("NODE_COMPILE_CACHE", super::folder().join("compiled").display().to_string()),
            ("NODE_EXTRA_CA_CERTS", self.stage.ca().display().to_string()),
            ("NO_COLOR", "1".to_owned()),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("XDG_CACHE_HOME", within(".cache")),
            ("XDG_CONFIG_HOME", within(".config")),
            ("XDG_DATA_HOME", within(".local/share")),
            ("XDG_STATE_HOME", within(".local/state")),
        ]);
        variables.extend(self.outside.environment());
        variables
    }

    /// Runs a command in the project, to its end.
    ///
    /// # Errors
    /// If it cannot start, or does not end in time.
    pub(super) fn run(&self, command: &mut Command) -> Result<Outcome, String> {
        let path = self.root.join("output");
        let output = File::create(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let errors = output.try_clone().map_err(|e| e.to_string())?;
        command.current_dir(self.project()).stdin(Stdio::null()).stdout(output).stderr(errors);
        let mut child = command.spawn().map_err(|e| format!("{}: {e}", command.get_program().display()))?;
        let ended = wait(&mut child, Instant::now() + PATIENCE);
        if ended.is_err() {
            // It runs no longer than this, whatever it does.
            let _ = child.kill().and_then(|()| child.wait());
        }
        let text = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let text = plain(&String::from_utf8_lossy(&text));
        let code = ended.map_err(|e| format!("it {e}; until then it said:\n{text}"))?.code();
        Ok(Outcome { code, text })
    }

    /// A file of the project, or of the home if the path begins with `~/`.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(path) => self.home().join(path),
            None => self.project().join(path),
        }
    }

    /// Whether a file below its folders holds this text.
    ///
    /// # Errors
    /// If one cannot be read.
    pub(super) fn find(&self, text: &str) -> Result<Option<PathBuf>, String> {
        let mut found = files(&self.home(), |_| true)?;
        found.extend(files(&self.project(), |path| path != Path::new("src"))?);
        let holds = |(_, bytes): &(_, Vec<u8>)| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        Ok(found.into_iter().find(holds).map(|(path, _)| path))
    }
}

/// Every file below a folder and what is in it; `enters` is asked for what lies in the folder itself.
///
/// # Errors
/// If something cannot be read.
pub(super) fn files(root: &Path, enters: impl Fn(&Path) -> bool) -> Result<BTreeMap<PathBuf, Vec<u8>>, String> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        let at = root.join(&folder);
        let failed = |e: std::io::Error| format!("{}: {e}", at.display());
        for entry in fs::read_dir(&at).map_err(failed)? {
            let path = folder.join(entry.map_err(failed)?.file_name());
            let whole = root.join(&path);
            match fs::metadata(&whole) {
                _ if folder == Path::new("") && !enters(&path) => {}
                Ok(metadata) if metadata.is_dir() => folders.push(path),
                Ok(metadata) if metadata.is_file() => {
                    found.insert(path, fs::read(&whole).map_err(|e| format!("{}: {e}", whole.display()))?);
                }
                // Sockets, and links to nothing.
                _ => {}
            }
        }
    }
    Ok(found)
}

/// A text without the sequences that colour it and move the cursor.
pub(super) fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(
            part.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ';' | '?'))
                .get(1..)
                .unwrap_or_default(),
        );
    }
    plain
}
