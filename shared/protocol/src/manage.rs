//! Requests and answers for what happens to skills after their publication: reasons, tags, scope, maintainers.

use serde::{Deserialize, Serialize};

use crate::error::{Error, InvalidValue};
use crate::id::VersionId;
use crate::namespace::{Namespace, Scope};
use crate::newtype::text_newtype;
use crate::read::{answer, request};
use crate::text::is_trimmed_within;
use crate::version::{Release, Tag, Version};

text_newtype! {
    /// Why something was done, for people: 1-500 UTF-16 units, no control characters, no white space around it.
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(
            value_type = String,
            pattern = r"^[^\s\x00-\x1f\x7f-\x9f](?:[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$",
            min_length = 1, max_length = 500, example = "A link in it went bad."
        )
    )]
    Reason, check_reason, InvalidValue
}

fn check_reason(text: &str) -> Result<(), InvalidValue> {
    const DEMAND: InvalidValue =
        InvalidValue::new("must have 1-500 UTF-16 units, no control characters and no white space around it");
    let clean = !text.chars().any(char::is_control);
    if clean && is_trimmed_within(text, 500) { Ok(()) } else { Err(DEMAND) }
}

/// Body of `POST …/yank`, `…/unyank` and `…/block`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeState {
    /// Why.
    pub reason: Reason,
}

impl ChangeState {
    /// Reads a request.
    ///
    /// # Errors
    /// The first fault, at `reason` or `request`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        request(text, |fields| Ok(Self { reason: fields.parse("reason")? }))
    }
}

/// Body of `PUT /api/skills/{skillId}/tags/{tag}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MoveTag {
    /// The version that the tag shall mean.
    pub version: Release,
}

impl MoveTag {
    /// Reads a request.
    ///
    /// # Errors
    /// The first fault, at `version` or `request`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        request(text, |fields| Ok(Self { version: fields.parse("version")? }))
    }
}

/// A tag, and what it means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TagTarget {
    /// The tag.
    pub tag: Tag,
    /// The version's id.
    pub version_id: VersionId,
    /// The version's number.
    pub version: Version,
}

/// Answer of `GET /api/skills/{skillId}/tags`: `latest` first, then in order of their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TagsResponse {
    /// The tags whose versions are available.
    pub tags: Vec<TagTarget>,
}

impl TagsResponse {
    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        answer(text)
    }
}

/// Body of `PATCH /api/skills/{skillId}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeSkill {
    /// Who shall see the skill.
    pub scope: Scope,
}

impl ChangeSkill {
    /// Reads a request.
    ///
    /// # Errors
    /// The first fault, at `scope` or `request`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        request(text, |fields| Ok(Self { scope: fields.parse("scope")? }))
    }
}

/// Answer of `GET /api/skills/{skillId}/maintainers`: who may publish versions besides the owners, creator first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MaintainersResponse {
    /// Their personal namespaces. A maintainer who has none is left out.
    pub maintainers: Vec<Namespace>,
}

impl MaintainersResponse {
    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        answer(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_name_the_field_at_fault() {
        let long = format!(r#"{{"reason":"{}"}}"#, "x".repeat(501));
        let cases = [
            (ChangeState::from_json("[]").err(), "request"),
            (ChangeState::from_json("{").err(), "request"),
            (ChangeState::from_json("{}").err(), "reason"),
            (ChangeState::from_json(&long).err(), "reason"),
            (ChangeState::from_json(r#"{"reason":"a\nb"}"#).err(), "reason"),
            (ChangeState::from_json(r#"{"reason":7}"#).err(), "reason"),
            (MoveTag::from_json(r#"{"version":"v1"}"#).err(), "version"),
            (ChangeSkill::from_json(r#"{"scope":"secret"}"#).err(), "scope"),
        ];
        for (error, path) in cases {
            assert_eq!(error.unwrap().path(), path);
        }
    }
}
