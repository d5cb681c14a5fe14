//! Publishing: a source becomes a draft on this machine, and the draft a version in the registry.

mod batch;
mod choice;
mod draft;
mod upload;

use std::path::Path;

use skillhub_protocol::{Namespace, Release, Scope, Slug, Tag};

pub(crate) use batch::{Planned, plan};
pub(crate) use choice::choose_version;
pub(crate) use draft::{Draft, DraftOptions};
pub use upload::Published;
pub(crate) use upload::{publish, rehearse};

use crate::client::Client;
use crate::error::Failure;
use crate::output::Progress;

/// What the publisher says of a skill, besides what is in it.
#[derive(Debug, Clone)]
pub(crate) struct PublishOptions {
    /// Where to publish.
    pub(crate) namespace: Namespace,
    /// The slug, where the name in `SKILL.md` or the folder's name is not the one.
    pub(crate) slug: Option<Slug>,
    /// The version, where the one in `SKILL.md` or the next patch is not the one.
    pub(crate) version: Option<Release>,
    /// Who shall see the skill; `None` leaves that to the registry.
    pub(crate) scope: Option<Scope>,
    /// Tags to point at the version.
    pub(crate) tags: Vec<Tag>,
}

impl PublishOptions {
    /// What of it matters before the registry is asked. Only the registry knows the kind of the namespace, on which the default
    /// scope depends: the stricter one is taken.
    pub(crate) fn draft(&self) -> DraftOptions<'_> {
        let default = if self.namespace.is_global() { Scope::Public } else { Scope::Organization };
        DraftOptions { slug: self.slug.as_ref(), version: self.version.as_ref(), scope: self.scope.unwrap_or(default) }
    }
}

/// Publishes the skill in a folder the way `skillhub publish DIR --namespace @ns` does, without printing anything.
///
/// A version that is there already with the same content is a success ([`Published::is_new`] tells).
///
/// # Errors
/// If the folder is not publishable, the registry refuses it, or cannot be reached.
pub fn publish_folder(client: &Client, dir: &Path, namespace: &Namespace) -> Result<Published, Failure> {
    let namespace = namespace.clone();
    let options = PublishOptions { namespace, slug: None, version: None, scope: None, tags: Vec::new() };
    let draft = Draft::prepare(dir, &options.draft())?;
    publish(client, &draft, &options, &Progress::hidden())
}
