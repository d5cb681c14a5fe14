//! The versions of a skill, and what they may be had for.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::API_SCHEMA_VERSION;
use crate::error::Error;
use crate::manage::Reason;
use crate::market::{Schema, VersionSummary};
use crate::read::{At, Fields, json};
use crate::version::Version;

/// Whether a version may be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum VersionState {
    /// Listed, resolved, downloadable.
    Available,
    /// Left lists, tags and `latest`; who names the exact version still gets it.
    Yanked,
    /// The bytes are no longer handed out; digest and reason stay.
    Blocked,
}

impl VersionState {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Yanked => "yanked",
            Self::Blocked => "blocked",
        }
    }
}

impl std::fmt::Display for VersionState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for VersionState {
    type Err = crate::InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const DEMAND: crate::InvalidValue =
            crate::InvalidValue::new("must be \"available\", \"yanked\" or \"blocked\"");
        [Self::Available, Self::Yanked, Self::Blocked].into_iter().find(|s| s.as_str() == text).ok_or(DEMAND)
    }
}

/// One version in the list of a skill's versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VersionEntry {
    /// What every answer says of a version.
    #[serde(flatten)]
    pub summary: VersionSummary,
    /// Whether it may be had.
    pub state: VersionState,
    /// Why it was yanked or blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub reason: Option<Reason>,
}

/// Answer of `GET /api/skills/{skillId}/versions`: highest semver first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct VersionListResponse {
    #[cfg_attr(feature = "openapi", schema(inline))]
    schema_version: Schema,
    /// One page.
    pub versions: Vec<VersionEntry>,
    /// The version after which the next page begins; `None` on the last page.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub next_cursor: Option<Version>,
}

impl VersionListResponse {
    /// A page.
    pub fn new(versions: Vec<VersionEntry>, next_cursor: Option<Version>) -> Self {
        Self { schema_version: Schema, versions, next_cursor }
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response` or, for an item of the list, with `versions[i]`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value = json("response", text)?;
        let root = At::Root("response");
        let fields = Fields::new(&root, &value)?;
        fields.schema_version(API_SCHEMA_VERSION)?;
        let items = At::Root("versions");
        let versions = fields.array("versions")?.iter().enumerate();
        let versions = versions.map(|(i, value)| VersionEntry::read(&At::Item(&items, i), value));
        Ok(Self::new(versions.collect::<Result<_, _>>()?, fields.parse_optional("nextCursor")?))
    }
}

impl VersionEntry {
    fn read(at: &At<'_>, value: &Value) -> Result<Self, Error> {
        let fields = Fields::new(at, value)?;
        Ok(Self {
            summary: VersionSummary::read(at, value)?,
            state: fields.parse("state")?,
            reason: fields.parse_optional("reason")?,
        })
    }
}
