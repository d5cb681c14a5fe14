//! Deleting and bringing back: yank and unyank. Nothing that was published is destroyed, and no number becomes free.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use skillhub_protocol::{Reason, Release, SkillId, VersionEntry, VersionState};
use skillhub_store::{Authenticated, ChangedBy, Viewer};
use skillhub_web::{Manager, Now, Registry, rng};

use super::name::{Found, NameInPath, Named, OwnHandle, release};
use super::publish::read_json;
use super::text::{Plain, Refused, answer};
use super::versions::VersionInPath;

/// How many versions one request changes. Each is a change of its own, with its own record.
const MAX_CHANGES: usize = 50;
/// How many versions a page of them has.
const PAGE: usize = 100;
/// The reason of versions that were withdrawn as a whole, so that bringing the skill back brings back these and no others.
const WHOLE: &str = "Skill deleted";
/// The reason of a version that was withdrawn by itself.
const SINGLE: &str = "Version deleted";

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Body {
    owner_handle: Option<String>,
    reason: Option<String>,
    version: Option<String>,
}

/// `DELETE /api/v1/skills/{slug}`: every available version is yanked, the lowest first, so that a skill of which some remain
/// keeps its latest one.
pub(crate) async fn delete(
    State(registry): State<Registry>,
    Plain(Manager(caller)): Plain<Manager>,
    Now(now): Now,
    NameInPath(slug): NameInPath,
    request: Request,
) -> Result<Response, Refused> {
    let body: Body = read_json(request).await?;
    if body.version.is_some() {
        let text =
            "This would delete the whole skill. To delete one version: clawhub delete <skill> --version <version>.";
        return Err(Refused::bad_request(text));
    }
    let found = whole(&registry, &caller, &slug, &body).await?;
    let mut versions = versions(&registry, &found, |entry| entry.state == VersionState::Available).await?;
    versions.reverse();
    let reason = body.reason.as_deref().map_or(String::from(WHOLE), |reason| format!("{WHOLE}: {}", reason.trim()));
    change_all(&registry, ChangedBy { caller: &caller, now }, &found, &versions, VersionState::Yanked, &reason).await
}

/// `POST …/undelete`: the versions that were withdrawn as a whole, the highest first.
pub(crate) async fn undelete(
    State(registry): State<Registry>,
    Plain(Manager(caller)): Plain<Manager>,
    Now(now): Now,
    NameInPath(slug): NameInPath,
    request: Request,
) -> Result<Response, Refused> {
    let body: Body = read_json(request).await?;
    let found = whole(&registry, &caller, &slug, &body).await?;
    let versions = versions(&registry, &found, |entry| {
        entry.state == VersionState::Yanked && entry.reason.as_ref().is_some_and(|r| r.as_str().starts_with(WHOLE))
    });
    let versions = versions.await?;
    if versions.is_empty() && found.located.skill.current.is_none() {
        let text = "No version of it was deleted together with the skill. Bring single versions back with --version.";
        return Err(Refused::new(StatusCode::CONFLICT, text));
    }
    let reason = body.reason.as_deref().map_or("Skill undeleted", str::trim);
    change_all(&registry, ChangedBy { caller: &caller, now }, &found, &versions, VersionState::Available, reason).await
}

/// `DELETE /api/v1/skills/{slug}/versions/{version}`.
pub(crate) async fn delete_version(
    state: State<Registry>,
    caller: Plain<Manager>,
    now: Now,
    name: NameInPath,
    version: VersionInPath,
    request: Request,
) -> Result<Response, Refused> {
    change_one(state, caller, now, (name, version), request, VersionState::Yanked, SINGLE).await
}

/// `POST …/versions/{version}/restore`.
pub(crate) async fn restore_version(
    state: State<Registry>,
    caller: Plain<Manager>,
    now: Now,
    name: NameInPath,
    version: VersionInPath,
    request: Request,
) -> Result<Response, Refused> {
    change_one(state, caller, now, (name, version), request, VersionState::Available, "Version restored").await
}

