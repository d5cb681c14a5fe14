//! `GET /api/skills/{skillId}/versions`: all of them, highest semver first, with their states.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use skillhub_protocol::{Release, SkillId, VersionListResponse};
use skillhub_web::{ApiError, Caller, Params, PathParams, Registry, json, page_limit};

use crate::visible_skill;

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 100;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    limit: Option<String>,
    cursor: Option<String>,
}

pub(crate) async fn versions(
    State(registry): State<Registry>,
    Caller(viewer): Caller,
    PathParams(id): PathParams<SkillId>,
    Params(query): Params<Query>,
) -> Result<Response, ApiError> {
    let limit = page_limit(query.limit.as_deref(), DEFAULT_LIMIT, MAX_LIMIT)?;
    let after = parse_cursor(query.cursor.as_deref())?;
    visible_skill(&registry, &viewer, &id).await?;
    let page = registry.table.versions(&id, after.as_ref(), limit).await?;
    json(StatusCode::OK, &VersionListResponse::new(page.versions, page.next.as_ref().map(Into::into)))
}

fn parse_cursor(text: Option<&str>) -> Result<Option<Release>, ApiError> {
    let parse = |text: &str| text.parse().map_err(|_| "must be the nextCursor of an earlier page, unchanged");
    text.map(parse).transpose().map_err(|message| ApiError::invalid("invalid_cursor", "cursor", message))
}
