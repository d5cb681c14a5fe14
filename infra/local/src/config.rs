//! The command line.

use std::path::{Path, PathBuf};

use clap::Parser;
use clap::builder::FalseyValueParser;
use skillhub_store::{Issuer, Settings, SettingsError};
use tracing_subscriber::filter::{LevelFilter, Targets};

/// Runs skillhub on this machine: the API, an object store and DynamoDB in one process on 127.0.0.1.
#[derive(Clone, Debug, Parser)]
#[command(name = "skillhub-local", version)]
pub struct Config {
    /// Directory for all data; created at first start.
    #[arg(long, value_name = "DIR", env = "SKILLHUB_LOCAL_DATA", default_value = "./.skillhub")]
    pub data: PathBuf,

    /// Port of the API (HTTP); 0 for any free one.
    #[arg(long, value_name = "PORT", env = "SKILLHUB_LOCAL_PORT", default_value_t = 8787)]
    pub port: u16,

    /// Port of the object store (HTTPS); 0 for any free one.
    #[arg(long, value_name = "PORT", env = "SKILLHUB_LOCAL_OBJECT_PORT", default_value_t = 8788)]
    pub object_port: u16,

    /// Port of DynamoDB (HTTP); 0 for any free one.
    #[arg(long, value_name = "PORT", env = "SKILLHUB_LOCAL_DYNAMODB_PORT", default_value_t = 0)]
    pub dynamodb_port: u16,

    /// Directory of skills to publish at first start [default: examples/skills, if there is one].
    #[arg(long, value_name = "DIR", env = "SKILLHUB_LOCAL_EXAMPLES")]
    examples: Option<PathBuf>,

    /// OIDC issuer whose JWTs are accepted besides API tokens: HTTPS, or HTTP on a loopback host.
    #[arg(long, value_name = "URL", env = "SKILLHUB_OIDC_ISSUER")]
    oidc_issuer: Option<String>,

    /// What the JWTs' audience must contain; needed with an issuer.
    #[arg(long, value_name = "NAME", env = "SKILLHUB_OIDC_AUDIENCE")]
    oidc_audience: Option<String>,

    /// What to log: error, warn, info, debug or trace.
    #[arg(long, value_name = "LEVEL", env = "SKILLHUB_LOCAL_LOG", default_value = "info")]
    log: LevelFilter,

    /// Log errors only, and don't say what is listening where.
    #[arg(long, short, env = "SKILLHUB_LOCAL_QUIET", value_parser = FalseyValueParser::new())]
    pub quiet: bool,
}

impl Config {
    /// Where the example skills are, if there are any.
    pub fn examples(&self) -> Option<PathBuf> {
        let default = Path::new("examples/skills");
        self.examples.clone().or_else(|| default.is_dir().then(|| default.to_owned()))
    }

    /// The issuer whose JWTs are accepted, if there is one.
    ///
    /// # Errors
    /// If only a half of it is given, or the URL is none.
    pub fn issuer(&self) -> Result<Option<Issuer>, SettingsError> {
        Settings::issuer(self.oidc_issuer.clone(), self.oidc_audience.clone())
    }

    /// The filter for `tracing`.
    pub(crate) fn log_filter(&self) -> Targets {
        let level = if self.quiet { LevelFilter::ERROR } else { self.log };
        skillhub_web::log_filter(level)
    }
}
