//! Commands for publishers.

use std::path::PathBuf;

use clap::Args;
use skillhub_protocol::{Namespace, Release, Scope, Slug, Tag, UploadId};

use super::parse::{free_tag, kebab_slug};

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
    /// Check and choose the version, and upload nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The upload, as `publish` names it; none lists those of yours that are not finished
    #[arg(value_name = "UPLOAD")]
    pub(crate) upload: Option<UploadId>,
}
