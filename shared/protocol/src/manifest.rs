//! The publish manifest (`SkillPackageManifest` of the contract).

use std::collections::HashMap;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::PACKAGE_SCHEMA_VERSION;
use crate::digest::Sha256;
use crate::error::{Error, Kind};
use crate::path::PackagePath;
use crate::read::{At, Fields, json};
use crate::slug::{SkillName, Slug, Summary};
use crate::text::cmp_utf16;
use crate::version::Version;

/// What a publisher says that a package holds. It is no file of the package and not listed in its own `files`.
///
/// A value of this type has its files in strictly ascending order by UTF-16 units, no two that differ only in case, and a
/// `SKILL.md` at the root that is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The logical name of the skill.
    pub slug: Slug,
    /// The name that people see.
    pub name: SkillName,
    /// When to use the skill.
    pub description: Summary,
    /// The version; opaque on the wire.
    pub version: Version,
    files: Vec<FileEntry>,
}

/// One file of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileEntry {
    /// Where it is in the package.
    pub path: PackagePath,
    /// Its size in bytes, at most 2^53 - 1.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 9007199254740991_u64))]
    pub size_bytes: u64,
    /// The digest of its bytes.
    pub sha256: Sha256,
}

impl Manifest {
    /// The path of the file that every package has.
    pub const SKILL_MD: &'static str = "SKILL.md";

    /// A manifest from its parts.
    ///
    /// # Errors
    /// If the files are out of order, collide, or lack a `SKILL.md` with content.
    pub fn new(
        slug: Slug,
        name: SkillName,
        description: Summary,
        version: Version,
        files: Vec<FileEntry>,
    ) -> Result<Self, Error> {
        check_files(&files)?;
        Ok(Self { slug, name, description, version, files })
    }

    /// Reads a manifest from JSON text.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `manifest`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        Self::from_value(&json("manifest", text)?)
    }

    /// Reads a manifest from a JSON value.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `manifest`.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let root = At::Root("manifest");
        let fields = Fields::new(&root, value)?;
        fields.schema_version(PACKAGE_SCHEMA_VERSION)?;
        let (slug, name) = (fields.parse("slug")?, fields.parse("name")?);
        let (description, version) = (fields.parse("description")?, fields.parse("version")?);
        let at = fields.at("files");
        let files = fields.array("files")?.iter().enumerate();
        let files = files.map(|(i, value)| read_file(&At::Item(&at, i), value)).collect::<Result<_, _>>()?;
        Self::new(slug, name, description, version, files)
    }

    /// The files, in order.
    pub fn files(&self) -> &[FileEntry] {
        &self.files
    }

    /// The sum of the files' sizes in bytes.
    pub fn unpacked_bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.size_bytes))
    }

    /// The manifest as one line of JSON: the same text for equal manifests.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn read_file(at: &At<'_>, value: &Value) -> Result<FileEntry, Error> {
    let fields = Fields::new(at, value)?;
    Ok(FileEntry {
        path: fields.parse("path")?,
        size_bytes: fields.integer("sizeBytes", 0)?,
        sha256: fields.parse("sha256")?,
    })
}

fn check_files(files: &[FileEntry]) -> Result<(), Error> {
    let at = |i: usize| format!("manifest.files[{i}].path");
    for (i, pair) in files.windows(2).enumerate() {
        if let [before, after] = pair
            && cmp_utf16(before.path.as_str(), after.path.as_str()).is_ge()
        {
            let message = format!("must come after {:?}: files are in ascending order of UTF-16 units", before.path);
            return Err(Error::new(at(i.saturating_add(1)), Kind::Order, message));
        }
    }
    let mut seen = HashMap::new();
    for (i, file) in files.iter().enumerate() {
        if let Some(other) = seen.insert(file.path.collision_key(), &file.path) {
            let message = format!("must differ from {other:?} in more than case");
            return Err(Error::new(at(i), Kind::Value, message));
        }
    }
    match files.iter().find(|file| file.path.as_str() == Manifest::SKILL_MD) {
        None => Err(Error::new("manifest.files", Kind::Missing, "must list SKILL.md at the root of the package")),
        Some(file) if file.size_bytes == 0 => {
            Err(Error::new("manifest.files", Kind::Value, "must list a SKILL.md that is not empty"))
        }
        Some(_) => Ok(()),
    }
}

impl Serialize for Manifest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut manifest = serializer.serialize_struct("SkillPackageManifest", 6)?;
        manifest.serialize_field("schemaVersion", &PACKAGE_SCHEMA_VERSION)?;
        manifest.serialize_field("slug", &self.slug)?;
        manifest.serialize_field("name", &self.name)?;
        manifest.serialize_field("description", &self.description)?;
        manifest.serialize_field("version", &self.version)?;
        manifest.serialize_field("files", &self.files)?;
        manifest.end()
    }
}

impl<'de> Deserialize<'de> for Manifest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(&Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
