//! Upload sessions: one attempt to publish one version.
//!
//! | route | calls, authentication apart |
//! |---|---|
//! | `POST /api/uploads` | at most 5, as many again after a race |
//! | `GET /api/uploads/{id}` | 1 read |
//! | `DELETE /api/uploads/{id}` | 1 read, 1 transaction, 1 delete of the lock |
//! | `GET /api/uploads` | 1 query |

mod answer;
mod open;

use axum::Router;
use axum::extract::{FromRef, State};
use axum::response::Response;
use axum::routing::get;
use http::StatusCode;
use skillhub_protocol::{UploadId, UploadState, UploadsResponse};
use skillhub_store::{Authenticated, Objects, SessionItem};
use skillhub_web::{ApiError, Known, Now, PathParams, Publisher, Registry, json};

/// How many open sessions a list shows.
const MAX_OWN_SESSIONS: usize = 100;

#[derive(Debug, Clone, FromRef)]
struct App {
    registry: Registry,
    objects: Objects,
}

/// The routes of this function.
pub fn router(registry: Registry, objects: Objects) -> Router {
    Router::new()
        .route("/api/uploads", get(own).post(open::open))
        .route("/api/uploads/{uploadId}", get(show).delete(cancel))
        .with_state(App { registry, objects })
}

async fn show(
    State(app): State<App>,
    Known(caller): Known,
    Now(now): Now,
    PathParams(id): PathParams<UploadId>,
) -> Result<Response, ApiError> {
    let session = visible_session(&app.registry, &caller, &id).await?;
    answer::session(&app.objects, &session, StatusCode::OK, now).await
}

async fn cancel(
    State(app): State<App>,
    Publisher(caller): Publisher,
    Now(now): Now,
    PathParams(id): PathParams<UploadId>,
) -> Result<Response, ApiError> {
    let mut session = visible_session(&app.registry, &caller, &id).await?;
    if session.state == UploadState::Open {
        if app.registry.table.close_open_session(&session, UploadState::Canceled, now).await? {
            session.state = UploadState::Canceled;
        } else {
            session = visible_session(&app.registry, &caller, &id).await?;
        }
    }
    if session.state != UploadState::Canceled {
        let detail = "This upload is being validated or has ended, so it cannot be canceled. GET it for its state.";
        return Err(ApiError::conflict("session_closed", detail));
    }
    // Bytes that have landed already, or land later, are removed by their event or by the sweeper.
    app.registry.table.release_lock(&session).await?;
    answer::session(&app.objects, &session, StatusCode::OK, now).await
}

async fn own(State(app): State<App>, Known(caller): Known) -> Result<Response, ApiError> {
    let sessions = app.registry.table.own_sessions(&caller.principal, MAX_OWN_SESSIONS).await?;
    json(StatusCode::OK, &UploadsResponse::new(sessions))
}

/// A session, for its opener and for the owners of its namespace. For everybody else it does not exist.
async fn visible_session(registry: &Registry, caller: &Authenticated, id: &UploadId) -> Result<SessionItem, ApiError> {
    let session = registry.table.session(id).await?.ok_or_else(ApiError::not_found)?;
    let owns = caller.membership(&session.namespace_id).is_some_and(|m| m.role == skillhub_protocol::Role::Owner);
    if session.principal == caller.principal || owns { Ok(session) } else { Err(ApiError::not_found()) }
}
