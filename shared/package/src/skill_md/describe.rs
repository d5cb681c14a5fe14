//! The description of a skill that somebody else installed, which nobody has checked.

use skillhub_protocol::{Finding, text};

use super::{fences, hint, yaml};
use crate::content::unicode::hidden;

/// The description in the bytes of a `SKILL.md`, without white space around it, on the terms of clients and not of publishers:
/// of any length, and also if a plain text in the frontmatter lacks the quotation marks that YAML asks for.
///
/// # Errors
/// The first reason why there is none, or none that could be shown: it holds control characters or hidden ones.
pub fn describe_skill_md(bytes: &[u8]) -> Result<String, Finding> {
    let (text, _) = fences::decode(bytes)?;
    let block = fences::find(text)?;
    let fields = yaml::parse(block.yaml).or_else(|fault| yaml::parse(&hint::quoted(block.yaml)).map_err(|_| fault))?;
    let fail = |code: &str, message: &str| Finding::error(code, "skillMd.frontmatter.description", message);
    let description = match fields.values.get("description") {
        None => return Err(fail("description_missing", "has no description")),
        Some(value) => value.as_str().ok_or_else(|| fail("description_type", "has a description that is no text"))?,
    };
    let description = text::trim(description);
    if description.is_empty() {
        return Err(fail("description_missing", "has an empty description"));
    }
    if description.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
        return Err(fail("control_character", "has a description with control characters"));
    }
    match hidden(description.as_bytes()) {
        Some(found) => Err(fail("hidden_unicode", &format!("has a description that {}", found.message()))),
        None => Ok(description.to_owned()),
    }
}
