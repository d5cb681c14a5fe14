//! Slugs, and the texts that describe a skill.

use crate::error::InvalidValue;
use crate::newtype::text_newtype;
use crate::text::{is_device_name, is_trimmed_within};

text_newtype! {
    /// The logical name of a skill inside its namespace: 1-64 lower-case letters, digits and hyphens, a letter or digit at
    /// both ends, no Windows device name. `--` is legal here, but not at publish (see [`is_kebab_case`]).
    ///
    /// Source: the contract's constraints on `slug`.
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(
            value_type = String,
            pattern = r"^(?!(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$",
            min_length = 1, max_length = 64, example = "release-helper"
        )
    )]
    Slug, check_slug, SlugFault
}

/// Why a text is no [`Slug`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SlugFault {
    /// Not of the slug's form.
    #[error("must be 1-64 lowercase letters, digits or hyphens, with a letter or digit at both ends")]
    Form,
    /// A device name such as `con` or `lpt1`.
    #[error("must not be a device name of Windows (con, prn, aux, nul, com1-com9, lpt1-lpt9)")]
    Reserved,
}

impl SlugFault {
    /// The stable code of this fault.
    pub fn code(self) -> &'static str {
        match self {
            Self::Form => "slug_invalid",
            Self::Reserved => "slug_reserved",
        }
    }
}

fn check_slug(text: &str) -> Result<(), SlugFault> {
    let legal = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = text.as_bytes();
    let ends = bytes.first().is_some_and(legal) && bytes.last().is_some_and(legal);
    if !ends || bytes.len() > 64 || !bytes.iter().all(|b| legal(b) || *b == b'-') {
        return Err(SlugFault::Form);
    }
    if is_device_name(text) { Err(SlugFault::Reserved) } else { Ok(()) }
}

/// Whether `text` is kebab-case: `^[a-z0-9]+(-[a-z0-9]+)*$`, 1-64 characters. Slugs and namespaces must be, at publish,
/// because `--` separates the two in canonical slugs.
pub fn is_kebab_case(text: &str) -> bool {
    let word = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    text.len() <= 64 && text.split('-').all(word)
}

text_newtype! {
    /// The name that people see: 1-100 UTF-16 units, no white space around it.
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(
            value_type = String,
            pattern = r"^\S(?:[\s\S]*\S)?$",
            min_length = 1, max_length = 100, example = "Release Helper"
        )
    )]
    SkillName, check_name, InvalidValue
}

fn check_name(text: &str) -> Result<(), InvalidValue> {
    const DEMAND: InvalidValue = InvalidValue::new("must have 1-100 UTF-16 units and no white space around it");
    if is_trimmed_within(text, 100) { Ok(()) } else { Err(DEMAND) }
}

text_newtype! {
    /// When to use the skill: 1-500 UTF-16 units, no white space around it. On the wire it is called `description`.
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(
            value_type = String,
            pattern = r"^\S(?:[\s\S]*\S)?$",
            min_length = 1, max_length = 500, example = "Prepare and validate a release."
        )
    )]
    Summary, check_summary, InvalidValue
}

fn check_summary(text: &str) -> Result<(), InvalidValue> {
    const DEMAND: InvalidValue = InvalidValue::new("must have 1-500 UTF-16 units and no white space around it");
    if is_trimmed_within(text, 500) { Ok(()) } else { Err(DEMAND) }
}
