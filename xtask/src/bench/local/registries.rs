//! The registries: how each is started, and where it has what.

use std::fs;
use std::process::Command;

use super::Stage;
use crate::tools;

/// A registry of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registry {
    Skillhub,
    Verdaccio,
    Pypiserver,
    Selfhost,
}

impl Registry {
    /// As rows and plans call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Skillhub => "skillhub",
            Self::Verdaccio => "verdaccio",
            Self::Pypiserver => "pypiserver",
            Self::Selfhost => "skillhub-selfhost",
        }
    }

    /// The server, on a port of the loopback interface, in the folder of its data.
    ///
    /// # Errors
    /// If it cannot be installed.
    pub(super) fn command(self, stage: &Stage<'_>, port: u16) -> Result<Command, String> {
        let (home, port) = (stage.home(self), port.to_string());
        let mut command = match self {
            Self::Skillhub => {
                let mut command = stage.program("skillhub-local")?;
                command.args(["--log", "warn", "--port", &port, "--object-port", "0", "--data"]).arg(&home);
                command
            }
            Self::Verdaccio => {
                let mut command = tools::VERDACCIO.command()?;
                command.args(["--config", "config.yaml", "--listen"]).arg(format!("127.0.0.1:{port}"));
                command.env("NODE_ENV", "production");
                command
            }
            Self::Pypiserver => {
                let mut command = Command::new(tools::PYPISERVER.programs()?.join("pypi-server"));
                command.args(["run", "-i", "127.0.0.1", "-p", &port, "-a", ".", "-P", ".", "--disable-fallback"]);
                command.arg("packages");
                command
            }
            Self::Selfhost => {
                let mut command = Command::new(tools::SKILLHUB_SELFHOST.programs()?.join("skillhub-selfhost"));
                command.args(["server-start", "--host", "127.0.0.1", "--port", &port]);
                command
            }
        };
        fs::create_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
        command.current_dir(home);
        Ok(command)
    }

    /// Where a package is told of by its name: what a start is over with.
    pub(super) fn by_name(self, package: &str) -> String {
        match self {
            Self::Skillhub => format!("/api/resolve?coordinate={package}"),
            Self::Verdaccio => format!("/{package}"),
            Self::Pypiserver => format!("/simple/{package}/"),
            Self::Selfhost => format!("/api/skills/{package}"),
        }
    }
}
