//! Which registry the command talks to, and with which token.

mod environment;
mod local;
mod registry_url;
mod token;
mod user;

use std::path::PathBuf;

use skillhub_protocol::Namespace;

pub(crate) use environment::Environment;
pub(crate) use local::LocalConfig;
pub(crate) use registry_url::is_loopback;
pub use registry_url::{InvalidRegistryUrl, RegistryUrl};
pub use token::{InvalidToken, Token};
pub(crate) use user::UserConfig;

use crate::args::GlobalArgs;
use crate::error::Failure;

/// A registry with all that is needed to talk to it.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Where it is.
    pub registry: RegistryUrl,
    /// The token for this registry and no other.
    pub token: Option<Token>,
    /// A PEM file with certificates to trust besides the public ones.
    pub ca: Option<PathBuf>,
    /// Where to publish when nothing else is said.
    pub namespace: Option<Namespace>,
}

impl Endpoint {
    /// Decides: `--local` or `--registry`, then the environment, then the user's configuration.
    ///
    /// # Errors
    /// If no registry is named anywhere, or a configuration file is unreadable.
    pub(crate) fn choose(args: &GlobalArgs, env: &Environment) -> Result<Self, Failure> {
        match &args.local {
            Some(dir) => LocalConfig::load(dir.as_deref(), &env.cwd)?.endpoint(args),
            None => Self::remote(args, env),
        }
    }

    fn remote(args: &GlobalArgs, env: &Environment) -> Result<Self, Failure> {
        let user = UserConfig::load(env)?;
        let chosen = args.registry.as_ref().or(env.registry.as_ref()).or(user.default.as_ref());
        let registry = chosen.cloned().ok_or_else(no_registry)?;
        let entry = user.registries.get(&registry).cloned().unwrap_or_default();
        // A token in the environment belongs to the registry in the environment, if that names one.
        let env_token = env.token.as_ref().filter(|_| env.registry.as_ref().is_none_or(|named| *named == registry));
        Ok(Self {
            token: env_token.cloned().or(entry.token),
            ca: args.ca.clone().or(entry.ca),
            namespace: entry.namespace,
            registry,
        })
    }
}

fn no_registry() -> Failure {
    Failure::usage("no registry is named")
        .hint("give --registry URL, set SKILLHUB_REGISTRY, sign in with `skillhub login`, or use --local")
}
