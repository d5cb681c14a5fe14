//! `GET /api/v1/skills` and `GET /api/v1/search`.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use skillhub_protocol::{CanonicalSlug, Coordinate, Namespace, Selector, SkillId, SkillSummary};
use skillhub_store::{Filter, SearchPartition, StoreError, Viewer, created_at};
use skillhub_web::{Caller, Params, Registry};

use super::text::{Plain, Refused, answer};

const DEFAULT_LIMIT: usize = 25;
const MAX_LIMIT: usize = 200;
/// How many hits of a slug are looked through for those of one namespace.
const MAX_HITS: usize = 50;

#[derive(Debug, Deserialize)]
pub(crate) struct ListQuery {
    limit: Option<String>,
    cursor: Option<String>,
    sort: Option<String>,
    prefix: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SearchQuery {
    q: Option<String>,
    limit: Option<String>,
    mode: Option<String>,
}

pub(crate) async fn list(
    State(registry): State<Registry>,
    Plain(Caller(viewer)): Plain<Caller>,
    Plain(Params(query)): Plain<Params<ListQuery>>,
) -> Result<Response, Refused> {
    let limit = limit(query.limit.as_deref())?;
    demand_order_of_creation(query.sort.as_deref())?;
    if let Some(prefix) = &query.prefix {
        let found = search_slugs(&registry, &viewer, prefix, limit).await?;
        let items: Vec<_> = found.iter().map(item).collect();
        return answer(StatusCode::OK, &json!({ "items": items, "nextCursor": null }));
    }
    let before = query.cursor.as_deref().map(cursor).transpose()?;
    let (table, anonymous) = (&registry.table, registry.settings.anonymous_read);
    let partitions = table.list_partitions(&viewer, anonymous, &Filter::default()).await?;
    let page = table.list_newest(&partitions, before.as_ref(), limit).await?;
    let items: Vec<_> = page.parse()?.iter().map(item).collect();
    answer(StatusCode::OK, &json!({ "items": items, "nextCursor": page.next }))
}

pub(crate) async fn search(
    State(registry): State<Registry>,
    Plain(Caller(viewer)): Plain<Caller>,
    Plain(Params(query)): Plain<Params<SearchQuery>>,
) -> Result<Response, Refused> {
    let limit = limit(query.limit.as_deref())?;
    let wanted = query.q.unwrap_or_default();
    let mut found = search_slugs(&registry, &viewer, &wanted, limit).await?;
    let exact = |summary: &SkillSummary| summary.slug.as_str() == parse(&wanted).1;
    if query.mode.as_deref() == Some("exact") {
        found.retain(exact);
    }
    let results: Vec<_> = found.iter().map(|summary| result(summary, exact(summary))).collect();
    answer(StatusCode::OK, &json!({ "results": results }))
}

/// Beyond the largest page, as many as that has.
fn limit(text: Option<&str>) -> Result<usize, Refused> {
    let Some(text) = text else { return Ok(DEFAULT_LIMIT) };
    let limit = text.parse::<usize>().ok().filter(|limit| *limit > 0);
    limit.map(|limit| limit.min(MAX_LIMIT)).ok_or_else(|| Refused::bad_request("limit must be a positive number"))
}

fn cursor(text: &str) -> Result<SkillId, Refused> {
    text.parse().map_err(|_| Refused::bad_request("cursor must be the nextCursor of an earlier page, unchanged"))
}

/// The newest first, whatever of these clients ask for; of updates no order is kept.
fn demand_order_of_creation(sort: Option<&str>) -> Result<(), Refused> {
    match sort {
        None | Some("" | "createdAt" | "updated") => Ok(()),
        Some(sort) => {
            let text = "This registry counts neither stars nor downloads nor installs, so it cannot sort by";
            Err(Refused::bad_request(format!("{text} {sort:?}. Leave --sort out: the newest skills come first.")))
        }
    }
}

/// Skills whose slug begins so, the slug itself first. `namespace--…` looks in one namespace only.
async fn search_slugs(
    registry: &Registry,
    viewer: &Viewer,
    wanted: &str,
    limit: usize,
) -> Result<Vec<SkillSummary>, Refused> {
    let (namespace, prefix) = parse(wanted);
    if !prefix.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') || prefix.len() > 64 {
        // No slug has such a character, so nothing can begin so.
        return Ok(Vec::new());
    }
    let partitions = SearchPartition::visible_to(viewer, registry.settings.anonymous_read);
    let hits = registry.table.search(&partitions, &prefix, limit.min(MAX_HITS)).await?;
    let mut found: Vec<_> = hits.iter().map(|text| summary(text)).collect::<Result<_, _>>()?;
    if let Some(namespace) = namespace {
        found.retain(|summary| summary.namespace.as_ref().is_some_and(|found| found.handle() == namespace));
    }
    Ok(found)
}

/// The namespace and the beginning of a slug in what people type: `team--rev`, `@team/rev`, `Code review`.
fn parse(wanted: &str) -> (Option<String>, String) {
    let text = wanted.trim().to_lowercase().split_whitespace().collect::<Vec<_>>().join("-");
    let parts = match text.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/'),
        None => text.split_once("--"),
    };
    match parts {
        Some((namespace, prefix)) => (Some(namespace.to_owned()), prefix.to_owned()),
        None => (None, text),
    }
}

fn summary(text: &str) -> Result<SkillSummary, Refused> {
    SkillSummary::from_json(text).map_err(|e| {
        let cause = e.to_string();
        StoreError::Corrupt { kind: "list entry", cause }.into()
    })
}

/// The name by which these clients install it.
fn canonical(summary: &SkillSummary) -> String {
    let namespace = summary.namespace.clone().unwrap_or_else(Namespace::global);
    let coordinate = Coordinate::new(namespace, summary.slug.clone(), Selector::Latest);
    coordinate.map_or_else(|_| summary.slug.to_string(), |c| CanonicalSlug::to_string(&c.to_canonical()))
}

fn item(summary: &SkillSummary) -> Value {
    let published_at = summary.current_version.published_at.epoch_millis();
    let version = summary.current_version.version.as_str();
    json!({
        "slug": canonical(summary),
        "displayName": summary.name,
        "summary": summary.description,
        "tags": { "latest": version },
        "stats": {},
        "createdAt": created_at(&summary.id).map_or(published_at, |at| at.epoch_millis()),
        "updatedAt": published_at,
        "latestVersion": { "version": version, "createdAt": published_at, "changelog": "" },
    })
}

fn result(summary: &SkillSummary, exact: bool) -> Value {
    json!({
        "score": if exact { 1.0 } else { 0.5 },
        "slug": canonical(summary),
        "displayName": summary.name,
        "summary": summary.description,
        "version": summary.current_version.version,
        "ownerHandle": summary.namespace.as_ref().map(Namespace::handle),
        "updatedAt": summary.current_version.published_at.epoch_millis(),
    })
}
