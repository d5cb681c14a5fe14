//! The contract's answers: list, detail, download.

use serde::Serialize;
use serde::ser::SerializeStruct;
use serde_json::Value;

use crate::API_SCHEMA_VERSION;
use crate::digest::Sha256;
use crate::error::{Error, Kind};
use crate::id::{OrganizationId, SkillId, VersionId};
use crate::manifest::Manifest;
use crate::namespace::{Namespace, Scope};
use crate::read::{At, Fields, json};
use crate::secret_url::HttpsUrl;
use crate::slug::{SkillName, Slug, Summary};
use crate::time::UtcMillis;
use crate::version::Version;

/// Who sees a skill. On the wire `scope` and `organizationId`, which is `null` for every scope but `organization`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Visibility {
    /// Every authenticated identity.
    Public,
    /// The members of this organization.
    Organization(OrganizationId),
    /// One person, whose identity is never in an answer.
    Personal,
}

impl Visibility {
    /// The word for it.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Public => Scope::Public,
            Self::Organization(_) => Scope::Organization,
            Self::Personal => Scope::Personal,
        }
    }

    /// The organization, if that is the scope.
    pub fn organization_id(&self) -> Option<&OrganizationId> {
        match self {
            Self::Organization(id) => Some(id),
            _ => None,
        }
    }

    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        let scope = fields.parse("scope")?;
        let id = fields.required("organizationId")?;
        match (scope, id.is_null()) {
            (Scope::Public, true) => Ok(Self::Public),
            (Scope::Personal, true) => Ok(Self::Personal),
            (Scope::Organization, _) => Ok(Self::Organization(fields.parse("organizationId")?)),
            _ => Err(fields.at("organizationId").error(Kind::Value, format!("must be null for scope {scope}"))),
        }
    }
}

/// What a list says of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillSummary {
    /// The permanent id.
    pub id: SkillId,
    /// The namespace that owns the slug: an addition of this registry, absent in answers of others.
    pub namespace: Option<Namespace>,
    /// The logical name in its namespace.
    pub slug: Slug,
    /// The name that people see.
    pub name: SkillName,
    /// When to use it.
    pub description: Summary,
    /// Who sees it.
    pub visibility: Visibility,
    /// The version that a client may install now.
    pub current_version: VersionSummary,
}

/// What an answer says of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct VersionSummary {
    /// The version's id.
    pub id: VersionId,
    /// Its number.
    pub version: Version,
    /// The digest of the artifact that a download gives.
    pub sha256: Sha256,
    /// The artifact's size in bytes, at least 1.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 9007199254740991_u64))]
    pub size_bytes: u64,
    /// When it was published.
    pub published_at: UtcMillis,
}

/// A skill with the manifest of its current version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillDetail {
    /// Everything that the list says.
    pub summary: SkillSummary,
    /// The manifest; its slug, name, description and version agree with the summary.
    pub manifest: Manifest,
}

/// Answer of `GET /api/skills`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListResponse {
    #[cfg_attr(feature = "openapi", schema(inline))]
    schema_version: Schema,
    /// One page, in ascending order of ids.
    pub skills: Vec<SkillSummary>,
    /// Where the next page begins; `None` on the last.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub next_cursor: Option<SkillId>,
}

/// Answer of `GET /api/search`: the skill whose slug it is first, then those whose slugs begin so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SearchResponse {
    #[cfg_attr(feature = "openapi", schema(inline))]
    schema_version: Schema,
    /// What was found.
    pub skills: Vec<SkillSummary>,
}

/// Answer of `GET /api/skills/{skillId}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SkillResponse {
    #[cfg_attr(feature = "openapi", schema(inline))]
    schema_version: Schema,
    /// The skill.
    pub skill: SkillDetail,
}

/// Answer of `GET /api/skills/{skillId}/versions/{versionId}`, an addition of this registry: any published version, current or
/// not, with its manifest. It never changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct VersionResponse {
    #[cfg_attr(feature = "openapi", schema(inline))]
    schema_version: Schema,
    /// The version.
    pub version: VersionDetail,
}

/// A version with its manifest, whose version number agrees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VersionDetail {
    /// What a list says of it.
    #[serde(flatten)]
    pub summary: VersionSummary,
    /// The manifest.
    pub manifest: Manifest,
}

/// Answer of `GET /api/skills/{skillId}/versions/{versionId}/download`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DownloadResponse {
    /// Where the artifact is, until `expires_at`.
    pub url: HttpsUrl,
    /// The digest of the artifact.
    pub sha256: Sha256,
    /// The artifact's size in bytes, at least 1.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 9007199254740991_u64))]
    pub size_bytes: u64,
    /// When the URL stops working.
    pub expires_at: UtcMillis,
}

/// Writes the API's schema version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Schema;

impl Serialize for Schema {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(API_SCHEMA_VERSION)
    }
}

impl ListResponse {
    /// A page.
    pub fn new(skills: Vec<SkillSummary>, next_cursor: Option<SkillId>) -> Self {
        Self { schema_version: Schema, skills, next_cursor }
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response` or, for an item of the list, with `skills[i]`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value = json("response", text)?;
        let root = At::Root("response");
        let fields = Fields::new(&root, &value)?;
        fields.schema_version(API_SCHEMA_VERSION)?;
        let skills = read_summaries(&fields)?;
        let next_cursor = match fields.required("nextCursor")? {
            Value::Null => None,
            _ => Some(fields.parse("nextCursor")?),
        };
        Ok(Self::new(skills, next_cursor))
    }
}

impl SearchResponse {
    /// Hits, the best first.
    pub fn new(skills: Vec<SkillSummary>) -> Self {
        Self { schema_version: Schema, skills }
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response` or, for an item, with `skills[i]`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value = json("response", text)?;
        let root = At::Root("response");
        let fields = Fields::new(&root, &value)?;
        fields.schema_version(API_SCHEMA_VERSION)?;
        Ok(Self::new(read_summaries(&fields)?))
    }
}

