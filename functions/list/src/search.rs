//! `GET /api/search`: by slug, the slug itself first.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use skillhub_protocol::API_SCHEMA_VERSION;
use skillhub_protocol::text::trim;
use skillhub_store::SearchPartition;
use skillhub_web::{ApiError, Caller, Params, Registry, json_text, page_limit};

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 50;
/// Longest query, in characters: no slug is longer.
const MAX_QUERY: usize = 64;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    q: Option<String>,
    limit: Option<String>,
}

pub(crate) async fn search(
    State(registry): State<Registry>,
    Caller(viewer): Caller,
    Params(query): Params<Query>,
) -> Result<Response, ApiError> {
    let limit = page_limit(query.limit.as_deref(), DEFAULT_LIMIT, MAX_LIMIT)?;
    let prefix = parse_query(query.q.as_deref())?;
    let skills = if is_slug_prefix(&prefix) {
        let partitions = SearchPartition::visible_to(&viewer, registry.settings.anonymous_read);
        registry.table.search(&partitions, &prefix, limit).await?
    } else {
        // No slug has such a character, so nothing can begin so.
        Vec::new()
    };
    let skills = skills.join(",");
    Ok(json_text(StatusCode::OK, format!(r#"{{"schemaVersion":{API_SCHEMA_VERSION},"skills":[{skills}]}}"#)))
}

/// People write words with spaces and capitals; slugs have hyphens and none.
fn parse_query(text: Option<&str>) -> Result<String, ApiError> {
    let text = text.filter(|text| text.chars().count() <= MAX_QUERY).map(trim).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| {
        let message = format!("must have 1 to {MAX_QUERY} characters, not only spaces: a slug, or how it begins");
        ApiError::invalid("invalid_request", "q", message)
    })?;
    Ok(text.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-"))
}

fn is_slug_prefix(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}
