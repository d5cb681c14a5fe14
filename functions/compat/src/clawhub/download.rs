//! `GET /api/v1/download`: on to a URL that reads the artifact.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Deserialize;
use skillhub_protocol::Tag;
use skillhub_store::{LocatedVersion, ObjectKey};
use skillhub_web::{ApiError, Caller, METRICS, Now, Params, Registry};

use super::name::{Found, Named, OwnHandle};
use super::text::{Plain, Refused};
use super::versions::exactly;
use crate::App;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    slug: Option<String>,
    #[serde(rename = "ownerHandle", alias = "owner")]
    owner: Option<String>,
    version: Option<String>,
    tag: Option<String>,
}

pub(crate) async fn download(
    State(App { registry, objects, .. }): State<App>,
    Plain(Caller(viewer)): Plain<Caller>,
    Now(now): Now,
    Plain(Params(query)): Plain<Params<Query>>,
) -> Result<Response, Refused> {
    let slug = query.slug.ok_or_else(|| Refused::bad_request("slug must be given"))?;
    let named = Named { slug: &slug, owner: query.owner.as_deref() };
    let found = named.find(&registry, &viewer, OwnHandle::PersonalElseNobody).await?;
    let version = chosen(&registry, &found, query.version.as_deref(), query.tag.as_deref()).await?;
    let skill = &found.located.skill;
    let file_name = format!("{}-{}.zip", skill.slug, version.version);
    let key = ObjectKey::Package { skill: skill.id.clone(), version: version.id, artifact: version.artifact_sha256 };
    let credential = objects.presign_download(&key, &file_name, now).await?;
    tracing::info!(target: METRICS, Presigned = 1, Kind = "download");
    let location = HeaderValue::try_from(credential.url.expose()).map_err(|e| ApiError::internal(e.to_string()))?;
    let no_store = HeaderValue::from_static("no-store");
    Ok((StatusCode::FOUND, [(header::LOCATION, location), (header::CACHE_CONTROL, no_store)]).into_response())
}

/// The version that is named by number, else by tag, else by the name itself.
pub(crate) async fn chosen(
    registry: &Registry,
    found: &Found,
    version: Option<&str>,
    tag: Option<&str>,
) -> Result<LocatedVersion, Refused> {
    let given = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    match (given(version), given(tag)) {
        (Some(version), _) => exactly(registry, found, &version).await,
        (None, Some(tag)) if tag != Tag::LATEST => {
            let targets = &found.located.skill.tags;
            let target = targets.iter().find(|target| target.tag.as_str() == tag);
            let target = target.ok_or_else(Refused::version_not_found)?;
            exactly(registry, found, &target.version.to_string()).await
        }
        _ => found.version().cloned(),
    }
}
