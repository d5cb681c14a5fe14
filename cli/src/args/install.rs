//! Commands for what is installed.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use skillhub_protocol::{Coordinate, Slug};

use super::parse::kebab_slug;
use crate::install::FolderName;

#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// [@namespace/]slug[@version or @tag]; none installs what skillhub.lock names
    #[arg(value_name = "COORDINATE")]
    pub(crate) coordinates: Vec<Coordinate>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Install into a folder of this name instead of the slug
    #[arg(long = "as", value_name = "NAME", value_parser = kebab_slug)]
    pub(crate) alias: Option<Slug>,
    /// Overwrite local changes
    #[arg(long)]
    pub(crate) force: bool,
    /// Fail if skillhub.lock would have to change
    #[arg(long)]
    pub(crate) locked: bool,
}

/// Where skills are installed.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// The folder that holds skills [default: ./.agent/skills]
    #[arg(long, value_name = "D", conflicts_with_all = ["home", "claude", "agent"])]
    pub(crate) dir: Option<PathBuf>,
    /// In the home folder instead of the current one
    #[arg(long = "global", short = 'g')]
    pub(crate) home: bool,
    /// The same as --target claude
    #[arg(long, conflicts_with = "agent")]
    pub(crate) claude: bool,
    /// In .agent/skills, .claude/skills or .agents/skills [default: agent]
    #[arg(long = "target", value_enum, value_name = "CLIENTS", hide_possible_values = true)]
    pub(crate) agent: Option<Convention>,
}

/// The clients that look at a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Convention {
    /// `.agent/skills`
    Agent,
    /// `.claude/skills`
    Claude,
    /// `.agents/skills`
    Agents,
}

impl TargetArgs {
    /// The clients that are named, if any are.
    pub(crate) fn agent(&self) -> Option<Convention> {
        self.agent.or(self.claude.then_some(Convention::Claude))
    }

    /// Whether a folder is named.
    pub(crate) fn is_named(&self) -> bool {
        self.dir.is_some() || self.home || self.agent().is_some()
    }
}

#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// The folders of skills, as `skillhub list` shows them; none means all
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<FolderName>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Overwrite local changes
    #[arg(long)]
    pub(crate) force: bool,
    /// Fail if skillhub.lock would have to change
    #[arg(long)]
    pub(crate) locked: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// The folders of skills, as `skillhub list` shows them
    #[arg(value_name = "NAME", required = true)]
    pub(crate) names: Vec<FolderName>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Remove local changes as well
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// List what the registry has instead
    #[arg(long, conflicts_with = "outdated")]
    pub(crate) remote: bool,
    /// Ask the registry, and list only what it has newer versions of
    #[arg(long)]
    pub(crate) outdated: bool,
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

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// The folders of skills; commas separate names as well
    #[arg(value_name = "NAME", required = true, value_delimiter = ',')]
    pub(crate) names: Vec<FolderName>,
    /// List the files of the skills instead
    #[arg(long, conflicts_with = "file")]
    pub(crate) list_files: bool,
    /// Print this file instead of SKILL.md
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The folders of skills, as `skillhub list` shows them; none means all
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<FolderName>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Ask the registry as well: for the manifest, and whether the version is yanked or blocked
    #[arg(long)]
    pub(crate) remote: bool,
}
