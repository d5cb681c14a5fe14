//! The write-once body of a version: its manifest, and what else is known of its files.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};
use skillhub_protocol::{FileEntry, Manifest, SkillId, VersionId};

use crate::codec::{Attributes, decode, deflate, inflate};
use crate::error::StoreError;
use crate::items::{CurrentVersion, SkillItem, VersionItem};
use crate::keys::{Key, SKILL, skill_partition};
use crate::table::{Freshness, Order, SortKeys, Table, key_of};

const KIND: &str = "version body";
const FORMAT: &str = "2";
/// Between the two parts of a body. Neither JSON has one in it.
const SEPARATOR: char = '\n';

/// `S#<skillId>` / `#BODY#<versionId>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionBody {
    /// The manifest as JSON, ready to send.
    pub manifest_json: String,
    /// What only some readers need.
    pub extra: BodyExtra,
}

/// The part of a version's body that is not on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyExtra {
    /// The whole frontmatter of SKILL.md, verbatim.
    pub frontmatter: serde_json::Value,
    /// Where each file of the manifest is in the canonical ZIP, in the manifest's order.
    pub files: Vec<FileSpan>,
}

/// Where the bytes of one file are, so that it can be had by one ranged read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSpan {
    /// Offset of its data in the canonical ZIP, in bytes.
    pub offset: u64,
    /// Length of its data there, in bytes.
    pub bytes: u64,
    /// Whether that data is deflated; otherwise it is the file itself.
    pub deflated: bool,
}

/// Manifest and spans of a version, each file with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    manifest: Manifest,
    spans: Vec<FileSpan>,
}

impl Files {
    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The file with exactly this path, and where its bytes are.
    pub fn get(&self, path: &str) -> Option<(&FileEntry, FileSpan)> {
        let mut files = self.manifest.files().iter().zip(&self.spans);
        files.find(|(file, _)| file.path.as_str() == path).map(|(file, span)| (file, *span))
    }
}

impl VersionBody {
    /// The files of the version.
    ///
    /// # Errors
    /// If the manifest is none, or does not have as many files as there are places.
    pub fn files(&self) -> Result<Files, StoreError> {
        let manifest = Manifest::from_json(&self.manifest_json).map_err(|e| StoreError::corrupt(KIND, e))?;
        if manifest.files().len() != self.extra.files.len() {
            return Err(StoreError::corrupt(KIND, "manifest and spans differ in number"));
        }
        Ok(Files { manifest, spans: self.extra.files.clone() })
    }

    fn decode(attributes: &Attributes) -> Result<Self, StoreError> {
        let (manifest, extra) = parts(attributes)?;
        let extra = serde_json::from_str(&extra).map_err(|e| StoreError::corrupt(KIND, e))?;
        Ok(Self { manifest_json: manifest, extra })
    }

    /// Both parts are deflated as one, since the second repeats much of the first: a body of ten files stays below the size at
    /// which writing it would cost twice as much.
    pub(crate) fn encode(&self, key: &Key) -> Result<Attributes, StoreError> {
        let extra = serde_json::to_string(&self.extra).map_err(|e| StoreError::corrupt(KIND, e))?;
        let mut attributes = key.attributes();
        attributes.insert(String::from("v"), AttributeValue::N(String::from(FORMAT)));
        let body = deflate(&format!("{}{SEPARATOR}{extra}", self.manifest_json))?;
        attributes.insert(String::from("body"), AttributeValue::B(body));
        Ok(attributes)
    }
}

/// Manifest and extra, as JSON.
fn parts(attributes: &Attributes) -> Result<(String, String), StoreError> {
    check_format(attributes)?;
    let mut manifest = inflate(KIND, attributes, "body")?;
    let end = manifest.find(SEPARATOR).ok_or_else(|| StoreError::corrupt(KIND, "has one part only"))?;
    let extra = manifest.split_off(end).split_off(SEPARATOR.len_utf8());
    Ok((manifest, extra))
}

