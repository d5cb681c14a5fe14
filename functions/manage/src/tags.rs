//! Tags of a skill.

use axum::extract::State;
use http::StatusCode;
use skillhub_protocol::{MoveTag, SkillId, Tag};
use skillhub_store::ChangedBy;
use skillhub_web::{ApiError, Body, Manager, Now, PathParams, Registry, rng};

pub(crate) async fn put(
    State(registry): State<Registry>,
    Manager(caller): Manager,
    Now(now): Now,
    PathParams((skill, tag)): PathParams<(SkillId, String)>,
    Body(body): Body,
) -> Result<StatusCode, ApiError> {
    let tag = parse(&tag)?;
    let request = MoveTag::from_json(&body)?;
    let by = ChangedBy { caller: &caller, now };
    registry.table.move_tag(by, &skill, &tag, &request.version, &mut rng()).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn delete(
    State(registry): State<Registry>,
    Manager(caller): Manager,
    Now(now): Now,
    PathParams((skill, tag)): PathParams<(SkillId, String)>,
) -> Result<StatusCode, ApiError> {
    let tag = parse(&tag)?;
    let by = ChangedBy { caller: &caller, now };
    registry.table.remove_tag(by, &skill, &tag, &mut rng()).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn parse(text: &str) -> Result<Tag, ApiError> {
    let refuse = |message: String| {
        let detail = format!("tag: {message}");
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "tag_invalid", detail).with("tag_invalid", "tag", message)
    };
    let tag: Tag = text.parse().map_err(|e| refuse(String::from(e)))?;
    if tag.as_str() == Tag::LATEST {
        return Err(refuse(String::from("\"latest\" is computed: it is the highest available release")));
    }
    Ok(tag)
}
