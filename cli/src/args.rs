//! The command line.

mod install;
mod manage;
mod parse;
mod publish;
mod registry;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::config::RegistryUrl;

pub(crate) use install::{
    Convention, InstallArgs, ListArgs, LocationStyle, ReadArgs, RemoveArgs, SyncArgs, TargetArgs, UpdateArgs,
    VerifyArgs,
};
pub(crate) use manage::{AuditArgs, ChangeStateArgs, MaintainerCommand, NamespaceCommand, TagCommand, TokenCommand};
pub(crate) use publish::{PackArgs, PublishArgs, StatusArgs};
pub(crate) use registry::{CompletionsArgs, InfoArgs, LoginArgs, LogoutArgs, SearchArgs, VersionsArgs};

/// Packs, publishes, installs and lists agent skills.
#[derive(Debug, Parser)]
#[command(name = "skillhub", bin_name = "skillhub", version, about, after_help = EXIT_CODES)]
#[command(propagate_version = false, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 failed, 2 usage, 3 authentication, 4 network, 5 conflict, 6 refused";

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// The registry to talk to [env: SKILLHUB_REGISTRY]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) registry: Option<RegistryUrl>,
    /// Use the registry on this machine that keeps its data in DIR [default: the nearest .skillhub]
    #[arg(long, global = true, value_name = "DIR", num_args = 0..=1, require_equals = true, conflicts_with = "registry")]
    pub(crate) local: Option<Option<PathBuf>>,
    /// Trust the certificates in this PEM file as well
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print results, warnings and errors only
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Install skills, or exactly what skillhub.lock names
    Install(InstallArgs),
    /// Bring installed skills to their current versions
    Update(UpdateArgs),
    /// Remove installed skills
    Remove(RemoveArgs),
    /// List installed skills, or those of the registry
    List(ListArgs),
    /// Tell agents of the installed skills in AGENTS.md
    Sync(SyncArgs),
    /// Print installed skills for an agent
    Read(ReadArgs),
    /// Compare installed skills with what was published
    Verify(VerifyArgs),

    /// Find skills in the registry by their slugs
    Search(SearchArgs),
    /// Show a skill of the registry
    Info(InfoArgs),
    /// List the versions of a skill
    Versions(VersionsArgs),

    /// Check skills and write their packages, without a registry
    Pack(PackArgs),
    /// Check, pack and publish skills
    Publish(PublishArgs),
    /// Show what became of uploads
    Status(StatusArgs),

    /// Name versions by movable tags
    #[command(subcommand)]
    Tag(TagCommand),
    /// Take a version out of lists and tags; who names it exactly still gets it
    Yank(ChangeStateArgs),
    /// Undo a yank
    Unyank(ChangeStateArgs),
    /// Stop handing out the bytes of a version, for good
    Block(ChangeStateArgs),
    /// Create namespaces and manage their members
    #[command(subcommand)]
    Namespace(NamespaceCommand),
    /// Say who may publish versions of a skill
    #[command(subcommand)]
    Maintainer(MaintainerCommand),
    /// Create and revoke API tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Show who changed what in a namespace
    Audit(AuditArgs),

    /// Check a token and remember it
    Login(LoginArgs),
    /// Forget a token
    Logout(LogoutArgs),
    /// Show who the token belongs to
    Whoami,
    /// Look for what keeps skillhub from working here
    Doctor,
    /// Print a script that completes commands in a shell
    Completions(CompletionsArgs),
}
