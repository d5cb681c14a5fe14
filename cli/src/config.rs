//! Which registry the command talks to, and with which token.

mod environment;
mod local;
mod project;
mod registry_url;
mod token;
mod user;

use std::path::PathBuf;

use skillhub_protocol::Namespace;

pub(crate) use environment::Environment;
pub(crate) use local::LocalConfig;
pub(crate) use project::ProjectConfig;
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
    /// Decides: `--local` or `--registry`, then the environment, then the project's file, then the user's configuration.
    ///
    /// # Errors
    /// If no registry is named anywhere, or a configuration file is unreadable.
    pub(crate) fn choose(args: &GlobalArgs, env: &Environment) -> Result<Self, Failure> {
        if let Some(dir) = &args.local {
            return LocalConfig::load(dir.as_deref(), &env.cwd)?.endpoint(args);
        }
        let (user, project) = (UserConfig::load(env)?, ProjectConfig::load(env)?);
        let by_user = args.registry.as_ref().or(env.registry.as_ref());
        let registry =
            by_user.or(project.registry.as_ref()).or(user.default.as_ref()).cloned().ok_or_else(no_registry)?;
        let is_chosen = by_user.is_some() || user.default.as_ref() == Some(&registry);
        let endpoint = Self::known(args, env, &user, registry, is_chosen);
        Ok(Self { namespace: project.namespace.or(endpoint.namespace.clone()), ..endpoint })
    }

    /// The endpoint of a registry that a file of the project names.
    ///
    /// # Errors
    /// If a configuration file is unreadable.
    pub(crate) fn of(registry: &RegistryUrl, args: &GlobalArgs, env: &Environment) -> Result<Self, Failure> {
        if let Ok(chosen) = Self::choose(args, env)
            && chosen.registry == *registry
        {
            return Ok(chosen);
        }
        Ok(Self::known(args, env, &UserConfig::load(env)?, registry.clone(), false))
    }

    /// A token in the environment belongs to the registry in the environment. If that names none, it belongs to the one that the
    /// user has chosen: a project may come from anybody, so the registry that only it names must not get the token.
    fn known(args: &GlobalArgs, env: &Environment, user: &UserConfig, registry: RegistryUrl, is_chosen: bool) -> Self {
        let entry = user.registries.get(&registry).cloned().unwrap_or_default();
        let is_meant = env.registry.as_ref().map_or(is_chosen, |named| *named == registry);
        Self {
            token: env.token.as_ref().filter(|_| is_meant).cloned().or(entry.token),
            ca: args.ca.clone().or(entry.ca),
            namespace: entry.namespace,
            registry,
        }
    }
}

fn no_registry() -> Failure {
    Failure::usage("no registry is named")
        .hint("give `--registry URL`, set SKILLHUB_REGISTRY, sign in with `skillhub login`, or use `--local`")
}
