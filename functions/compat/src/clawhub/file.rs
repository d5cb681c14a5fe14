//! `GET /api/v1/skills/{slug}/file`: one file of a version, as it is.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde::Deserialize;
use skillhub_web::{Caller, Params};

use super::download::chosen;
use super::name::{NameInPath, Named, OwnHandle};
use super::text::{Plain, Refused};
use crate::App;
use crate::files::Readable;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    path: Option<String>,
    #[serde(rename = "ownerHandle")]
    owner: Option<String>,
    version: Option<String>,
    tag: Option<String>,
}

pub(crate) async fn file(
    State(app): State<App>,
    Plain(Caller(viewer)): Plain<Caller>,
    NameInPath(slug): NameInPath,
    Plain(Params(query)): Plain<Params<Query>>,
) -> Result<Response, Refused> {
    let path = query.path.ok_or_else(|| Refused::bad_request("path must be given"))?;
    let named = Named { slug: &slug, owner: query.owner.as_deref() };
    let found = named.find(&app.registry, &viewer, OwnHandle::PersonalElseNobody).await?;
    let version = chosen(&app.registry, &found, query.version.as_deref(), query.tag.as_deref()).await?;
    let readable = Readable::get(&app.registry, &viewer, found.located.skill.id, version.id).await?;
    let bytes = readable.read(&app, &path).await.map_err(|error| match error.status() {
        StatusCode::NOT_FOUND => Refused::new(StatusCode::NOT_FOUND, "File not found"),
        _ => error.into(),
    })?;
    // Whatever it is, it is no page: nothing in it runs in a browser.
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CONTENT_DISPOSITION, "attachment"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, bytes).into_response())
}
