//! Commands for what happens after a publication, and for those who may do it.

use clap::{Args, Subcommand};
use skillhub_protocol::{CanonicalSlug, Namespace, NamespaceKind, Reason, Role, Tag, TokenId, TokenName, TokenScope};

use super::parse::{ExactVersion, exact_version, free_tag, handle, skill};

#[derive(Debug, Subcommand)]
pub(crate) enum TagCommand {
    /// List the tags of a skill
    List {
        /// [@namespace/]slug
        #[arg(value_parser = skill)]
        skill: CanonicalSlug,
    },
    /// Point a tag at a version
    Set {
        /// [@namespace/]slug@version
        #[arg(value_name = "VERSION", value_parser = exact_version)]
        target: ExactVersion,
        /// The tag
        #[arg(value_parser = free_tag)]
        tag: Tag,
    },
    /// Remove a tag
    Remove {
        /// [@namespace/]slug
        #[arg(value_parser = skill)]
        skill: CanonicalSlug,
        /// The tag
        #[arg(value_parser = free_tag)]
        tag: Tag,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ChangeStateArgs {
    /// [@namespace/]slug@version
    #[arg(value_name = "VERSION", value_parser = exact_version)]
    pub(crate) target: ExactVersion,
    /// Why, for everybody who sees the version
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Reason,
}

#[derive(Debug, Subcommand)]
pub(crate) enum NamespaceCommand {
    /// List the namespaces that you are a member of
    List,
    /// Create a namespace
    Create {
        /// The namespace
        #[arg(value_name = "@NS")]
        namespace: Namespace,
        /// organization, or personal
        #[arg(long, default_value = "organization")]
        kind: NamespaceKind,
    },
    /// Show a namespace and its members
    Show {
        /// The namespace
        #[arg(value_name = "@NS")]
        namespace: Namespace,
    },
    /// Make somebody a member, or change a member's role
    Add {
        /// The namespace
        #[arg(value_name = "@NS")]
        namespace: Namespace,
        /// The handle of the person
        #[arg(value_parser = handle)]
        handle: Namespace,
        /// reader, publisher or owner
        #[arg(long, default_value = "reader")]
        role: Role,
    },
    /// Remove a member
    Remove {
        /// The namespace
        #[arg(value_name = "@NS")]
        namespace: Namespace,
        /// The handle of the person
        #[arg(value_parser = handle)]
        handle: Namespace,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum MaintainerCommand {
    /// List the maintainers of a skill
    List {
        /// [@namespace/]slug
        #[arg(value_parser = skill)]
        skill: CanonicalSlug,
    },
    /// Make a publisher of the namespace a maintainer
    Add {
        /// [@namespace/]slug
        #[arg(value_parser = skill)]
        skill: CanonicalSlug,
        /// The handle of the person
        #[arg(value_parser = handle)]
        handle: Namespace,
    },
    /// Remove a maintainer
    Remove {
        /// [@namespace/]slug
        #[arg(value_parser = skill)]
        skill: CanonicalSlug,
        /// The handle of the person
        #[arg(value_parser = handle)]
        handle: Namespace,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// List your tokens
    List,
    /// Create a token, which is shown once
    Create {
        /// What to call it
        name: TokenName,
        /// What it may be used for: read, publish or manage; may be repeated
        #[arg(long = "scope", value_name = "SCOPE", required = true, value_delimiter = ',')]
        scopes: Vec<TokenScope>,
        /// After how many days it stops working; without it, never
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=3650))]
        expires: Option<u16>,
    },
    /// Revoke a token
    Revoke {
        /// Its id, as `skillhub token list` shows it
        id: TokenId,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// The namespace
    #[arg(value_name = "@NS")]
    pub(crate) namespace: Namespace,
    /// How many entries to show at most, the newest first
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,
}
