//! Where a registry is deployed: an emulator on this machine, or somebody's account.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::emulator::Emulator;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// One of the two.
pub(super) enum Cloud {
    /// MiniStack.
    Emulator(Emulator),
    /// The account whose credentials the environment has. What a run makes is kept in this folder.
    Account(PathBuf),
}

impl Cloud {
    /// Tells a program of AWS's own tools where AWS is, if not where it looks by itself.
    pub(super) fn tell(&self, tool: &mut Command) {
        if let Self::Emulator(emulator) = self {
            emulator.tell(tool);
        }
    }

    /// A folder for what a run makes.
    pub(super) fn folder(&self) -> &Path {
        match self {
            Self::Emulator(emulator) => emulator.folder(),
            Self::Account(folder) => folder,
        }
    }

    /// The certificate that clients must trust; none for AWS, whom everybody trusts.
    pub(super) fn certificate(&self) -> Option<PathBuf> {
        match self {
            Self::Emulator(emulator) => Some(emulator.certificate()),
            Self::Account(_) => None,
        }
    }

    /// Where the API is that a stack names. The host that the emulator names cannot be looked up; it has another form of it.
    pub(super) fn registry(&self, api_url: &str) -> String {
        match self {
            Self::Emulator(emulator) => {
                let api = api_url.trim_start_matches("https://").split('.').next().unwrap_or_default();
                format!("{}/_aws/execute-api/{api}/$default", emulator.url())
            }
            Self::Account(_) => api_url.to_owned(),
        }
    }

    /// An HTTP client for which no status is an error.
    ///
    /// # Errors
    /// If the certificate cannot be read.
    pub(super) fn agent(&self) -> Result<Agent, String> {
        match self.certificate() {
            Some(path) => trusting(&path),
            None => {
                Ok(Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE)).build().into())
            }
        }
    }
}

/// A client that trusts this certificate and no other.
///
/// # Errors
/// If it cannot be read.
pub(super) fn trusting(path: &Path) -> Result<Agent, String> {
    let pem = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let certificate = Certificate::from_pem(&pem).map_err(|e| format!("{}: {e}", path.display()))?;
    let tls = TlsConfig::builder().root_certs(RootCerts::new_with_certs(&[certificate])).build();
    let config = Agent::config_builder().http_status_as_error(false).proxy(None).tls_config(tls);
    Ok(config.timeout_global(Some(PATIENCE)).build().into())
}
