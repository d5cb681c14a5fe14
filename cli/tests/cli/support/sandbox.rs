//! A home folder and a current folder of its own, and the command run in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A fresh home and a fresh project below it.
pub(crate) struct Sandbox {
    root: TempDir,
    env: Vec<(String, String)>,
}

/// What a run came to.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Demands this exit code.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Demands all of these in standard error.
    #[track_caller]
    pub(crate) fn says(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.stderr.contains(text), "no {text:?} in:\n{}", self.stderr);
        }
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let root = TempDir::new().unwrap();
        for dir in ["home", "project"] {
            fs::create_dir(root.path().join(dir)).unwrap();
        }
        Self { root, env: Vec::new() }
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.env.retain(|(key, _)| key != name);
        self.env.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, data: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, data).unwrap();
        path
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillhub"));
        command.args(args).current_dir(self.project()).env_clear().env("HOME", self.home());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let Output { status, stdout, stderr } = self.command(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: status.code().unwrap_or(-1), stdout: text(stdout), stderr: text(stderr) }
    }
}

/// Everything below a folder: files with their bytes, links with their targets.
pub(crate) fn tree(dir: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    collect(dir, "", &mut found);
    found
}

fn collect(dir: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.insert(format!("{path}/"), String::new());
            collect(&entry.path(), &format!("{path}/"), found);
        } else if kind.is_symlink() {
            found.insert(path, format!("-> {}", fs::read_link(entry.path()).unwrap().display()));
        } else {
            found.insert(path, String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned());
        }
    }
}
