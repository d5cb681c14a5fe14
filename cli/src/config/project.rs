//! What a project says of itself: `skillhub.toml` in the current folder.

use std::fs;
use std::io::ErrorKind;

use serde::Deserialize;
use skillhub_protocol::Namespace;

use super::{Environment, RegistryUrl};
use crate::error::Failure;

const FILE: &str = "skillhub.toml";

/// `skillhub.toml`. A project may come from anybody, so it names neither a token nor certificates to trust.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectConfig {
    /// The registry of the project.
    pub(crate) registry: Option<RegistryUrl>,
    /// Where to publish when nothing else is said.
    pub(crate) namespace: Option<Namespace>,
}

impl ProjectConfig {
    /// Reads the file; a missing one is an empty one.
    pub(crate) fn load(env: &Environment) -> Result<Self, Failure> {
        let path = env.cwd.join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).map_err(|e| {
                let (path, fault) = (path.display(), e.message());
                Failure::usage(format!("cannot understand {path}: {fault}"))
                    .hint("it may hold `registry = \"https://…\"` and `namespace = \"@…\"`, nothing else")
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Failure::io("read", &path, &error)),
        }
    }
}
