//! A project and a home folder, in which the clients run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::corpus::Server;
use crate::process::{capture, target};
use crate::tools;

/// Fresh folders, and the registry to install from.
pub(super) struct Project {
    root: PathBuf,
    local: PathBuf,
}

impl Project {
    /// # Errors
    /// If the folders cannot be made.
    pub(super) fn new(root: &Path, server: &Server) -> Result<Self, String> {
        for folder in ["project", "home"] {
            let folder = root.join(folder);
            fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        Ok(Self { root: root.to_owned(), local: server.data().to_owned() })
    }

    /// A file or folder of it; the path begins with `project` or `home`.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Runs `skillhub`, which must succeed, and gives its output.
    ///
    /// # Errors
    /// If it fails.
    pub(super) fn skillhub(&self, args: &[&str]) -> Result<String, String> {
        let mut command = Command::new(target().join("debug/skillhub"));
        command.args(args).arg(format!("--local={}", self.local.display())).arg("--quiet");
        capture(command.env_clear().env("HOME", self.path("home")).current_dir(self.path("project")))
    }

    /// Runs OpenSkills, which must succeed, and gives its output.
    ///
    /// # Errors
    /// If it fails or cannot be installed.
    pub(super) fn openskills(&self, args: &[&str]) -> Result<String, String> {
        let mut command = tools::OPENSKILLS.command()?;
        command.args(args).env("HOME", self.path("home")).env("NO_COLOR", "1").current_dir(self.path("project"));
        capture(&mut command)
    }

    /// The text of a file of the project.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn read(&self, name: &str) -> Result<String, String> {
        let path = self.path("project").join(name);
        fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Writes a file of the project.
    ///
    /// # Errors
    /// If that fails.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.path("project").join(name);
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    }
}
