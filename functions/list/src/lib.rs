//! `GET /api/skills`: one page of what the caller sees, in the order of skill ids.
//!
//! A traversal, not a change feed: a skill that exists throughout appears exactly once, whatever is published meanwhile. One
//! query a partition that is open to the caller, no other call.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;
use skillhub_protocol::{API_SCHEMA_VERSION, SkillId};
use skillhub_store::{ListPage, ListPartition};
use skillhub_web::{ApiError, Caller, Params, Registry, json_text};

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 100;

/// The routes of this function.
pub fn router(registry: Registry) -> Router {
    Router::new().route("/api/skills", get(list)).with_state(registry)
}

#[derive(Debug, Deserialize)]
struct Query {
    limit: Option<String>,
    cursor: Option<String>,
}

async fn list(
    State(registry): State<Registry>,
    Caller(viewer): Caller,
    Params(query): Params<Query>,
) -> Result<Response, ApiError> {
    let limit = parse_limit(query.limit.as_deref())?;
    let after = parse_cursor(query.cursor.as_deref())?;
    let partitions = ListPartition::visible_to(&viewer, registry.settings.anonymous_read);
    let page = registry.table.list(&partitions, after.as_ref(), limit).await?;
    Ok(json_text(axum::http::StatusCode::OK, page_json(&page)))
}

fn parse_limit(text: Option<&str>) -> Result<usize, ApiError> {
    let Some(text) = text else { return Ok(DEFAULT_LIMIT) };
    let limit = text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit
        .ok_or_else(|| ApiError::invalid("invalid_request", "limit", format!("must be a number from 1 to {MAX_LIMIT}")))
}

fn parse_cursor(text: Option<&str>) -> Result<Option<SkillId>, ApiError> {
    let parse = |text: &str| text.parse().map_err(|_| "must be the nextCursor of an earlier page, unchanged");
    text.map(parse).transpose().map_err(|message| ApiError::invalid("invalid_cursor", "cursor", message))
}

/// The entries are stored ready to send.
fn page_json(page: &ListPage) -> String {
    let next = page.next.as_ref().map_or_else(|| String::from("null"), |id| format!("\"{id}\""));
    let skills = page.summaries.join(",");
    format!(r#"{{"schemaVersion":{API_SCHEMA_VERSION},"skills":[{skills}],"nextCursor":{next}}}"#)
}
