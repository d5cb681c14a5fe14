//! Upload sessions: one attempt to publish one version.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::API_SCHEMA_VERSION;
use crate::digest::Sha256;
use crate::error::{Error, Kind};
use crate::finding::Finding;
use crate::id::{SkillId, UploadId, VersionId};
use crate::manifest::Manifest;
use crate::market::Schema;
use crate::namespace::{Namespace, Scope};
use crate::read::{At, Fields, json, request};
use crate::secret_url::HttpsUrl;
use crate::slug::Slug;
use crate::time::UtcMillis;
use crate::version::{Tag, Version};

/// Body of `POST /api/uploads`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OpenUpload {
    /// The namespace to publish to. There is no default.
    pub namespace: Namespace,
    /// Who shall see the skill; `None` leaves an existing skill as it is and gives a new one the namespace's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Tags to point at the version, at most 10 ([`Tag::MAX_PER_SKILL`]), without `latest`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<Tag>>, max_items = 10))]
    pub tags: Vec<Tag>,
    /// The archive that will be uploaded.
    pub package: PackageDeclaration,
    /// What the archive holds.
    pub manifest: Manifest,
}

/// Size and digest of an archive, as its publisher declares them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PackageDeclaration {
    /// Size in bytes, at least 1.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 9007199254740991_u64))]
    pub size_bytes: u64,
    /// Digest of the whole archive.
    pub sha256: Sha256,
}

impl OpenUpload {
    /// Reads a request.
    ///
    /// # Errors
    /// The first fault, with a path such as `namespace`, `package.sizeBytes` or `manifest.files[3].path`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        request(text, |fields| {
            Ok(Self {
                namespace: fields.parse("namespace")?,
                scope: fields.parse_optional("scope")?,
                tags: read_tags(fields)?,
                package: PackageDeclaration::read(&fields.at("package"), fields.required("package")?)?,
                manifest: Manifest::from_value(fields.get("manifest").unwrap_or(&Value::Null))?,
            })
        })
    }
}

fn read_tags(fields: &Fields<'_>) -> Result<Vec<Tag>, Error> {
    if fields.optional("tags").is_none() {
        return Ok(Vec::new());
    }
    let at = fields.at("tags");
    let mut tags = Vec::<Tag>::new();
    let values = fields.array("tags")?;
    if values.len() > Tag::MAX_PER_SKILL {
        return Err(at.error(Kind::Value, "must have at most 10 tags"));
    }
    for (i, value) in values.iter().enumerate() {
        let at = At::Item(&at, i);
        let text = value.as_str().ok_or_else(|| at.error(Kind::Type, "must be a string"))?;
        let tag: Tag = text.parse().map_err(|e| at.error(Kind::Value, String::from(e)))?;
        if tag.as_str() == Tag::LATEST {
            return Err(at.error(Kind::Value, "must not be \"latest\", which the registry computes"));
        }
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Ok(tags)
}

impl PackageDeclaration {
    fn read(at: &At<'_>, value: &Value) -> Result<Self, Error> {
        let fields = Fields::new(at, value)?;
        Ok(Self { size_bytes: fields.integer("sizeBytes", 1)?, sha256: fields.parse("sha256")? })
    }
}

/// Where an upload session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum UploadState {
    /// Waiting for the bytes.
    Open,
    /// The validator has it.
    Validating,
    /// Published. Final.
    Published,
    /// Refused, with findings. Final.
    Rejected,
    /// Given up by its opener. Final.
    Canceled,
    /// No bytes came in time. Final.
    Expired,
    /// The registry could not validate it. Final; opening a new session is the way out.
    Failed,
}

impl UploadState {
    /// Whether nothing will change any more.
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::Open | Self::Validating)
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Validating => "VALIDATING",
            Self::Published => "PUBLISHED",
            Self::Rejected => "REJECTED",
            Self::Canceled => "CANCELED",
            Self::Expired => "EXPIRED",
            Self::Failed => "FAILED",
        }
    }
}

impl std::fmt::Display for UploadState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How to upload the archive: send exactly these headers. 412 means that the archive is there already, 403 that the URL has
/// expired: ask for the session again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PresignedPut {
    /// Where to PUT.
    pub url: HttpsUrl,
    /// The headers that the signature covers, `host` left out.
    pub headers: BTreeMap<String, String>,
    /// When the URL stops working.
    pub expires_at: UtcMillis,
}

/// Answer of `POST /api/uploads` and `GET /api/uploads/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct UploadSession {
    #[cfg_attr(feature = "openapi", schema(inline))]
    schema_version: Schema,
    /// The session's id.
    pub id: UploadId,
    /// Where it stands.
    pub state: UploadState,
    /// The namespace that is published to.
    pub namespace: Namespace,
    /// The slug that is published.
    pub slug: Slug,
    /// The version that is published.
    pub version: Version,
    /// When the session gives up waiting for bytes.
    pub expires_at: UtcMillis,
    /// How to upload, while the session is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub upload: Option<PresignedPut>,
    /// What was published, once it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub published: Option<PublishedVersion>,
    /// What the validator found: errors of a rejected package, warnings of a published one.
    pub findings: Vec<Finding>,
}

/// The result of a publish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PublishedVersion {
    /// The skill.
    pub skill_id: SkillId,
    /// The version.
    pub version_id: VersionId,
    /// The digest of the artifact that downloads give; not that of the upload.
    pub artifact_sha256: Sha256,
    /// The artifact's size in bytes.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 9007199254740991_u64))]
    pub artifact_size_bytes: u64,
}

impl UploadSession {
    /// A session that waits for bytes; the other fields are public.
    pub fn new(
        id: UploadId,
        state: UploadState,
        namespace: Namespace,
        slug: Slug,
        version: Version,
        expires_at: UtcMillis,
    ) -> Self {
        Self {
            schema_version: Schema,
            id,
            state,
            namespace,
            slug,
            version,
            expires_at,
            upload: None,
            published: None,
            findings: Vec::new(),
        }
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value = json("response", text)?;
        let root = At::Root("response");
        let fields = Fields::new(&root, &value)?;
        fields.schema_version(API_SCHEMA_VERSION)?;
        Ok(Self {
            schema_version: Schema,
            id: fields.parse("id")?,
            state: nested(&fields, "state")?.ok_or_else(|| fields.at("state").error(Kind::Missing, "is missing"))?,
            namespace: fields.parse("namespace")?,
            slug: fields.parse("slug")?,
            version: fields.parse("version")?,
            expires_at: fields.parse("expiresAt")?,
            upload: nested(&fields, "upload")?,
            published: nested(&fields, "published")?,
            findings: nested(&fields, "findings")?.unwrap_or_default(),
        })
    }
}

/// Answer of `GET /api/uploads`: the caller's sessions that have not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct UploadsResponse {
    #[cfg_attr(feature = "openapi", schema(inline))]
    schema_version: Schema,
    /// Their ids, oldest first.
    pub uploads: Vec<UploadId>,
}

impl UploadsResponse {
    /// An answer.
    pub fn new(uploads: Vec<UploadId>) -> Self {
        Self { schema_version: Schema, uploads }
    }
}

/// A field that serde reads; its own message says what is wrong inside.
fn nested<T: serde::de::DeserializeOwned>(fields: &Fields<'_>, name: &'static str) -> Result<Option<T>, Error> {
    let read = |value: &Value| T::deserialize(value).map_err(|e| fields.at(name).error(Kind::Value, e.to_string()));
    fields.optional(name).map(read).transpose()
}
