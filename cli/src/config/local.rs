//! The file that a registry on this machine leaves for its clients.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use skillhub_protocol::Namespace;

use super::{Endpoint, RegistryUrl, Token};
use crate::args::GlobalArgs;
use crate::error::Failure;

const FOLDER: &str = ".skillhub";
const FILE: &str = "local.json";

/// `local.json`. A relative `ca` is relative to the folder of the file.
#[derive(Debug, Deserialize)]
pub(crate) struct LocalConfig {
    registry: RegistryUrl,
    token: Option<Token>,
    ca: Option<PathBuf>,
    namespace: Option<Namespace>,
}

impl LocalConfig {
    /// Reads the file in `dir`, or in the nearest `.skillhub` at or above `cwd`.
    ///
    /// # Errors
    /// If it is missing (no local registry was started) or unreadable.
    pub(crate) fn load(dir: Option<&Path>, cwd: &Path) -> Result<Self, Failure> {
        let dir = dir.map_or_else(|| nearest(cwd), |dir| cwd.join(dir));
        let path = dir.join(FILE);
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => not_started(&path),
            _ => Failure::io("read", &path, &error),
        })?;
        let mut config: Self = serde_json::from_str(&text).map_err(|e| Failure::io("understand", &path, &e))?;
        config.ca = config.ca.map(|ca| dir.join(ca));
        Ok(config)
    }

    pub(crate) fn endpoint(self, args: &GlobalArgs) -> Result<Endpoint, Failure> {
        let Self { registry, token, ca, namespace } = self;
        Ok(Endpoint { registry, token, ca: args.ca.clone().or(ca), namespace })
    }
}

fn nearest(cwd: &Path) -> PathBuf {
    let mut folders = cwd.ancestors().map(|dir| dir.join(FOLDER));
    folders.find(|dir| dir.is_dir()).unwrap_or_else(|| cwd.join(FOLDER))
}

fn not_started(path: &Path) -> Failure {
    Failure::usage("no local registry has been started here")
        .detail(format!("{} does not exist", path.display()))
        .hint("start it with `cargo run` in the skillhub checkout, then try again; `--local=DIR` names another folder")
}
