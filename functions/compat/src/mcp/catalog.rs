//! What there is, and what stands in it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};
use skillhub_protocol::{Manifest, SkillId, SkillSummary};
use skillhub_store::{Filter, Viewer};
use skillhub_web::ApiError;

use super::rpc::{Code, Failure, Fault, Request};
use super::skill::{MAX_ENTRIES, SkillUri, entry, is_spelled, size, uri};
use crate::App;
use crate::files::{Readable, media_type, plain_text};

/// Skills a page of `skills/list`: their bodies are one batch of reads, of at most some 30 KB each.
const SKILLS_PER_PAGE: usize = 50;
/// Skills a page of `resources/list`, which reads the list alone.
const RESOURCES_PER_PAGE: usize = 100;

/// A page of the list of all that the caller sees, and where the next one begins.
struct Page {
    summaries: Vec<SkillSummary>,
    next: Option<SkillId>,
}

impl Page {
    async fn read(app: &App, viewer: &Viewer, request: &Request, limit: usize) -> Result<Self, Failure> {
        let invalid =
            |_| Fault::new(Code::InvalidParams, "cursor must be the nextCursor of an earlier page, unchanged");
        let after: Option<SkillId> = request.text("cursor")?.map(str::parse).transpose().map_err(invalid)?;
        let (table, anonymous_read) = (&app.registry.table, app.registry.settings.anonymous_read);
        let partitions = table.list_partitions(viewer, anonymous_read, &Filter::default()).await?;
        let page = table.list(&partitions, after.as_ref(), limit).await?;
        Ok(Self { summaries: page.parse()?, next: page.next })
    }
}

/// A result with the cursor of the next page, if there is one.
fn paged(name: &str, items: Vec<Value>, next: Option<&SkillId>) -> Value {
    let mut result = Map::from_iter([(name.to_owned(), Value::from(items))]);
    result.extend(next.map(|next| (String::from("nextCursor"), json!(next))));
    result.into()
}

/// `skills/list`. A page ends early where its answer would become too long; it may have fewer entries than skills.
pub(super) async fn skills(app: &App, viewer: &Viewer, request: &Request) -> Result<Value, Failure> {
    let Page { summaries, mut next } = Page::read(app, viewer, request, SKILLS_PER_PAGE).await?;
    let ids: Vec<_> = summaries.iter().map(|s| (s.id.clone(), s.current_version.id.clone())).collect();
    let bodies = app.registry.table.version_bodies(&ids).await?;
    let (mut entries, mut room, mut last) = (Vec::new(), MAX_ENTRIES, None);
    for (summary, body) in summaries.into_iter().zip(bodies) {
        let files = body.files()?;
        let namespace = summary.namespace.as_ref();
        if let Some(entry) = namespace.and_then(|ns| entry(ns, files.manifest(), body.extra.frontmatter)) {
            let Some(left) = room.checked_sub(size(&entry)) else {
                next = last;
                break;
            };
            room = left;
            entries.push(entry);
        }
        last = Some(summary.id);
    }
    Ok(paged("skills", entries, next.as_ref()))
}

/// `skills/get`.
pub(super) async fn skill(app: &App, viewer: &Viewer, request: &Request) -> Result<Value, Failure> {
    let SkillUri { coordinate, path } = asked(request)?;
    if path != Manifest::SKILL_MD {
        return Err(ApiError::not_found().into());
    }
    let readable = Readable::find(&app.registry, viewer, &coordinate).await?;
    let entry = entry(coordinate.namespace(), readable.files.manifest(), readable.frontmatter);
    Ok(json!({ "skill": entry.ok_or_else(ApiError::not_found)? }))
}

fn asked(request: &Request) -> Result<SkillUri, Failure> {
    Ok(SkillUri::parse(request.required("uri")?).ok_or_else(ApiError::not_found)?)
}

/// `resources/list`: the `SKILL.md` of each skill.
pub(super) async fn resources(app: &App, viewer: &Viewer, request: &Request) -> Result<Value, Failure> {
    let Page { summaries, next } = Page::read(app, viewer, request, RESOURCES_PER_PAGE).await?;
    let spelled = summaries.iter().filter(|summary| summary.name.as_str() == summary.slug.as_str());
    let resources = spelled.filter_map(|summary| {
        Some(json!({
            "uri": uri(summary.namespace.as_ref()?, &summary.slug, Manifest::SKILL_MD),
            "name": summary.slug,
            "description": summary.description,
            "mimeType": "text/markdown",
        }))
    });
    Ok(paged("resources", resources.collect(), next.as_ref()))
}

/// `resources/read`: a file as text, or as base64 where it is none or would become too long by its escapes.
pub(super) async fn read(app: &App, viewer: &Viewer, request: &Request) -> Result<Value, Failure> {
    let (uri, SkillUri { coordinate, path }) = (request.required("uri")?, asked(request)?);
    let readable = Readable::find(&app.registry, viewer, &coordinate).await?;
    if !is_spelled(coordinate.slug(), &readable.frontmatter) {
        return Err(ApiError::not_found().into());
    }
    let bytes = readable.read(app, &path).await?;
    let mut content = json!({ "uri": uri, "mimeType": media_type(&path, &bytes) });
    match plain_text(&bytes).map(Value::from).filter(|text| text.to_string().len() <= MAX_ENTRIES) {
        Some(text) => content["text"] = text,
        None => content["blob"] = BASE64.encode(&bytes).into(),
    }
    Ok(json!({ "contents": [content] }))
}
