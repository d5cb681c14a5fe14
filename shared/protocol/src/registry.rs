//! Answers of this registry that the contract does not have.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Sha256;
use crate::error::Error;
use crate::id::{SkillId, VersionId};
use crate::namespace::Namespace;
use crate::read::{At, Fields, json};
use crate::slug::Slug;
use crate::version::Version;

/// Answer of `GET /api/resolve`: what a coordinate means now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    pub size_bytes: u64,
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

/// What kind of owner a namespace is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NamespaceKind {
    /// `@global`.
    Global,
    /// A team or company.
    Organization,
    /// One person.
    Personal,
}

/// What a member may do in a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Sees the organization's skills.
    Reader,
    /// Creates skills, and publishes versions of those that it maintains.
    Publisher,
    /// Everything.
    Owner,
}

impl Role {
    /// Whether this role may create skills.
    pub fn may_publish(self) -> bool {
        self >= Self::Publisher
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Reader => "reader",
            Self::Publisher => "publisher",
            Self::Owner => "owner",
        })
    }
}

/// One namespace of a caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// The namespace.
    pub namespace: Namespace,
    /// What kind of owner it is.
    pub kind: NamespaceKind,
    /// The caller's role in it.
    pub role: Role,
}

/// Answer of `GET /api/whoami`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhoAmI {
    /// The caller's handle.
    pub handle: String,
    /// The caller's namespaces, in order of their handles.
    pub namespaces: Vec<Membership>,
}

impl WhoAmI {
    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value: Value = json("response", text)?;
        serde_json::from_value(value)
            .map_err(|e| Error::new("response", crate::Kind::Value, format!("must be a caller's identity ({e})")))
    }
}
