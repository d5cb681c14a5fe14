//! Discovery indexes: what `npx skills add`, OpenCode and others fetch to find skills below an address.
//!
//! Below the address of a namespace `/@ns`, of a skill `/@ns/slug` or of one of its versions `/@ns/slug@1.2.0` (or `@tag`):
//!
//! | path | what | calls |
//! |---|---|---|
//! | `.well-known/agent-skills/index.json` | v0.2.0: an archive a skill | namespace: 1-2 reads, 1 query a partition; skill: resolve, 1 batch |
//! | `.well-known/agent-skills/<slug>@<version>.zip` | redirect to the artifact | resolve, 1 read |
//! | `.well-known/skills/index.json` | v0.1.0: the files of each skill | as above; for a namespace 1 batch more |
//! | `.well-known/skills/<slug>/<file>` | one of them | resolve, 1 batch, 1 ranged read |
//!
//! There is no index at the root: a client downloads everything that an index names before it lets its user choose, and once
//! a root index exists, `skills` refuses the addresses of single artifacts. The index of a namespace is cut at [`MAX_SKILLS`]
//! for the same reason; every skill has an address of its own.
//!
//! Left out is what a client could not install, or would void the whole index for:
//!
//! - a skill whose name is not its slug: clients demand a kebab-case name, of at most 64 characters, that is the directory's;
//! - in v0.1.0, where a client puts together URLs from paths, a skill with a path that holds `#` or `%` (cut off or decoded
//!   there), `..` (taken for an escape, even in `a..b`) or a space at its front (trimmed away), and one with a file that is too
//!   large to be served alone.
//!
//! Anonymous callers see public skills where the registry allows it; with a token, what it may see. Nothing is counted here, so
//! requests with `X-Skills-Update-Check` need no exception.

mod archives;
mod entry;
mod files;
mod place;

use axum::Router;
use axum::middleware::map_response;
use axum::response::Response;
use axum::routing::get;
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use skillhub_store::Viewer;
use skillhub_web::{ApiError, json};

use self::place::Place;
use crate::App;

/// How many skills the index of a namespace names at most, the oldest first: a client downloads all of them, each up to
/// 11 MiB, before it shows the first.
const MAX_SKILLS: usize = 50;

/// The file that a client asks for first.
const INDEX: &str = "index.json";

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/{owner}/.well-known/agent-skills/{file}", get(archives::answer))
        .route("/{owner}/{skill}/.well-known/agent-skills/{file}", get(archives::answer))
        .route("/{owner}/.well-known/skills/{*file}", get(files::answer))
        .route("/{owner}/{skill}/.well-known/skills/{*file}", get(files::answer))
        .layer(map_response(open_to_all))
}

/// Pages of any origin may read what needs no cookie, and a browser keeps to the media type that is stated.
async fn open_to_all(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::VARY, HeaderValue::from_static("authorization"));
    response
}

/// An index of what may be seen; without any, there is none, as for a place that does not exist.
fn index<T: Serialize>(schema: Option<&'static str>, skills: Vec<T>) -> Result<Response, ApiError> {
    #[derive(Serialize)]
    struct Index<T> {
        #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
        schema: Option<&'static str>,
        skills: Vec<T>,
    }
    if skills.is_empty() {
        return Err(ApiError::not_found());
    }
    json(StatusCode::OK, &Index { schema, skills })
}

/// A version never changes, but that it may be seen can, so only its reader keeps it; what moves is kept for a minute.
fn cached(mut response: Response, place: &Place, viewer: &Viewer) -> Response {
    let value = match viewer {
        _ if place.is_pinned() => "private, max-age=86400, immutable",
        Viewer::Anonymous => "public, max-age=60",
        Viewer::Known(_) => "private, max-age=60",
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(value));
    response
}