fn read_summaries(fields: &Fields<'_>) -> Result<Vec<SkillSummary>, Error> {
    let items = At::Root("skills");
    let skills = fields.array("skills")?.iter().enumerate();
    skills.map(|(i, value)| SkillSummary::read(&At::Item(&items, i), value)).collect()
}

impl SkillSummary {
    /// Reads one summary, as it stands in a list.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `skill`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        Self::read(&At::Root("skill"), &json("skill", text)?)
    }

    fn read(at: &At<'_>, value: &Value) -> Result<Self, Error> {
        let fields = Fields::new(at, value)?;
        Ok(Self {
            id: fields.parse("id")?,
            namespace: fields.parse_optional("namespace")?,
            slug: fields.parse("slug")?,
            name: fields.parse("name")?,
            description: fields.parse("description")?,
            visibility: Visibility::read(&fields)?,
            current_version: VersionSummary::read(&fields.at("currentVersion"), fields.required("currentVersion")?)?,
        })
    }
}

impl VersionSummary {
    pub(crate) fn read(at: &At<'_>, value: &Value) -> Result<Self, Error> {
        let fields = Fields::new(at, value)?;
        Ok(Self {
            id: fields.parse("id")?,
            version: fields.parse("version")?,
            sha256: fields.parse("sha256")?,
            size_bytes: fields.integer("sizeBytes", 1)?,
            published_at: fields.parse("publishedAt")?,
        })
    }
}

impl SkillResponse {
    /// An answer.
    pub fn new(skill: SkillDetail) -> Self {
        Self { schema_version: Schema, skill }
    }

    /// Reads an answer, and checks that summary and manifest agree.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response` or, inside the manifest, with `manifest`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value = json("response", text)?;
        let root = At::Root("response");
        let fields = Fields::new(&root, &value)?;
        fields.schema_version(API_SCHEMA_VERSION)?;
        let skill = fields.required("skill")?;
        let summary = SkillSummary::read(&fields.at("skill"), skill)?;
        let manifest = skill.get("currentVersion").and_then(|version| version.get("manifest"));
        let manifest = Manifest::from_value(manifest.unwrap_or(&Value::Null))?;
        let detail = SkillDetail { summary, manifest };
        detail.check_agreement()?;
        Ok(Self::new(detail))
    }
}

impl VersionResponse {
    /// An answer.
    pub fn new(version: VersionDetail) -> Self {
        Self { schema_version: Schema, version }
    }

    /// Reads an answer, and checks that summary and manifest agree.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response` or, inside the manifest, with `manifest`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value = json("response", text)?;
        let root = At::Root("response");
        let fields = Fields::new(&root, &value)?;
        fields.schema_version(API_SCHEMA_VERSION)?;
        let version = fields.required("version")?;
        let summary = VersionSummary::read(&fields.at("version"), version)?;
        let manifest = Manifest::from_value(version.get("manifest").unwrap_or(&Value::Null))?;
        if summary.version != manifest.version {
            let message = "must be the same in the version and in its manifest";
            return Err(Error::new("response.version.manifest.version", Kind::Disagreement, message));
        }
        Ok(Self::new(VersionDetail { summary, manifest }))
    }
}

impl SkillDetail {
    fn check_agreement(&self) -> Result<(), Error> {
        let (outer, inner) = (&self.summary, &self.manifest);
        let pairs = [
            ("slug", outer.slug.as_str() == inner.slug.as_str()),
            ("name", outer.name == inner.name),
            ("description", outer.description == inner.description),
            ("currentVersion.manifest.version", outer.current_version.version == inner.version),
        ];
        match pairs.iter().find(|(_, agree)| !agree) {
            None => Ok(()),
            Some((field, _)) => Err(Error::new(
                format!("response.skill.{field}"),
                Kind::Disagreement,
                "must be the same in the skill and in its manifest",
            )),
        }
    }
}

impl DownloadResponse {
    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value = json("response", text)?;
        let root = At::Root("response");
        let fields = Fields::new(&root, &value)?;
        Ok(Self {
            url: fields.parse("url")?,
            sha256: fields.parse("sha256")?,
            size_bytes: fields.integer("sizeBytes", 1)?,
            expires_at: fields.parse("expiresAt")?,
        })
    }
}

impl Serialize for SkillSummary {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_skill(serializer, self, &self.current_version)
    }
}

impl Serialize for SkillDetail {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let version = VersionDetail { summary: self.summary.current_version.clone(), manifest: self.manifest.clone() };
        write_skill(serializer, &self.summary, &version)
    }
}

fn write_skill<S: serde::Serializer>(
    serializer: S,
    skill: &SkillSummary,
    current_version: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    let mut out = serializer.serialize_struct("Skill", 8)?;
    out.serialize_field("id", &skill.id)?;
    match &skill.namespace {
        Some(namespace) => out.serialize_field("namespace", namespace)?,
        None => out.skip_field("namespace")?,
    }
    out.serialize_field("slug", &skill.slug)?;
    out.serialize_field("name", &skill.name)?;
    out.serialize_field("description", &skill.description)?;
    out.serialize_field("scope", &skill.visibility.scope())?;
    out.serialize_field("organizationId", &skill.visibility.organization_id())?;
    out.serialize_field("currentVersion", current_version)?;
    out.end()
}
