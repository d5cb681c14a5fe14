//! The user's configuration file.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skillhub_protocol::Namespace;

use super::{Environment, RegistryUrl, Token};
use crate::error::Failure;

/// `config.toml`: a default registry, and what is known of each. What this release does not know is kept.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct UserConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) default: Option<RegistryUrl>,
    #[serde(default)]
    pub(crate) registries: BTreeMap<RegistryUrl, RegistryEntry>,
    #[serde(flatten)]
    unknown: toml::Table,
}

/// One registry of a [`UserConfig`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct RegistryEntry {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<Token>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ca: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<Namespace>,
    #[serde(flatten)]
    unknown: toml::Table,
}

impl UserConfig {
    /// Where the file is or would be.
    pub(crate) fn path(env: &Environment) -> Option<PathBuf> {
        env.config_dir.as_ref().map(|dir| env.cwd.join(dir).join("config.toml"))
    }

    /// Reads the file; a missing one is an empty one.
    pub(crate) fn load(env: &Environment) -> Result<Self, Failure> {
        let Some(path) = Self::path(env) else { return Ok(Self::default()) };
        match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).map_err(|e| not_understood(&path, &e)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Failure::io("read", &path, &error)),
        }
    }

    /// Writes the file in one step, readable by its owner only, and answers where it is.
    pub(crate) fn save(&self, env: &Environment) -> Result<PathBuf, Failure> {
        let path = Self::path(env).ok_or_else(|| {
            Failure::usage("there is no home folder to keep the token in").hint("set SKILLHUB_CONFIG_DIR")
        })?;
        let text = toml::to_string(self).map_err(|e| Failure::io("write", &path, &e))?;
        // Where the file is a link, its target is what has to change.
        let target = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        replace(&target, &text).map_err(|e| Failure::io("write", &path, &e))?;
        Ok(path)
    }
}

/// The parser's own message shows the line, which may be the one with the token.
fn not_understood(path: &Path, error: &toml::de::Error) -> Failure {
    Failure::usage(format!("cannot understand {}: {}", path.display(), error.message()))
        .hint("correct the file, or delete it and sign in again with `skillhub login`")
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    create_private_dir(dir)?;
    // Temporary files are made with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn create_private_dir(dir: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(dir)
}
