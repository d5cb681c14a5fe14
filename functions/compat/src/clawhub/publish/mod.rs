//! Publishing: `POST /api/v1/skills`, in both of its forms, through the session, the staging place and the validator that every
//! upload goes through.

mod body;
mod multipart;
mod package;
mod target;
mod tickets;
mod verdict;

use axum::extract::{Request, State};
use axum::response::Response;
use http::header;
use serde::Deserialize;
use skillhub_package::pack::SourceFile;
use skillhub_store::{Authenticated, TicketId};
use skillhub_web::{Now, OpenedUpload, Publisher, open_upload};

use self::target::Target;
pub(crate) use self::tickets::{open as open_ticket, upload};
use super::text::{Plain, Refused};
use crate::App;

/// What a publisher says of a package. Everything else that clients send is no matter of this registry: license terms,
/// changelog and display name; name and description are those of SKILL.md.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Payload {
    slug: String,
    version: String,
    owner_handle: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    migrate_owner: bool,
    #[serde(default)]
    files: Vec<FileRef>,
}

/// A file that was uploaded by itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileRef {
    path: String,
    size: u64,
    sha256: String,
    upload_ticket: String,
}

impl Payload {
    fn from_json(text: &[u8]) -> Result<Self, Refused> {
        serde_json::from_slice(text).map_err(|e| Refused::bad_request(format!("The payload cannot be read: {e}")))
    }
}

pub(crate) async fn publish(
    State(app): State<App>,
    Plain(Publisher(caller)): Plain<Publisher>,
    Now(now): Now,
    request: Request,
) -> Result<Response, Refused> {
    let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if content_type.is_some_and(|value| value.to_ascii_lowercase().starts_with("multipart/form-data")) {
        let (payload, files) = multipart::read(request).await?;
        let target = Target::of(&payload, &caller)?;
        return submit(&app, &caller, &target, files, &[], now).await;
    }
    let payload = Payload::from_json(&body::read(request, skillhub_web::MAX_BODY_BYTES).await?)?;
    let target = Target::of(&payload, &caller)?;
    let uploaded = tickets::check(&app, &caller, &payload.files, now).await?;
    match uploaded.files(&app).await? {
        Some(files) => submit(&app, &caller, &target, files, &uploaded.tickets, now).await,
        // The same publication again, whose answer did not arrive.
        None => verdict::of_session(&app, &caller, &target, uploaded.session.as_ref()).await,
    }
}

/// A body of JSON; none at all is an empty object.
pub(crate) async fn read_json<T: serde::de::DeserializeOwned>(request: Request) -> Result<T, Refused> {
    let bytes = body::read(request, skillhub_web::MAX_BODY_BYTES).await?;
    let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
    serde_json::from_slice(text).map_err(|e| Refused::bad_request(format!("The request cannot be read: {e}")))
}

/// Opens a session for these files and brings them to the validator, like any publisher.
async fn submit(
    app: &App,
    caller: &Authenticated,
    target: &Target,
    files: Vec<SourceFile>,
    tickets: &[TicketId],
    now: skillhub_protocol::UtcMillis,
) -> Result<Response, Refused> {
    let (request, archive) = package::assemble(files, target).await?;
    let opened = open_upload(&app.registry, caller, &request, None, now).await?;
    let session = match opened {
        OpenedUpload::Created(session) | OpenedUpload::Existing(session) => session,
        OpenedUpload::Published { upload_id, published, .. } => {
            tickets::used(app, tickets, &upload_id).await?;
            return verdict::published(target, &upload_id, &published);
        }
    };
    tickets::demand_unused(app, tickets, &session.id).await?;
    if !session.state.is_terminal() {
        app.objects.put_staging(&session.id, request.package.sha256, archive).await?;
    }
    tickets::remove_parts(app, tickets).await;
    verdict::of_session(app, caller, target, Some(&session.id)).await
}
