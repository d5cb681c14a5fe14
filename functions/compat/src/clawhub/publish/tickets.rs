//! Packages that come file by file: a ticket for each file, then its bytes, then the publication that names them all.

use std::collections::HashSet;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::json;
use skillhub_package::pack::SourceFile;
use skillhub_package::{Limits, sha256};
use skillhub_protocol::{Sha256, UploadId, UtcMillis};
use skillhub_store::{Authenticated, NewTicket, TicketId, TicketItem};
use skillhub_web::{Known, Now, Publisher, rng};
use tokio::task::JoinSet;

use super::super::account::origin;
use super::super::text::{Plain, Refused, answer};
use super::FileRef;
use super::body::{self, MAX_BODY_BYTES};
use crate::App;

/// The longest path that a ticket is made for, in bytes; the policy allows less.
const MAX_PATH: usize = 1024;

#[derive(Debug, Deserialize)]
struct Wanted {
    path: String,
    size: u64,
    sha256: String,
}

/// `POST /api/v1/skills/-/upload-url`. One write of the caller's rate for each file; its bytes then take none.
pub(crate) async fn open(
    State(app): State<App>,
    Plain(Publisher(caller)): Plain<Publisher>,
    Now(now): Now,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, Refused> {
    let origin = origin(&headers)?;
    let body = body::read(request, skillhub_web::MAX_BODY_BYTES).await?;
    let wanted: Wanted = serde_json::from_slice(&body)
        .map_err(|e| Refused::bad_request(format!("The request for an upload cannot be read: {e}")))?;
    let sha256 = wanted.sha256.parse().map_err(|_| Refused::bad_request("sha256 must be 64 lowercase hex digits"))?;
    if wanted.path.is_empty() || wanted.path.len() > MAX_PATH {
        return Err(Refused::bad_request(format!("path must have 1 to {MAX_PATH} bytes")));
    }
    demand_size(&wanted)?;
    let file = NewTicket { path: &wanted.path, bytes: wanted.size, sha256 };
    let ticket = app.registry.table.open_ticket(&caller.principal, file, now, &mut rng()).await?;
    let upload_url = format!("{origin}/api/v1/skills/-/upload/{ticket}");
    answer(StatusCode::OK, &json!({ "uploadUrl": upload_url, "uploadTicket": ticket.to_string() }))
}

fn demand_size(wanted: &Wanted) -> Result<(), Refused> {
    let limit = Limits::default().file_bytes.min(MAX_BODY_BYTES as u64);
    if wanted.size <= limit {
        return Ok(());
    }
    let text = format!("{} has {} bytes, at most {limit} are allowed.", wanted.path, wanted.size);
    Err(Refused::too_large(format!("{text} Make the file smaller, or leave it out of the skill.")))
}

/// `POST /api/v1/skills/-/upload/{ticket}`: the bytes that a ticket was made for, as often as it takes to get them here.
pub(crate) async fn upload(
    State(app): State<App>,
    Plain(Known(caller)): Plain<Known>,
    Now(now): Now,
    Path(ticket): Path<String>,
    request: Request,
) -> Result<Response, Refused> {
    let id: TicketId = ticket.parse().map_err(|_| no_ticket())?;
    let ticket = app.registry.table.tickets(std::slice::from_ref(&id)).await?.remove(&id);
    let ticket = ticket.filter(|ticket| is_valid(ticket, &caller, now)).ok_or_else(no_ticket)?;
    if ticket.session_id.is_some() {
        return Err(used_already(&ticket.path));
    }
    let bytes = body::read(request, MAX_BODY_BYTES).await?;
    if bytes.len() as u64 != ticket.bytes || sha256(&bytes) != ticket.sha256 {
        let (sent, declared) = (bytes.len(), ticket.bytes);
        let text = format!("{} was announced with {declared} bytes; the {sent} bytes sent are others.", ticket.path);
        return Err(Refused::bad_request(text));
    }
    app.objects.put_part(&id, ticket.sha256, bytes).await?;
    answer(StatusCode::OK, &json!({ "storageId": id.to_string() }))
}

/// The one answer for a ticket that is unknown, somebody else's, or too old.
fn no_ticket() -> Refused {
    Refused::bad_request("The upload ticket is not valid (any more). Publish again.")
}

fn used_already(path: &str) -> Refused {
    Refused::bad_request(format!("The upload ticket of {path} was used already. Publish again."))
}

fn is_valid(ticket: &TicketItem, caller: &Authenticated, now: UtcMillis) -> bool {
    ticket.principal == caller.principal && ticket.expires_at > now
}

/// The files of a publication whose tickets are good.
pub(crate) struct Uploaded {
    pub(crate) tickets: Vec<TicketId>,
    paths: Vec<String>,
    /// The session that all of these tickets were used for, if they were.
    pub(crate) session: Option<UploadId>,
}

/// Checks what a publication says of its files against their tickets: one call.
pub(crate) async fn check(
    app: &App,
    caller: &Authenticated,
    files: &[FileRef],
    now: UtcMillis,
) -> Result<Uploaded, Refused> {
    demand_bounds(files, app.registry.settings.max_archive_bytes)?;
    let ids: Vec<TicketId> =
        files.iter().map(|file| file.upload_ticket.parse().map_err(|_| no_ticket())).collect::<Result<_, _>>()?;
    if ids.iter().collect::<HashSet<_>>().len() != ids.len() {
        return Err(Refused::bad_request("Each file needs an upload ticket of its own."));
    }
    let found = app.registry.table.tickets(&ids).await?;
    let mut sessions = HashSet::new();
    for (file, id) in files.iter().zip(&ids) {
        let ticket = found.get(id).filter(|ticket| is_valid(ticket, caller, now)).ok_or_else(no_ticket)?;
        if !is_for(ticket, file) {
            let text = format!("The upload ticket of {} is for another path, size or content.", file.path);
            return Err(Refused::bad_request(text));
        }
        sessions.insert(ticket.session_id.clone());
    }
    let mut sessions = sessions.into_iter();
    match (sessions.next(), sessions.next()) {
        (session, None) => {
            let paths = files.iter().map(|file| file.path.clone()).collect();
            Ok(Uploaded { tickets: ids, paths, session: session.flatten() })
        }
        _ => Err(used_already("some of these files")),
    }
}

fn is_for(ticket: &TicketItem, file: &FileRef) -> bool {
    let sha256 = file.sha256.parse::<Sha256>().ok();
    ticket.path == file.path && ticket.bytes == file.size && Some(ticket.sha256) == sha256
}

fn demand_bounds(files: &[FileRef], max_bytes: u64) -> Result<(), Refused> {
    let (count, limit) = (files.len(), Limits::default().files);
    if count > limit {
        return Err(Refused::too_large(format!("The skill has {count} files, at most {limit} are allowed.")));
    }
    let bytes = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
    if bytes > max_bytes {
        let text = format!("The files have {bytes} bytes together, at most {max_bytes} are allowed.");
        return Err(Refused::too_large(text));
    }
    Ok(())
}

impl Uploaded {
    /// The bytes of all files, one read each, at the same time. `None` if some are not there any more, because they are part of
    /// a session.
    pub(crate) async fn files(&self, app: &App) -> Result<Option<Vec<SourceFile>>, Refused> {
        let mut reads = JoinSet::new();
        for (id, path) in self.tickets.iter().cloned().zip(self.paths.iter().cloned()) {
            let objects = app.objects.clone();
            reads.spawn(async move { (objects.read_part(&id).await, path) });
        }
        let mut files = Vec::new();
        for (data, path) in reads.join_all().await {
            match data? {
                Some(data) => files.push(SourceFile { path, data }),
                None if self.session.is_some() => return Ok(None),
                None => return Err(Refused::bad_request(format!("{path} was not uploaded. Publish again."))),
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Some(files))
    }
}

/// Uses the tickets up for a session, or refuses: they went into another one.
pub(crate) async fn demand_unused(app: &App, tickets: &[TicketId], session: &UploadId) -> Result<(), Refused> {
    if tickets.is_empty() || app.registry.table.use_tickets(tickets, session).await? {
        return Ok(());
    }
    Err(used_already("some of these files"))
}

/// The tickets of a publication that is there already.
pub(crate) async fn used(app: &App, tickets: &[TicketId], session: &UploadId) -> Result<(), Refused> {
    demand_unused(app, tickets, session).await?;
    remove_parts(app, tickets).await;
    Ok(())
}

/// Best effort: what stays is removed by the sweeper.
pub(crate) async fn remove_parts(app: &App, tickets: &[TicketId]) {
    let mut removals = JoinSet::new();
    for id in tickets {
        let (objects, id) = (app.objects.clone(), id.clone());
        removals.spawn(async move { objects.delete_part(&id).await });
    }
    for removed in removals.join_all().await {
        if let Err(error) = removed {
            tracing::warn!(%error, "a part could not be removed");
        }
    }
}
