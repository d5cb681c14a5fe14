//! What there is, as far as the caller sees it.
//!
//! | route | calls |
//! |---|---|
//! | `GET /api/skills` | 1 query a partition that is open to the caller and that the filters admit; 1 read for the filter `namespace` |
//! | `GET /api/search` | 1 query a partition that is open to the caller, 1 batch of reads |
//!
//! The list is in the order of skill ids. It is a traversal, not a change feed: a skill that exists throughout appears exactly
//! once, whatever is published meanwhile.

mod search;

use std::fmt::Display;
use std::str::FromStr;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;
use skillhub_protocol::{API_SCHEMA_VERSION, SkillId};
use skillhub_store::{Filter, ListPage};
use skillhub_web::{ApiError, Caller, Params, Registry, json_text, page_limit};

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 100;

/// The routes of this function.
pub fn router(registry: Registry) -> Router {
    Router::new().route("/api/skills", get(list)).route("/api/search", get(search::search)).with_state(registry)
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Query {
    limit: Option<String>,
    cursor: Option<String>,
    scope: Option<String>,
    organization_id: Option<String>,
    namespace: Option<String>,
}

impl Query {
    fn filter(&self) -> Result<Filter, ApiError> {
        Ok(Filter {
            scope: parse(self.scope.as_deref(), "invalid_request", "scope")?,
            organization: parse(self.organization_id.as_deref(), "invalid_request", "organizationId")?,
            namespace: parse(self.namespace.as_deref(), "invalid_request", "namespace")?,
        })
    }
}

fn parse<T: FromStr<Err: Display>>(
    text: Option<&str>,
    code: &'static str,
    path: &'static str,
) -> Result<Option<T>, ApiError> {
    text.map(|text| text.parse().map_err(|e: T::Err| ApiError::invalid(code, path, e.to_string()))).transpose()
}

async fn list(
    State(registry): State<Registry>,
    Caller(viewer): Caller,
    Params(query): Params<Query>,
) -> Result<Response, ApiError> {
    let limit = page_limit(query.limit.as_deref(), DEFAULT_LIMIT, MAX_LIMIT)?;
    let after = parse_cursor(query.cursor.as_deref())?;
    let table = &registry.table;
    let partitions = table.list_partitions(&viewer, registry.settings.anonymous_read, &query.filter()?).await?;
    let page = table.list(&partitions, after.as_ref(), limit).await?;
    Ok(json_text(axum::http::StatusCode::OK, page_json(&page)))
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