async fn change_one(
    State(registry): State<Registry>,
    Plain(Manager(caller)): Plain<Manager>,
    Now(now): Now,
    (NameInPath(slug), VersionInPath(version)): (NameInPath, VersionInPath),
    request: Request,
    to: VersionState,
    default: &str,
) -> Result<Response, Refused> {
    let body: Body = read_json(request).await?;
    let wanted = release(&version).ok_or_else(Refused::version_not_found)?;
    if body.version.as_deref().is_some_and(|text| release(text).as_ref() != Some(&wanted)) {
        return Err(Refused::bad_request("The version in the body is not the one in the path."));
    }
    let found = find(&registry, &caller, &slug, &body).await?;
    let skill = &found.located.skill.id;
    let version = registry.table.version_by_number(skill, &wanted).await?.ok_or_else(Refused::version_not_found)?;
    let reason = reason(body.reason.as_deref().map_or(default, str::trim))?;
    let by = ChangedBy { caller: &caller, now };
    registry.table.change_version_state(by, (skill, &version.id), to, &reason, &mut rng()).await?;
    answer(StatusCode::OK, &json!({ "ok": true }))
}

async fn find(registry: &Registry, caller: &Authenticated, slug: &str, body: &Body) -> Result<Found, Refused> {
    let viewer = Viewer::Known(Box::new(caller.clone()));
    let named = Named { slug, owner: body.owner_handle.as_deref() };
    named.find(registry, &viewer, OwnHandle::Personal).await
}

/// The skill, if the caller may change all of it and has named no version along with it. What the caller may do is decided again
/// with each version.
async fn whole(registry: &Registry, caller: &Authenticated, slug: &str, body: &Body) -> Result<Found, Refused> {
    let found = find(registry, caller, slug, body).await?;
    if *found.coordinate.selector() != skillhub_protocol::Selector::Latest {
        let text =
            "This names one version. To delete or restore it, give it with --version; to mean all, leave it out.";
        return Err(Refused::bad_request(text));
    }
    let membership = caller.membership(&found.located.skill.namespace_id);
    if membership.is_some_and(|membership| membership.role.may_publish()) {
        return Ok(found);
    }
    Err(skillhub_store::ChangeError::from(skillhub_store::Refusal::NotPermitted).into())
}

/// The versions that `wanted` wants, highest first.
async fn versions(
    registry: &Registry,
    found: &Found,
    wanted: impl Fn(&VersionEntry) -> bool,
) -> Result<Vec<VersionEntry>, Refused> {
    let (mut all, mut after) = (Vec::new(), None::<Release>);
    loop {
        let page = registry.table.versions_now(&found.located.skill.id, after.as_ref(), PAGE).await?;
        all.extend(page.versions.into_iter().filter(&wanted));
        after = page.next;
        if after.is_none() {
            return Ok(all);
        }
    }
}

async fn change_all(
    registry: &Registry,
    by: ChangedBy<'_>,
    found: &Found,
    versions: &[VersionEntry],
    to: VersionState,
    reason_text: &str,
) -> Result<Response, Refused> {
    let (skill, reason): (&SkillId, _) = (&found.located.skill.id, reason(reason_text)?);
    for entry in versions.iter().take(MAX_CHANGES) {
        registry.table.change_version_state(by, (skill, &entry.summary.id), to, &reason, &mut rng()).await?;
    }
    let left = versions.len().saturating_sub(MAX_CHANGES);
    if left == 0 {
        return answer(StatusCode::OK, &json!({ "ok": true }));
    }
    let text = format!("{MAX_CHANGES} versions are changed, {left} are left. Run the same command again.");
    Err(Refused::new(StatusCode::CONFLICT, text))
}

fn reason(text: &str) -> Result<Reason, Refused> {
    text.parse().map_err(|e| Refused::bad_request(format!("reason: {}", String::from(e))))
}
