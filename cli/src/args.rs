//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use skillhub_protocol::{Coordinate, Namespace, Release, Scope, Slug, Tag, is_kebab_case};

use crate::config::{RegistryUrl, Token};

/// Packs, publishes, installs and lists agent skills.
#[derive(Debug, Parser)]
#[command(name = "skillhub", version, about, after_help = EXIT_CODES, propagate_version = false)]
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
    /// Check a token and remember it
    Login(LoginArgs),
    /// Check skills and write their packages, without a registry
    Pack(PackArgs),
    /// Check, pack and publish skills
    Publish(PublishArgs),
    /// Install skills
    Install(InstallArgs),
    /// List installed skills, or those of the registry
    List(ListArgs),
    /// Tell agents of the installed skills in AGENTS.md
    Sync(SyncArgs),
}

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
pub(crate) struct PackArgs {
    /// A folder with a SKILL.md, or a ZIP of one
    #[arg(value_name = "DIR|ZIP")]
    pub(crate) source: PathBuf,
    /// Check every skill below DIR; nothing is written without -o
    #[arg(long, conflicts_with_all = ["slug"])]
    pub(crate) all: bool,
    /// The package to write [default: ./<slug>-<version>.zip]; with --all, the folder for the packages
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite what is there
    #[arg(long)]
    pub(crate) force: bool,
    /// The slug [default: the name in SKILL.md, else the folder's name]
    #[arg(long, value_parser = kebab_slug)]
    pub(crate) slug: Option<Slug>,
    /// The version [default: the one in SKILL.md, else 0.1.0]
    #[arg(long, value_name = "SEMVER")]
    pub(crate) version: Option<Release>,
    /// Who will see the skill: public, organization or personal
    #[arg(long, default_value = "public")]
    pub(crate) scope: Scope,
}

#[derive(Debug, Args)]
pub(crate) struct PublishArgs {
    /// A folder with a SKILL.md, or a ZIP of one
    #[arg(value_name = "DIR|ZIP")]
    pub(crate) source: PathBuf,
    /// Publish every skill below DIR
    #[arg(long, conflicts_with_all = ["slug"])]
    pub(crate) all: bool,
    /// The namespace to publish to
    #[arg(long, value_name = "@NS")]
    pub(crate) namespace: Option<Namespace>,
    /// The slug [default: the name in SKILL.md, else the folder's name]
    #[arg(long, value_parser = kebab_slug)]
    pub(crate) slug: Option<Slug>,
    /// The version [default: the one in SKILL.md, else the next patch]
    #[arg(long, value_name = "SEMVER")]
    pub(crate) version: Option<Release>,
    /// Who sees the skill: public, organization or personal
    #[arg(long)]
    pub(crate) scope: Option<Scope>,
    /// Point this tag at the version; may be repeated
    #[arg(long = "tag", value_name = "TAG", value_parser = free_tag)]
    pub(crate) tags: Vec<Tag>,
}

#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// [@namespace/]slug[@version or @tag]
    #[arg(value_name = "COORDINATE", required = true)]
    pub(crate) coordinates: Vec<Coordinate>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Install into a folder of this name instead of the slug
    #[arg(long = "as", value_name = "NAME", value_parser = kebab_slug)]
    pub(crate) alias: Option<Slug>,
    /// Overwrite local changes
    #[arg(long)]
    pub(crate) force: bool,
}

/// Where skills are installed.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// The folder that holds skills [default: ./.agent/skills]
    #[arg(long, value_name = "D", conflicts_with_all = ["home", "claude"])]
    pub(crate) dir: Option<PathBuf>,
    /// In the home folder instead of the current one
    #[arg(long = "global")]
    pub(crate) home: bool,
    /// In .claude/skills instead of .agent/skills
    #[arg(long)]
    pub(crate) claude: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// List what the registry has instead
    #[arg(long)]
    pub(crate) remote: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SyncArgs {
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "AGENTS.md")]
    pub(crate) file: PathBuf,
    /// What to say of where a skill is
    #[arg(long, value_enum, default_value_t)]
    pub(crate) location: LocationStyle,
    /// Write nothing; fail if there is something to write
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LocationStyle {
    /// The word "project" or "global"
    #[default]
    Project,
    /// The absolute path of SKILL.md
    Path,
}

fn kebab_slug(text: &str) -> Result<Slug, String> {
    let slug: Slug = text.parse().map_err(|fault| format!("{fault}"))?;
    if is_kebab_case(text) { Ok(slug) } else { Err(String::from("must not hold \"--\"")) }
}

fn free_tag(text: &str) -> Result<Tag, String> {
    match text.parse() {
        Ok(_) if text == Tag::LATEST => Err(String::from("must not be \"latest\", which the registry computes")),
        Ok(tag) => Ok(tag),
        Err(fault) => Err(format!("{fault}")),
    }
}
