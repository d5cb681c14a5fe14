//! What the process is given besides its arguments.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use skillhub_protocol::UtcMillis;

use super::{RegistryUrl, Token};
use crate::error::Failure;

/// Environment variables, folders and the time, read once.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    /// `SKILLHUB_REGISTRY`.
    pub(crate) registry: Option<RegistryUrl>,
    /// `SKILLHUB_TOKEN`.
    pub(crate) token: Option<Token>,
    /// Where `config.toml` is: `SKILLHUB_CONFIG_DIR`, else `$XDG_CONFIG_HOME/skillhub`, else `~/.config/skillhub`.
    pub(crate) config_dir: Option<PathBuf>,
    /// Where downloaded packages are kept: `SKILLHUB_CACHE_DIR`, else `$XDG_CACHE_HOME/skillhub`, else `~/.cache/skillhub`.
    pub(crate) cache_dir: Option<PathBuf>,
    /// The home folder, if there is one.
    pub(crate) home: Option<PathBuf>,
    /// The current folder.
    pub(crate) cwd: PathBuf,
    /// When the command began.
    pub(crate) now: UtcMillis,
}

impl Environment {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// If a variable holds a text that is no value of its type, if there is no current folder, or if the clock is beyond the year 9999.
    pub(crate) fn from_process() -> Result<Self, Failure> {
        let home = env::home_dir().filter(|home| home.is_absolute());
        let cwd = env::current_dir().map_err(|e| Failure::usage(format!("cannot tell the current folder: {e}")))?;
        Ok(Self {
            registry: parsed("SKILLHUB_REGISTRY")?,
            token: parsed("SKILLHUB_TOKEN")?,
            config_dir: own_dir("SKILLHUB_CONFIG_DIR", "XDG_CONFIG_HOME", ".config", home.as_deref()),
            cache_dir: own_dir("SKILLHUB_CACHE_DIR", "XDG_CACHE_HOME", ".cache", home.as_deref())
                .map(|dir| cwd.join(dir)),
            home,
            cwd,
            now: now()?,
        })
    }
}

/// The variable, unless it is absent or empty.
fn set(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(name: &str) -> Result<Option<T>, Failure> {
    let parse = |value: OsString| value.to_string_lossy().parse().map_err(|e| Failure::usage(format!("{name} {e}")));
    set(name).map(parse).transpose()
}

/// The folder that `own` names, else ours in the one that `xdg` names, else ours in `fallback` of the home folder.
fn own_dir(own: &str, xdg: &str, fallback: &str, home: Option<&Path>) -> Option<PathBuf> {
    if let Some(dir) = set(own) {
        return Some(dir.into());
    }
    // The XDG specification says that a relative path is to be ignored.
    let xdg = set(xdg).map(PathBuf::from).filter(|dir| dir.is_absolute());
    let base = xdg.or_else(|| home.map(|home| home.join(fallback)))?;
    Some(base.join("skillhub"))
}

fn now() -> Result<UtcMillis, Failure> {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = i64::try_from(since_epoch.as_millis()).ok().and_then(UtcMillis::from_epoch_millis);
    millis.ok_or_else(|| Failure::usage("the clock of this machine is beyond the year 9999"))
}
