//! v0.2.0: an index of archives, and the way to each.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use skillhub_protocol::{Coordinate, Release, Selector};
use skillhub_store::Viewer;
use skillhub_web::{ApiError, Caller, METRICS, Now, PathParams};

use super::entry::{ArchiveEntry, Listed};
use super::place::{Asked, Place};
use super::{INDEX, cached, index};
use crate::App;
use crate::files::{Readable, demand_bytes};

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

pub(super) async fn answer(
    State(app): State<App>,
    Caller(viewer): Caller,
    Now(now): Now,
    PathParams(Asked { place, file }): PathParams<Asked>,
) -> Result<Response, ApiError> {
    if file == INDEX {
        return Ok(cached(archives(&app, &viewer, &place).await?, &place, &viewer));
    }
    let archive = named(&place, &file).ok_or_else(ApiError::not_found)?;
    redirect(&app, &viewer, &archive, now).await
}

async fn archives(app: &App, viewer: &Viewer, place: &Place) -> Result<Response, ApiError> {
    let listed = match place {
        Place::Namespace(namespace) => Listed::of_namespace(&app.registry, viewer, namespace).await?,
        Place::Skill(coordinate) => vec![Listed::from(&Readable::find(&app.registry, viewer, coordinate).await?)],
    };
    let entries = listed.into_iter().filter(Listed::goes_by_slug).map(ArchiveEntry::from);
    index(Some(SCHEMA), entries.collect())
}

/// `<slug>@<version>.zip`: always the exact version, so that the digest in an index stays true.
fn named(place: &Place, file: &str) -> Option<Coordinate> {
    let (slug, version) = file.strip_suffix(".zip")?.split_once('@')?;
    let (here, version) = (place.skill(slug)?, Selector::Version(version.parse::<Release>().ok()?));
    if place.is_pinned() && *here.selector() != version {
        return None;
    }
    Coordinate::new(place.namespace().clone(), here.slug().clone(), version).ok()
}

/// The presigned URL dies within minutes, so nobody keeps the redirect.
async fn redirect(
    app: &App,
    viewer: &Viewer,
    archive: &Coordinate,
    now: skillhub_protocol::UtcMillis,
) -> Result<Response, ApiError> {
    let table = &app.registry.table;
    let resolved = table.resolve(archive).await?.ok_or_else(ApiError::not_found)?;
    let version = table.version(&resolved.skill_id, &resolved.version_id).await?.ok_or_else(ApiError::not_found)?;
    if !viewer.may_see(&version.audience, app.registry.settings.anonymous_read) {
        return Err(ApiError::not_found());
    }
    demand_bytes(&version)?;
    let file_name = format!("{}-{}.zip", version.slug, version.version);
    let key = crate::files::artifact(resolved.skill_id, resolved.version_id, &version);
    let url = app.objects.presign_download(&key, &file_name, now).await?.url;
    tracing::info!(target: METRICS, Presigned = 1, Kind = "download");
    let headers = [(header::LOCATION, url.expose()), (header::CACHE_CONTROL, "no-store")];
    Ok((StatusCode::FOUND, headers).into_response())
}
