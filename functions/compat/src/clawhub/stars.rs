//! `POST` and `DELETE /api/v1/stars/{slug}`: what the caller likes. Kept for its giver; nothing is counted.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde_json::json;
use skillhub_protocol::SkillId;
use skillhub_store::{Authenticated, Viewer};
use skillhub_web::{Manager, Now, Params, Registry};

use super::name::{NameInPath, Named, OwnHandle};
use super::skill::Owner;
use super::text::{Plain, Refused, answer};

pub(crate) async fn star(
    State(registry): State<Registry>,
    Plain(Manager(caller)): Plain<Manager>,
    Now(now): Now,
    NameInPath(slug): NameInPath,
    Plain(Params(owner)): Plain<Params<Owner>>,
) -> Result<Response, Refused> {
    let skill = skill(&registry, &caller, &slug, &owner).await?;
    let new = registry.table.star(&caller.principal, &skill, now).await?;
    answer(StatusCode::OK, &json!({ "ok": true, "starred": true, "alreadyStarred": !new }))
}

pub(crate) async fn unstar(
    State(registry): State<Registry>,
    Plain(Manager(caller)): Plain<Manager>,
    NameInPath(slug): NameInPath,
    Plain(Params(owner)): Plain<Params<Owner>>,
) -> Result<Response, Refused> {
    let skill = skill(&registry, &caller, &slug, &owner).await?;
    let was = registry.table.unstar(&caller.principal, &skill).await?;
    answer(StatusCode::OK, &json!({ "ok": true, "unstarred": true, "alreadyUnstarred": !was }))
}

async fn skill(registry: &Registry, caller: &Authenticated, slug: &str, owner: &Owner) -> Result<SkillId, Refused> {
    let viewer = Viewer::Known(Box::new(caller.clone()));
    let named = Named { slug, owner: owner.handle.as_deref() };
    Ok(named.find(registry, &viewer, OwnHandle::Personal).await?.located.skill.id)
}
