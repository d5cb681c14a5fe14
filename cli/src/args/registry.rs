//! Commands about the registry and this program.

use clap::Args;
use clap_complete::Shell;
use skillhub_protocol::{CanonicalSlug, Coordinate, Namespace};

use super::parse::skill;
use crate::config::Token;

#[derive(Debug, Args)]
pub(crate) struct LoginArgs {
    /// The token; "-" reads it from standard input [env: SKILLHUB_TOKEN]
    #[arg(long, value_name = "TOKEN")]
    pub(crate) token: Option<Token>,
    /// Where to publish when --namespace is not given
    #[arg(long, value_name = "@NS")]
    pub(crate) namespace: Option<Namespace>,
}

#[derive(Debug, Args)]
pub(crate) struct LogoutArgs {
    /// Forget the tokens of all registries
    #[arg(long, conflicts_with = "registry")]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// A slug, or how it begins
    pub(crate) query: String,
    /// How many skills to show at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=50))]
    pub(crate) limit: u8,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// [@namespace/]slug[@version or @tag]
    pub(crate) coordinate: Coordinate,
}

#[derive(Debug, Args)]
pub(crate) struct VersionsArgs {
    /// [@namespace/]slug
    #[arg(value_parser = skill)]
    pub(crate) skill: CanonicalSlug,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}
