//! `skillhub status`.

use serde_json::{Value, json};
use skillhub_protocol::{UploadSession, UploadState};

use super::show::counted;
use super::{Context, Ended};
use crate::args::StatusArgs;
use crate::error::{Exit, Failure};
use crate::output::finding_lines;

/// Shows one upload with its findings, or all of the caller's that are not finished. An upload that failed is a failure.
pub(super) fn run(context: &Context, args: &StatusArgs) -> Ended {
    let client = context.client()?;
    let ids = match &args.upload {
        Some(id) => vec![id.clone()],
        None => client.own_uploads()?,
    };
    let sessions = ids.iter().map(|id| client.upload(id)).collect::<Result<Vec<_>, Failure>>()?;
    if context.output.is_json() {
        match (&args.upload, sessions.first()) {
            (Some(_), Some(session)) => context.output.json(&summary(session)),
            _ => context.output.json(&sessions.iter().map(summary).collect::<Vec<_>>()),
        }
    } else {
        sessions.iter().for_each(|session| print(context, session));
        if args.upload.is_none() {
            let verb = if sessions.len() == 1 { "is" } else { "are" };
            context.output.note(format!("{} {verb} not finished", counted(sessions.len(), "upload")));
        }
    }
    Ok(args.upload.as_ref().and_then(|_| sessions.first()).and_then(exit))
}

/// Without the URL for the upload, which is a credential.
fn summary(session: &UploadSession) -> Value {
    json!({
        "id": session.id, "state": session.state, "coordinate": coordinate(session), "expiresAt": session.expires_at,
        "published": session.published, "findings": session.findings,
    })
}

fn coordinate(session: &UploadSession) -> String {
    format!("{}/{}@{}", session.namespace, session.slug, session.version)
}

fn print(context: &Context, session: &UploadSession) {
    context.output.data(format!("{} {} {}", session.id, session.state, coordinate(session)));
    for line in session.findings.iter().flat_map(finding_lines) {
        context.output.data_line(&format!("  {line}"));
    }
}

fn exit(session: &UploadSession) -> Option<Exit> {
    match session.state {
        UploadState::Rejected => Some(Exit::Refused),
        UploadState::Failed | UploadState::Expired | UploadState::Canceled => Some(Exit::Failed),
        UploadState::Open | UploadState::Validating | UploadState::Published => None,
    }
}
