//! `POST /api/v1/skills/{slug}/tags/{tag}`.

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use skillhub_protocol::Tag;
use skillhub_store::{ChangedBy, Viewer};
use skillhub_web::{Manager, Now, Registry, rng};

use super::name::{Named, OwnHandle, release};
use super::publish::read_json;
use super::text::{Plain, Refused, answer};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    version: String,
    owner_handle: Option<String>,
}

pub(crate) async fn tag(
    State(registry): State<Registry>,
    Plain(Manager(caller)): Plain<Manager>,
    Now(now): Now,
    Path((slug, tag)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Refused> {
    let body: Body = read_json(request).await?;
    let viewer = Viewer::Known(Box::new(caller.clone()));
    let named = Named { slug: &slug, owner: body.owner_handle.as_deref() };
    let found = named.find(&registry, &viewer, OwnHandle::Personal).await?;
    let tag = parse(&tag)?;
    let version = release(&body.version).ok_or_else(Refused::version_not_found)?;
    let by = ChangedBy { caller: &caller, now };
    registry.table.move_tag(by, &found.located.skill.id, &tag, &version, &mut rng()).await?;
    let body = json!({ "ok": true, "slug": found.spelling, "tag": tag, "version": version.to_string() });
    answer(StatusCode::OK, &body)
}

fn parse(text: &str) -> Result<Tag, Refused> {
    let tag: Tag = text.parse().map_err(|e| Refused::bad_request(format!("tag {text:?}: {}", String::from(e))))?;
    if tag.as_str() != Tag::LATEST {
        return Ok(tag);
    }
    let text = "\"latest\" is computed: it is the highest available release. Withdraw a version to move it, or use another tag.";
    Err(Refused::bad_request(text))
}
