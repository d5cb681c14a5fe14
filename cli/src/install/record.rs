//! What is remembered of an installed skill, in its `.astron` folder.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};
use skillhub_protocol::{Coordinate, Manifest, Namespace, Selector, Sha256, Slug, UtcMillis, Version};

use crate::error::Failure;

/// The folder for what is ours, inside a skill's folder.
pub(super) const FOLDER: &str = ".astron";
pub(super) const RECORD: &str = "metadata.json";
pub(super) const MANIFEST: &str = "manifest.json";

/// `.astron/metadata.json`: where a skill came from. The order of the fields is the order in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    source: String,
    source_type: String,
    pub(crate) registry_url: String,
    pub(crate) namespace: Namespace,
    pub(crate) skill_slug: Slug,
    pub(crate) version: Version,
    installed_at: String,
    pub(crate) sha256: Sha256,
}

impl Record {
    pub(super) fn new(
        registry_url: String,
        namespace: Namespace,
        skill_slug: Slug,
        version: Version,
        sha256: Sha256,
        now: UtcMillis,
    ) -> Self {
        let (source, source_type) = (String::from("skillhub"), String::from("registry"));
        Self { source, source_type, registry_url, namespace, skill_slug, version, installed_at: seconds(now), sha256 }
    }

    /// `@namespace/slug@version`, where the version can be written so.
    pub(crate) fn coordinate(&self) -> String {
        let exact = self.exact().map(|coordinate| coordinate.to_string());
        exact.unwrap_or_else(|| format!("{}/{}", self.namespace, self.skill_slug))
    }

    /// Exactly this version, where it can be written so.
    pub(crate) fn exact(&self) -> Option<Coordinate> {
        let exact = self.version.to_release().map(Selector::Version).ok()?;
        Coordinate::new(self.namespace.clone(), self.skill_slug.clone(), exact).ok()
    }

    /// The skill, without a version.
    pub(crate) fn skill(&self) -> Option<Coordinate> {
        Coordinate::new(self.namespace.clone(), self.skill_slug.clone(), Selector::Latest).ok()
    }

    /// Whether both come from the same skill of the same registry.
    pub(super) fn is_same_skill(&self, other: &Self) -> bool {
        (&self.registry_url, &self.namespace, &self.skill_slug)
            == (&other.registry_url, &other.namespace, &other.skill_slug)
    }
}

/// The time without its milliseconds: `2026-03-11T10:00:00Z`.
fn seconds(time: UtcMillis) -> String {
    let text = time.to_string();
    text.split_once('.').map_or(text.clone(), |(seconds, _)| format!("{seconds}Z"))
}

/// The record of an installed skill; `None` if the folder is not one that this command installed.
pub(crate) fn read_record(skill: &Path) -> Result<Option<Record>, Failure> {
    let path = skill.join(FOLDER).join(RECORD);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(Failure::io("read", &path, &error)),
    };
    serde_json::from_str(&text).map(Some).map_err(|e| Failure::io("understand", &path, &e))
}

/// The manifest of an installed skill, if there is a readable one.
pub(crate) fn read_manifest(skill: &Path) -> Option<Manifest> {
    let text = fs::read_to_string(skill.join(FOLDER).join(MANIFEST)).ok()?;
    Manifest::from_json(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_is_written_as_the_specification_shows_it() {
        let record = Record::new(
            String::from("https://skills.example.com"),
            "@ai-platform-team".parse().unwrap(),
            "code-review".parse().unwrap(),
            "1.2.0".parse().unwrap(),
            Sha256::from_bytes([0xab; 32]),
            "2026-03-11T10:00:00.999Z".parse().unwrap(),
        );
        let expected = format!(
            r#"{{
  "source": "skillhub",
  "sourceType": "registry",
  "registryUrl": "https://skills.example.com",
  "namespace": "@ai-platform-team",
  "skillSlug": "code-review",
  "version": "1.2.0",
  "installedAt": "2026-03-11T10:00:00Z",
  "sha256": "{}"
}}"#,
            "ab".repeat(32)
        );
        assert_eq!(serde_json::to_string_pretty(&record).unwrap(), expected);
        assert_eq!(record.coordinate(), "@ai-platform-team/code-review@1.2.0");
    }
}
