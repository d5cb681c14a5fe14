//! The skills that an index names.

use serde::Serialize;
use skillhub_protocol::{
    Manifest, Namespace, Sha256, SkillId, SkillName, SkillSummary, Slug, Summary, Version, VersionId, is_kebab_case,
};
use skillhub_store::{Filter, Viewer};
use skillhub_web::{ApiError, Registry};

use super::MAX_SKILLS;
use crate::files::{Readable, may_be_served};

/// What an index says of a skill, but for its files.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    pub(super) ids: (SkillId, VersionId),
    slug: Slug,
    name: SkillName,
    description: Summary,
    version: Version,
    sha256: Sha256,
}

impl From<SkillSummary> for Listed {
    fn from(summary: SkillSummary) -> Self {
        Self {
            ids: (summary.id, summary.current_version.id),
            slug: summary.slug,
            name: summary.name,
            description: summary.description,
            version: summary.current_version.version,
            sha256: summary.current_version.sha256,
        }
    }
}

impl From<&Readable> for Listed {
    fn from(readable: &Readable) -> Self {
        let manifest = readable.files.manifest();
        Self {
            ids: (readable.skill_id.clone(), readable.version_id.clone()),
            slug: manifest.slug.clone(),
            name: manifest.name.clone(),
            description: manifest.description.clone(),
            version: manifest.version.clone(),
            sha256: readable.version.artifact_sha256,
        }
    }
}

impl Listed {
    /// The skills of a namespace that the caller sees, the first [`MAX_SKILLS`] in the order of the list.
    pub(super) async fn of_namespace(
        registry: &Registry,
        viewer: &Viewer,
        namespace: &Namespace,
    ) -> Result<Vec<Self>, ApiError> {
        let filter = Filter { namespace: Some(namespace.clone()), ..Filter::default() };
        let partitions = registry.table.list_partitions(viewer, registry.settings.anonymous_read, &filter).await?;
        let page = registry.table.list(&partitions, None, MAX_SKILLS).await?;
        Ok(page.parse()?.into_iter().map(Self::from).collect())
    }

    /// Whether clients can install it under its slug.
    pub(super) fn goes_by_slug(&self) -> bool {
        self.name.as_str() == self.slug.as_str() && is_kebab_case(self.slug.as_str())
    }
}

/// An entry of v0.2.0. Its URL is relative to the index, so that it holds behind every prefix.
#[derive(Debug, Serialize)]
pub(super) struct ArchiveEntry {
    name: Slug,
    #[serde(rename = "type")]
    kind: &'static str,
    description: Summary,
    url: String,
    digest: String,
}

impl From<Listed> for ArchiveEntry {
    fn from(listed: Listed) -> Self {
        Self {
            kind: "archive",
            url: format!("{}@{}.zip", listed.slug, listed.version),
            digest: format!("sha256:{}", listed.sha256),
            name: listed.slug,
            description: listed.description,
        }
    }
}

/// An entry of v0.1.0. OpenCode takes files that it has for good unless `version` changes.
#[derive(Debug, Serialize)]
pub(super) struct FilesEntry {
    name: Slug,
    description: Summary,
    version: Version,
    files: Vec<String>,
}

impl FilesEntry {
    /// The entry, if the protocol can spell it.
    pub(super) fn new(listed: Listed, manifest: &Manifest) -> Option<Self> {
        let served = manifest.files().iter().all(|file| is_spelled(file.path.as_str()) && may_be_served(file));
        let files = manifest.files().iter().map(|file| file.path.to_string()).collect();
        let Listed { slug: name, description, version, .. } = listed;
        served.then_some(Self { name, description, version, files })
    }
}

/// Whether clients ask for the path that is meant, when they append it to a URL.
fn is_spelled(path: &str) -> bool {
    !path.starts_with(' ') && !path.contains(['#', '%']) && !path.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_spelled_if_appending_it_to_a_url_names_it() {
        let spelled = ["SKILL.md", "a b.md", "ü/日本.md", "a&b=c+d;e,f!.md", "a.b.md", "[x](y)'z~$@.md"];
        let cut = ["a#b.md", "100%.md", "%41.md", "a..b.md", " a.md"];
        for (path, expected) in spelled.map(|path| (path, true)).into_iter().chain(cut.map(|path| (path, false))) {
            assert_eq!(is_spelled(path), expected, "{path}");
        }
    }
}
