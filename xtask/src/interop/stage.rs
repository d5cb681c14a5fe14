//! A registry with people and skills in it, where the clients find what they look for.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::issuer::Issuer;
use super::scenario::Who;
use crate::corpus::Server;
use crate::process::{line, target};

/// How long the registry may take until it knows the issuer's keys.
const PATIENCE: Duration = Duration::from_secs(30);

/// Folders below `v1` or `v2`, and how each is published.
const PUBLISHED: [(&str, &str); 9] = [
    ("v1/notes", "--namespace @global --version 1.0.0 --tag stable"),
    ("v2/notes", "--namespace @global --version 1.1.0"),
    ("v1/nasty", "--namespace @global --version 1.0.0"),
    ("v1/signs", "--namespace @global --version 1.0.0"),
    ("v1/picture", "--namespace @global --version 1.0.0"),
    ("v1/weekly-notes", "--namespace @global --version 1.0.0 --slug weekly-notes"),
    ("v1/tools", "--namespace @team-reef --version 1.0.0 --scope public"),
    ("v1/plans", "--namespace @team-reef --version 1.0.0 --scope organization"),
    ("v1/secrets", "--namespace @team-deep --version 1.0.0 --scope organization"),
];

/// A running registry.
pub(super) struct Stage {
    server: Server,
    sources: PathBuf,
    stranger: String,
}

/// What `skillhub token create --json` prints, as far as it matters.
#[derive(Deserialize)]
struct Created {
    token: String,
}

impl Stage {
    /// Starts a registry below a folder, and publishes to it.
    ///
    /// # Errors
    /// If any of that fails.
    pub(super) fn set(folder: &Path, sources: &Path, issuer: &Issuer) -> Result<Self, String> {
        let server = Server::start_with(&folder.join("data"), &issuer.arguments())?;
        let mut stage = Self { server, sources: sources.to_owned(), stranger: String::new() };
        for namespace in ["@team-reef", "@team-deep"] {
            stage.run(&["namespace", "create", namespace], "", folder)?;
        }
        for (source, options) in PUBLISHED {
            let path = sources.join(source);
            stage.run(&["publish", &path.display().to_string()], options, folder)?;
        }
        stage.stranger = stage.admit_stranger(&issuer.token("stranger"), folder)?;
        Ok(stage)
    }

    /// Where the skills are that can be published.
    pub(super) fn sources(&self) -> &Path {
        &self.sources
    }

    /// Where its API is.
    pub(super) fn registry(&self) -> &str {
        self.server.registry()
    }

    /// The certificate of the authority that its object store is known by.
    pub(super) fn ca(&self) -> PathBuf {
        self.server.data().join("ca.pem")
    }

    /// What it writes of each request.
    pub(super) fn log(&self) -> PathBuf {
        self.server.data().with_extension("log")
    }

    /// The token of somebody, if they have one.
    pub(super) fn token(&self, who: Who) -> Option<&str> {
        match who {
            Who::Nobody => None,
            Who::Owner => Some(self.server.token()),
            Who::Stranger => Some(&self.stranger),
        }
    }

    /// Our command, for the owner in a folder.
    pub(super) fn command(&self, folder: &Path) -> Command {
        let mut command = skillhub(folder);
        command.arg(format!("--local={}", self.server.data().display()));
        command
    }

    /// Ends the registry.
    ///
    /// # Errors
    /// If it does not end cleanly.
    pub(super) fn strike(self) -> Result<(), String> {
        self.server.stop()
    }

    fn run(&self, first: &[&str], words: &str, folder: &Path) -> Result<String, String> {
        let mut command = self.command(folder);
        said(command.args(first).args(words.split_whitespace()).arg("--quiet"))
    }

    /// Makes a person known whom the issuer vouches for: with a namespace, by which they have a name, and a token.
    fn admit_stranger(&self, jwt: &str, folder: &Path) -> Result<String, String> {
        self.await_keys(jwt)?;
        let run = |words: &str| {
            let mut command = skillhub(folder);
            command.args(words.split_whitespace()).env("SKILLHUB_REGISTRY", self.registry());
            said(command.env("SKILLHUB_TOKEN", jwt))
        };
        run("namespace create @stranger --kind personal --quiet")?;
        let text = run("token create stranger --scope read --scope publish --scope manage --json")?;
        let created: Created = serde_json::from_str(&text).map_err(|e| format!("skillhub token create: {e}"))?;
        Ok(created.token)
    }

    /// Waits until the registry has fetched the issuer's keys, which it does right after its start.
    fn await_keys(&self, jwt: &str) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        let url = format!("{}/api/whoami", self.registry());
        loop {
            match ureq::get(&url).header("authorization", format!("Bearer {jwt}")).call() {
                Ok(_) => return Ok(()),
                Err(e) if Instant::now() > deadline => return Err(format!("GET /api/whoami: {e}")),
                // Nothing tells when they are there.
                Err(_) => thread::sleep(Duration::from_millis(50)),
            }
        }
    }
}

/// What a command says, which must succeed. Its warnings are of no interest then.
fn said(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|e| format!("{}: {e}", line(command)))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{}: {}\n{}", line(command), output.status, String::from_utf8_lossy(&output.stderr)))
}

/// Our command, with nobody's configuration.
fn skillhub(folder: &Path) -> Command {
    let mut command = Command::new(target().join("debug/skillhub"));
    command.env_clear().env("HOME", folder).current_dir(folder);
    command
}
