//! Ids that a registry mints.

use crate::error::InvalidValue;
use crate::newtype::text_newtype;
use crate::text::{is_trimmed_within, utf16_len};

/// How many base-36 digits follow the letter of a minted id: 10 for the time, 14 random.
const MINTED_DIGITS: usize = 24;

pub(crate) fn is_minted(text: &str, letter: char) -> bool {
    let digit = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    text.strip_prefix(letter).is_some_and(|rest| rest.len() == MINTED_DIGITS && rest.bytes().all(digit))
}

text_newtype! {
    /// The permanent id of a skill: `c` and 24 lower-case letters or digits, of which the first ten are the time of creation, so
    /// that the order of ids is the order of creation. Also the cursor of the list.
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(value_type = String, pattern = r"^c[a-z0-9]{24}$", example = "c0mjq3k8x1a2b3c4d5e6f7g8h")
    )]
    SkillId, check_skill_id, InvalidValue
}

fn check_skill_id(text: &str) -> Result<(), InvalidValue> {
    const DEMAND: InvalidValue = InvalidValue::new("must be \"c\" and 24 lowercase letters or digits");
    if is_minted(text, 'c') { Ok(()) } else { Err(DEMAND) }
}

text_newtype! {
    /// The id of a version: opaque on the wire, 1-128 UTF-16 units without white space around them. This registry mints `v` and
    /// 24 lower-case letters or digits ([`VersionId::is_minted`]).
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(
            value_type = String,
            pattern = r"^\S(?:[\s\S]*\S)?$",
            min_length = 1, max_length = 128, example = "v0mjq3k8x1a2b3c4d5e6f7g8h"
        )
    )]
    VersionId, check_version_id, InvalidValue
}

impl VersionId {
    /// Whether the id has the form that this registry mints; no other can exist in it.
    pub fn is_minted(&self) -> bool {
        is_minted(self.as_str(), 'v')
    }
}

fn check_version_id(text: &str) -> Result<(), InvalidValue> {
    const DEMAND: InvalidValue = InvalidValue::new("must have 1-128 UTF-16 units and no white space around it");
    if is_trimmed_within(text, 128) { Ok(()) } else { Err(DEMAND) }
}

text_newtype! {
    /// The id of an upload session: `u` and 24 lower-case letters or digits.
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(value_type = String, pattern = r"^u[a-z0-9]{24}$", example = "u0mjq3k8x1a2b3c4d5e6f7g8h")
    )]
    UploadId, check_upload_id, InvalidValue
}

fn check_upload_id(text: &str) -> Result<(), InvalidValue> {
    const DEMAND: InvalidValue = InvalidValue::new("must be \"u\" and 24 lowercase letters or digits");
    if is_minted(text, 'u') { Ok(()) } else { Err(DEMAND) }
}

text_newtype! {
    /// The id of an organization: 1-128 UTF-16 units, otherwise opaque.
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(value_type = String, min_length = 1, max_length = 128, example = "my-team")
    )]
    OrganizationId, check_organization_id, InvalidValue
}

fn check_organization_id(text: &str) -> Result<(), InvalidValue> {
    const DEMAND: InvalidValue = InvalidValue::new("must have 1-128 UTF-16 units");
    if !text.is_empty() && utf16_len(text) <= 128 { Ok(()) } else { Err(DEMAND) }
}
