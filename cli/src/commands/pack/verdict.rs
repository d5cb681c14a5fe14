//! What is to say of each skill.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use skillhub_package::{PackageFile, sha256};
use skillhub_protocol::{FileEntry, Finding, Manifest, Sha256, Slug, Version};

use crate::error::Failure;
use crate::pack::Source;
use crate::publish::Draft;

/// What is to say of one skill.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Verdict {
    source: String,
    outcome: Outcome,
    #[serde(flatten)]
    package: Option<Package>,
    #[serde(skip_serializing_if = "Option::is_none")]
    same_as: Option<String>,
    #[serde(flatten)]
    listing: Listing,
    /// All findings, also those of the error.
    pub(super) findings: Vec<Finding>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "without_findings")]
    pub(super) error: Option<Failure>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// It can be published, and its package is written.
    Packed,
    /// It can be published; no package was asked for.
    Passed,
    /// Another folder of the batch holds the same skill.
    Duplicate,
    /// It cannot be published, or its package could not be written.
    Failed,
}

/// The package of a skill.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Package {
    slug: Slug,
    version: Version,
    size_bytes: usize,
    sha256: Sha256,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// What a source holds; empty if it could not be read.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listing {
    files: Vec<FileEntry>,
    left_out: Vec<LeftOut>,
}

#[derive(Debug, Serialize)]
struct LeftOut {
    path: String,
    reason: String,
}

impl Package {
    pub(super) fn new(manifest: Manifest, archive: &[u8], file: Option<PathBuf>) -> Self {
        Self {
            slug: manifest.slug,
            version: manifest.version,
            size_bytes: archive.len(),
            sha256: sha256(archive),
            file: file.map(|file| file.display().to_string()),
        }
    }
}

impl Listing {
    pub(super) fn of(source: &Source) -> Self {
        let left_out = source.left_out.iter();
        Self {
            files: source.contents.files().iter().map(PackageFile::entry).collect(),
            left_out: left_out
                .map(|left_out| LeftOut { path: left_out.path.clone(), reason: left_out.reason.to_string() })
                .collect(),
        }
    }
}

impl Verdict {
    fn new(source: &Path, outcome: Outcome, listing: Listing) -> Self {
        let (package, same_as, findings, error) = (None, None, Vec::new(), None);
        Self { source: source.display().to_string(), outcome, package, same_as, listing, findings, error }
    }

    pub(super) fn passed(draft: Draft, package: Package, listing: Listing) -> Self {
        let outcome = if package.file.is_some() { Outcome::Packed } else { Outcome::Passed };
        Self { package: Some(package), findings: draft.warnings, ..Self::new(&draft.source, outcome, listing) }
    }

    pub(super) fn duplicate(source: &Path, other: &Path, listing: Listing) -> Self {
        Self { same_as: Some(other.display().to_string()), ..Self::new(source, Outcome::Duplicate, listing) }
    }

    pub(super) fn failed(source: &Path, failure: Failure, listing: Listing) -> Self {
        let findings = failure.findings().to_vec();
        Self { findings, error: Some(failure), ..Self::new(source, Outcome::Failed, listing) }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.package, &self.same_as) {
            (Some(Package { slug, version, file: Some(file), .. }), _) => {
                write!(f, "packed {slug}@{version} in {file}")
            }
            (Some(Package { slug, version, .. }), _) => write!(f, "passed {slug}@{version}"),
            (None, Some(other)) => write!(f, "same skill {} as {other}", self.source),
            (None, None) => write!(f, "failed {}", self.source),
        }
    }
}

/// How many ended how.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    packed: usize,
    passed: usize,
    duplicate: usize,
    failed: usize,
}

impl Summary {
    pub(super) fn of(verdicts: &[Verdict]) -> Self {
        let count = |outcome| verdicts.iter().filter(|verdict| verdict.outcome == outcome).count();
        Self {
            packed: count(Outcome::Packed),
            passed: count(Outcome::Passed),
            duplicate: count(Outcome::Duplicate),
            failed: count(Outcome::Failed),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { packed, passed, duplicate, failed } = self;
        write!(f, "{packed} packed, {passed} passed, {duplicate} duplicate, {failed} failed")
    }
}

/// The findings stand beside the error.
fn without_findings<S: Serializer>(error: &Option<Failure>, serializer: S) -> Result<S::Ok, S::Error> {
    error.as_ref().map(Failure::without_findings).serialize(serializer)
}