/// A skill, and the body of its newest version.
#[derive(Debug, Clone)]
pub struct SkillFront {
    /// The skill.
    pub skill: SkillItem,
    newest: Option<Attributes>,
}

impl Table {
    /// A skill with the body of its newest version: one query of two items, or two if the first misses.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn skill_front(&self, id: &SkillId) -> Result<Option<SkillFront>, StoreError> {
        match self.front_with(id, Freshness::Eventual).await? {
            Some(front) => Ok(Some(front)),
            None => self.front_with(id, Freshness::Strong).await,
        }
    }

    async fn front_with(&self, id: &SkillId, freshness: Freshness) -> Result<Option<SkillFront>, StoreError> {
        let (partition, downwards) = (skill_partition(id), Order::Descending(None));
        let mut items = self.range(&partition, SortKeys::UpTo(SKILL), downwards, 2, freshness).await?.into_iter();
        // A query may see one item of a transaction and not yet the other: a body without its skill is a miss, too.
        let skill = items.next().filter(|item| key_of(item) == Some(Key::skill(id)));
        skill.map(|skill| Ok(SkillFront { skill: decode(skill)?, newest: items.next() })).transpose()
    }

    /// The manifest of a skill's current version as JSON. No call, or one or two reads if a version was published later that
    /// is not the current one.
    ///
    /// # Errors
    /// If the store fails; a version without its body is corrupt.
    pub async fn current_manifest_json(
        &self,
        front: &SkillFront,
        current: &CurrentVersion,
    ) -> Result<String, StoreError> {
        let (skill, version) = (&front.skill.id, &current.id);
        let key = Key::version_body(skill, version);
        let manifest = match front.newest.as_ref().filter(|body| key_of(body).as_ref() == Some(&key)) {
            Some(body) => Some(parts(body)?.0),
            None => self.manifest_json(skill, version).await?,
        };
        manifest.ok_or_else(|| StoreError::corrupt(KIND, format_args!("version {version} of {skill} has none")))
    }

    /// The manifest of a version as JSON. One read, or two if the first misses.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn manifest_json(&self, skill: &SkillId, version: &VersionId) -> Result<Option<String>, StoreError> {
        let Some(attributes) = self.get_raw(&Key::version_body(skill, version)).await? else {
            return Ok(None);
        };
        parts(&attributes).map(|(manifest, _)| Some(manifest))
    }

    /// A version and its body: one batch of two strong reads.
    ///
    /// # Errors
    /// If the store fails; a version without its body is corrupt.
    pub async fn version_with_body(
        &self,
        skill: &SkillId,
        version: &VersionId,
    ) -> Result<Option<(VersionItem, VersionBody)>, StoreError> {
        let (version, body) = (Key::version(skill, version), Key::version_body(skill, version));
        let mut items = self.get_batch(&[version.clone(), body.clone()]).await?;
        let Some(version) = items.remove(&version) else { return Ok(None) };
        let body = items.remove(&body).ok_or_else(|| StoreError::corrupt(KIND, "is missing"))?;
        Ok(Some((decode(version)?, VersionBody::decode(&body)?)))
    }

    /// The bodies of at most 100 versions, in the given order: one batch of strong reads.
    ///
    /// # Errors
    /// If the store fails; a version without its body is corrupt.
    pub async fn version_bodies(&self, versions: &[(SkillId, VersionId)]) -> Result<Vec<VersionBody>, StoreError> {
        let keys: Vec<_> = versions.iter().map(|(skill, version)| Key::version_body(skill, version)).collect();
        let items = self.get_batch(&keys).await?;
        let body = |key| items.get(key).ok_or_else(|| StoreError::corrupt(KIND, "is missing"));
        keys.iter().map(|key| VersionBody::decode(body(key)?)).collect()
    }
}

fn check_format(attributes: &Attributes) -> Result<(), StoreError> {
    match attributes.get("v") {
        Some(AttributeValue::N(n)) if n == FORMAT => Ok(()),
        other => Err(StoreError::UnknownFormat { kind: KIND, format: format!("{other:?}") }),
    }
}
