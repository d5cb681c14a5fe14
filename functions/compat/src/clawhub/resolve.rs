//! `GET /api/v1/resolve`: which version a content is, and which one is the latest.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use skillhub_protocol::Sha256;
use skillhub_web::{Caller, Params, Registry};

use super::name::{Named, OwnHandle};
use super::text::{Plain, Refused, answer};

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    slug: Option<String>,
    #[serde(rename = "ownerHandle")]
    owner: Option<String>,
    hash: Option<String>,
}

pub(crate) async fn resolve(
    State(registry): State<Registry>,
    Plain(Caller(viewer)): Plain<Caller>,
    Plain(Params(query)): Plain<Params<Query>>,
) -> Result<Response, Refused> {
    let slug = query.slug.ok_or_else(|| Refused::bad_request("slug must be given"))?;
    let hash: Option<Sha256> = query.hash.and_then(|text| text.parse().ok());
    let hash = hash.ok_or_else(|| Refused::bad_request("hash must be 64 lowercase hex digits"))?;
    let named = Named { slug: &slug, owner: query.owner.as_deref() };
    let found = named.find(&registry, &viewer, OwnHandle::PersonalElseNobody).await?;
    let latest = found.version()?;
    let known = registry.table.fingerprint(&found.located.skill.id, &hash).await?;
    // The same content may have been published under several numbers: then it is the latest, if that is one of them.
    let matched = known.map(|known| match known.artifact_sha256 == latest.artifact_sha256 {
        true => latest.version.clone(),
        false => known.version,
    });
    let version = |version: &skillhub_protocol::Release| json!({ "version": version.to_string() });
    let body = json!({ "match": matched.as_ref().map(version), "latestVersion": version(&latest.version) });
    answer(StatusCode::OK, &body)
}
