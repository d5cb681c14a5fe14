//! The write-once body of a version: its manifest, and what else is known of its files.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};
use skillhub_protocol::{SkillId, VersionId};

use crate::codec::{Attributes, deflate, inflate};
use crate::error::StoreError;
use crate::keys::Key;
use crate::table::Table;

const KIND: &str = "version body";
const FORMAT: &str = "1";

/// `S#<skillId>` / `VM#<versionId>`.
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

impl VersionBody {
    pub(crate) fn encode(&self, key: &Key) -> Result<Attributes, StoreError> {
        let extra = serde_json::to_string(&self.extra).map_err(|e| StoreError::corrupt(KIND, e))?;
        let mut attributes = key.attributes();
        attributes.insert(String::from("v"), AttributeValue::N(String::from(FORMAT)));
        attributes.insert(String::from("manifest"), AttributeValue::B(deflate(&self.manifest_json)?));
        attributes.insert(String::from("extra"), AttributeValue::B(deflate(&extra)?));
        Ok(attributes)
    }
}

impl Table {
    /// The manifest of a version as JSON. One read, or two if the first misses.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn manifest_json(&self, skill: &SkillId, version: &VersionId) -> Result<Option<String>, StoreError> {
        let Some(attributes) = self.get_raw(&Key::version_body(skill, version)).await? else {
            return Ok(None);
        };
        match attributes.get("v") {
            Some(AttributeValue::N(n)) if n == FORMAT => inflate(KIND, &attributes, "manifest").map(Some),
            other => Err(StoreError::UnknownFormat { kind: KIND, format: format!("{other:?}") }),
        }
    }
}
