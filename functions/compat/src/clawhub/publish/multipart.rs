//! The form of clients before 0.23.3: a field `payload`, and a field `files` for each file, whose name is its path.

use axum::body::Body;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use skillhub_package::pack::SourceFile;

use super::super::text::Refused;
use super::Payload;
use super::body::{self, MAX_BODY_BYTES};

pub(crate) async fn read(request: Request) -> Result<(Payload, Vec<SourceFile>), Refused> {
    let (head, body) = request.into_parts();
    let bytes = body::read(Request::new(body), MAX_BODY_BYTES).await?;
    let form = Multipart::from_request(Request::from_parts(head, Body::from(bytes)), &()).await;
    let mut form = form.map_err(|e| Refused::bad_request(e.body_text()))?;
    let (mut payload, mut files) = (None, Vec::new());
    while let Some(field) = form.next_field().await.map_err(unreadable)? {
        match field.name() {
            Some("payload") => payload = Some(Payload::from_json(&field.bytes().await.map_err(unreadable)?)?),
            Some("files") => files.push(file(field).await?),
            _ => {}
        }
    }
    let payload = payload.ok_or_else(|| Refused::bad_request("The form must have a field \"payload\"."))?;
    Ok((payload, files))
}

async fn file(field: Field<'_>) -> Result<SourceFile, Refused> {
    let path = field.file_name().map(unescape);
    let path = path.ok_or_else(|| Refused::bad_request("Each field \"files\" must have a file name."))?;
    let data = field.bytes().await.map_err(unreadable)?.to_vec();
    Ok(SourceFile { path, data })
}

/// A form writes these characters so (HTML, multipart/form-data). No package has them in a path, and so it is refused.
fn unescape(name: &str) -> String {
    name.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n")
}

fn unreadable(error: MultipartError) -> Refused {
    Refused::bad_request(format!("The form cannot be read: {}", error.body_text()))
}
