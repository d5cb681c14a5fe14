//! Versions and tags.

use std::fmt;
use std::str::FromStr;

use crate::error::InvalidValue;
use crate::newtype::{serde_as_text, text_newtype};
use crate::text::is_trimmed_within;

text_newtype! {
    /// The version of a publication as the wire carries it: opaque, 1-64 UTF-16 units, no white space around it. Publishing
    /// demands a [`Release`].
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(
            value_type = String,
            pattern = r"^\S(?:[\s\S]*\S)?$",
            min_length = 1, max_length = 64, example = "1.2.0"
        )
    )]
    Version, check_version, InvalidValue
}

fn check_version(text: &str) -> Result<(), InvalidValue> {
    const DEMAND: InvalidValue = InvalidValue::new("must have 1-64 UTF-16 units and no white space around it");
    if is_trimmed_within(text, 64) { Ok(()) } else { Err(DEMAND) }
}

impl Version {
    /// The version as publishing demands it.
    ///
    /// # Errors
    /// If it is not semver 2.0.0, has build metadata or a leading `v`.
    pub fn to_release(&self) -> Result<Release, InvalidValue> {
        self.as_str().parse()
    }
}

/// A version that may be published: semver 2.0.0 without a leading `v` and without build metadata (two versions must never
/// tie), at most 64 characters. Ordered by semver precedence.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "openapi",
    derive(utoipa::ToSchema),
    schema(
        value_type = String,
        pattern = r"^(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)){2}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$",
        max_length = 64, example = "1.2.0"
    )
)]
pub struct Release(semver::Version);

impl Release {
    /// The semver value.
    pub fn semver(&self) -> &semver::Version {
        &self.0
    }

    /// Whether this is a pre-release such as `1.0.0-rc.1`.
    pub fn is_prerelease(&self) -> bool {
        !self.0.pre.is_empty()
    }

    /// The next patch: `1.2.3` gives `1.2.4`; a pre-release gives its release. `None` when the number cannot grow.
    pub fn next_patch(&self) -> Option<Self> {
        let patch = if self.is_prerelease() { self.0.patch } else { self.0.patch.checked_add(1)? };
        Some(Self(semver::Version::new(self.0.major, self.0.minor, patch)))
    }
}

impl FromStr for Release {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const DEMAND: InvalidValue =
            InvalidValue::new("must be a semver version such as 1.2.0, without \"v\" and without build metadata");
        match semver::Version::parse(text) {
            Ok(version) if version.build.is_empty() && text.len() <= 64 => Ok(Self(version)),
            _ => Err(DEMAND),
        }
    }
}

impl From<&Release> for Version {
    /// A release has 5 to 64 ASCII characters without white space, so it always is a version.
    fn from(release: &Release) -> Self {
        Self(release.to_string())
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

serde_as_text!(Release);

text_newtype! {
    /// A movable name for a version: a lower-case letter, then up to 31 lower-case letters, digits and hyphens. `latest` is
    /// reserved and computed.
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(value_type = String, pattern = r"^[a-z][a-z0-9-]{0,31}$", example = "beta")
    )]
    Tag, check_tag, InvalidValue
}

impl Tag {
    /// The computed tag.
    pub const LATEST: &'static str = "latest";
    /// How many tags a skill may have.
    pub const MAX_PER_SKILL: usize = 10;
}

fn check_tag(text: &str) -> Result<(), InvalidValue> {
    const DEMAND: InvalidValue =
        InvalidValue::new("must be a lowercase letter and up to 31 lowercase letters, digits or hyphens");
    let legal = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-';
    match text.as_bytes() {
        [first, rest @ ..] if first.is_ascii_lowercase() && rest.len() <= 31 && rest.iter().all(legal) => Ok(()),
        _ => Err(DEMAND),
    }
}
