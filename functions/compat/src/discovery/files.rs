//! v0.1.0: an index of files, and each of them.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use skillhub_protocol::Coordinate;
use skillhub_store::Viewer;
use skillhub_web::{ApiError, Caller, PathParams};

use super::entry::{FilesEntry, Listed};
use super::place::{Asked, Place};
use super::{INDEX, cached, index};
use crate::App;
use crate::files::{Readable, media_type};

pub(super) async fn answer(
    State(app): State<App>,
    Caller(viewer): Caller,
    PathParams(Asked { place, file }): PathParams<Asked>,
) -> Result<Response, ApiError> {
    let response = match file.split_once('/') {
        None if file == INDEX => files(&app, &viewer, &place).await?,
        Some((slug, path)) => {
            let skill = place.skill(slug).ok_or_else(ApiError::not_found)?;
            read(&app, &viewer, &skill, path).await?
        }
        None => return Err(ApiError::not_found()),
    };
    Ok(cached(response, &place, &viewer))
}

async fn files(app: &App, viewer: &Viewer, place: &Place) -> Result<Response, ApiError> {
    let entries = match place {
        Place::Namespace(namespace) => {
            let mut listed = Listed::of_namespace(&app.registry, viewer, namespace).await?;
            listed.retain(Listed::goes_by_slug);
            with_files(app, listed).await?
        }
        Place::Skill(coordinate) => {
            let readable = Readable::find(&app.registry, viewer, coordinate).await?;
            let listed = Some(Listed::from(&readable)).filter(Listed::goes_by_slug);
            listed.and_then(|listed| FilesEntry::new(listed, readable.files.manifest())).into_iter().collect()
        }
    };
    index(None, entries)
}

async fn with_files(app: &App, listed: Vec<Listed>) -> Result<Vec<FilesEntry>, ApiError> {
    let ids: Vec<_> = listed.iter().map(|listed| listed.ids.clone()).collect();
    let bodies = app.registry.table.version_bodies(&ids).await?;
    let mut entries = Vec::new();
    for (listed, body) in listed.into_iter().zip(bodies) {
        entries.extend(FilesEntry::new(listed, body.files()?.manifest()));
    }
    Ok(entries)
}

async fn read(app: &App, viewer: &Viewer, skill: &Coordinate, path: &str) -> Result<Response, ApiError> {
    let bytes = Readable::find(&app.registry, viewer, skill).await?.read(app, path).await?;
    let kind = media_type(path, &bytes);
    let charset = if kind.starts_with("text/") { "; charset=utf-8" } else { "" };
    Ok(([(header::CONTENT_TYPE, format!("{kind}{charset}"))], bytes).into_response())
}
