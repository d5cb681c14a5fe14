//! The clients: how each is started, and how it is kept to folders and a registry of its own.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use super::sandbox::Sandbox;
use crate::tools::{self, Tool};

/// A kind of client; its versions share commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Family {
    /// The client of ClawHub
    Clawhub,
    /// Vercel's `skills`
    Skills,
    /// OpenCode
    Opencode,
    /// FastMCP
    Mcp,
}

/// One version of a client, installed.
pub(super) struct Client {
    pub(super) family: Family,
    pub(super) version: &'static str,
    /// The program, and what comes before the arguments.
    command: Vec<PathBuf>,
}

impl Family {
    /// The word that its commands begin with.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Clawhub => "clawhub",
            Self::Skills => "skills",
            Self::Opencode => "opencode",
            Self::Mcp => "mcp_client.py",
        }
    }

    /// All versions, newest first, each of them installed.
    ///
    /// # Errors
    /// If one cannot be installed.
    pub(super) fn clients(self) -> Result<Vec<Client>, String> {
        let tools: &[&Tool] = match self {
            Self::Clawhub => &[&tools::CLAWHUB_NOW, &tools::CLAWHUB, &tools::CLAWHUB_OLD],
            Self::Skills => &[&tools::VERCEL_SKILLS_NOW, &tools::VERCEL_SKILLS],
            Self::Opencode => &[&tools::OPENCODE],
            Self::Mcp => return Ok(vec![self.python()?]),
        };
        let client = |tool: &&Tool| Ok(Client { family: self, version: tool.version(), command: tool.words()? });
        tools.iter().map(client).collect()
    }

    /// The script that calls the library of Python.
    fn python(self) -> Result<Client, String> {
        let python = tools::FASTMCP.programs()?.join("python");
        let script = super::folder().join("mcp_client.py");
        fs::write(&script, include_str!("mcp_client.py")).map_err(|e| format!("{}: {e}", script.display()))?;
        let version = tools::FASTMCP.version("fastmcp").ok_or("fastmcp is not pinned")?;
        Ok(Client { family: self, version, command: vec![python, script] })
    }

    /// What it is told by the environment: where its files and the registry are, and to keep to itself.
    fn environment(self, sandbox: &Sandbox) -> Vec<(&'static str, OsString)> {
        let (home, project) = (sandbox.home(), sandbox.project());
        match self {
            Self::Clawhub => vec![
                ("CLAWHUB_REGISTRY", sandbox.registry().into()),
                ("CLAWHUB_CONFIG_PATH", clawhub_config(&home).into()),
                ("CLAWHUB_WORKDIR", project.into()),
                ("CLAWHUB_DISABLE_TELEMETRY", "1".into()),
            ],
            Self::Skills => vec![("DISABLE_TELEMETRY", "1".into()), ("DO_NOT_TRACK", "1".into())],
            Self::Opencode => vec![
                ("OPENCODE_DISABLE_AUTOUPDATE", "1".into()),
                ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1".into()),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1".into()),
                // It installs a package of its own for plugins at each start.
                ("npm_config_offline", "true".into()),
            ],
            Self::Mcp => vec![("FASTMCP_CHECK_FOR_UPDATES", "off".into())],
        }
    }

    /// Leaves a token where the client keeps one, as its `login` does; clients without one are given it with a command.
    pub(super) fn sign_in(self, sandbox: &Sandbox, token: &str) -> Result<(), String> {
        if self != Self::Clawhub {
            return Ok(());
        }
        let path = clawhub_config(&sandbox.home());
        let config = serde_json::json!({ "registry": sandbox.registry(), "token": token });
        fs::write(&path, config.to_string()).map_err(|e| format!("{}: {e}", path.display()))
    }
}

fn clawhub_config(home: &Path) -> PathBuf {
    home.join("clawhub.json")
}

impl Client {
    /// Its name and version.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.family.word(), self.version)
    }

    /// The program, with the environment of a sandbox and no other.
    pub(super) fn command(&self, sandbox: &Sandbox) -> Command {
        let mut words = self.command.iter();
        let mut command = Command::new(words.next().map(PathBuf::as_path).unwrap_or(Path::new("false")));
        command.args(words).env_clear().envs(sandbox.environment()).envs(self.family.environment(sandbox));
        command
    }
}
