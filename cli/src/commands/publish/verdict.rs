//! What became of each skill, to print.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use skillhub_protocol::{Coordinate, Finding, PublishedVersion};

use crate::error::Failure;
use crate::publish::{Draft, Published};

/// What became of one skill.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Verdict {
    source: String,
    pub(super) outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    coordinate: Option<String>,
    #[serde(flatten)]
    version: Option<PublishedVersion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    same_as: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    pub(super) warnings: Vec<Finding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<Failure>,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Published,
    AlreadyPublished,
    /// It can be published; nothing was uploaded.
    Passed,
    /// Another folder of the batch holds the same skill.
    Duplicate,
    Failed,
}

impl Verdict {
    fn new(source: &Path, outcome: Outcome) -> Self {
        let source = source.display().to_string();
        let (coordinate, version, same_as, error) = (None, None, None, None);
        Self { source, outcome, coordinate, version, same_as, left_out: Vec::new(), warnings: Vec::new(), error }
    }

    pub(super) fn published(draft: &Draft, published: Published) -> Self {
        let Published { coordinate, version, is_new, warnings } = published;
        Self {
            coordinate: Some(coordinate.to_string()),
            version: Some(version),
            left_out: draft.left_out.iter().map(|left_out| left_out.path.clone()).collect(),
            warnings,
            ..Self::new(&draft.source, if is_new { Outcome::Published } else { Outcome::AlreadyPublished })
        }
    }

    pub(super) fn rehearsed(draft: &Draft, coordinate: &Coordinate) -> Self {
        Self {
            coordinate: Some(coordinate.to_string()),
            left_out: draft.left_out.iter().map(|left_out| left_out.path.clone()).collect(),
            warnings: draft.warnings.clone(),
            ..Self::new(&draft.source, Outcome::Passed)
        }
    }

    pub(super) fn duplicate(source: &Path, other: &Path) -> Self {
        Self { same_as: Some(other.display().to_string()), ..Self::new(source, Outcome::Duplicate) }
    }

    pub(super) fn failed(source: &Path, failure: Failure) -> Self {
        Self { error: Some(failure), ..Self::new(source, Outcome::Failed) }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.coordinate.as_ref().unwrap_or(&self.source);
        match (self.outcome, &self.same_as) {
            (Outcome::Published, _) => write!(f, "published {what}"),
            (Outcome::AlreadyPublished, _) => write!(f, "already published {what}"),
            (Outcome::Passed, _) => write!(f, "would publish {what}"),
            (Outcome::Duplicate, other) => write!(f, "same skill {what} as {}", other.as_deref().unwrap_or_default()),
            (Outcome::Failed, _) => write!(f, "failed {what}"),
        }
    }
}

/// How many ended how.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    published: usize,
    already_published: usize,
    #[serde(skip_serializing_if = "is_zero")]
    passed: usize,
    duplicate: usize,
    failed: usize,
}

impl Summary {
    pub(super) fn of(verdicts: &[Verdict]) -> Self {
        let count = |outcome| verdicts.iter().filter(|verdict| verdict.outcome == outcome).count();
        Self {
            published: count(Outcome::Published),
            already_published: count(Outcome::AlreadyPublished),
            passed: count(Outcome::Passed),
            duplicate: count(Outcome::Duplicate),
            failed: count(Outcome::Failed),
        }
    }
}

/// Only a rehearsal has such.
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { published, already_published, passed, duplicate, failed } = self;
        match passed {
            0 => write!(f, "{published} published, {already_published} already published")?,
            _ => write!(f, "{passed} would be published")?,
        }
        write!(f, ", {duplicate} duplicate, {failed} failed")
    }
}
