//! Answers of this registry that the contract does not have.

use serde::Serialize;

use crate::digest::Sha256;
use crate::error::Error;
use crate::id::{SkillId, VersionId};
use crate::namespace::Namespace;
use crate::read::{At, Fields, json};
use crate::slug::Slug;
use crate::version::Version;

/// Answer of `GET /api/resolve`: what a coordinate means now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResolveResponse {
    /// The namespace.
    pub namespace: Namespace,
    /// The slug.
    pub slug: Slug,
    /// The skill.
    pub skill_id: SkillId,
    /// The version.
    pub version_id: VersionId,
    /// The version's number.
    pub version: Version,
    /// The digest of the artifact.
    pub sha256: Sha256,
    /// The artifact's size in bytes, at least 1.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 9007199254740991_u64))]
    pub size_bytes: u64,
}

/// Answer of `GET /api/namespaces/{namespace}/skills/{slug}`: which skill has a name, whatever became of its versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NamedSkillResponse {
    /// The namespace.
    pub namespace: Namespace,
    /// The slug.
    pub slug: Slug,
    /// The skill.
    pub skill_id: SkillId,
}

impl NamedSkillResponse {
    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value = json("response", text)?;
        let root = At::Root("response");
        let fields = Fields::new(&root, &value)?;
        Ok(Self {
            namespace: fields.parse("namespace")?,
            slug: fields.parse("slug")?,
            skill_id: fields.parse("skillId")?,
        })
    }
}

impl ResolveResponse {
    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value = json("response", text)?;
        let root = At::Root("response");
        let fields = Fields::new(&root, &value)?;
        Ok(Self {
            namespace: fields.parse("namespace")?,
            slug: fields.parse("slug")?,
            skill_id: fields.parse("skillId")?,
            version_id: fields.parse("versionId")?,
            version: fields.parse("version")?,
            sha256: fields.parse("sha256")?,
            size_bytes: fields.integer("sizeBytes", 1)?,
        })
    }
}
