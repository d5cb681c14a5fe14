//! What a coordinate means now, and which skill has a name.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use skillhub_protocol::{CanonicalSlug, Coordinate, NamedSkillResponse, ResolveResponse, Selector, Slug};
use skillhub_web::{ApiError, Caller, Handle, Params, PathParams, Registry, json};

#[derive(Debug, Deserialize)]
pub(crate) struct ResolveQuery {
    coordinate: Option<String>,
    #[serde(rename = "canonicalSlug")]
    canonical_slug: Option<String>,
}

impl ResolveQuery {
    fn parse(self) -> Result<Coordinate, ApiError> {
        let invalid = |path, e: String| ApiError::invalid("invalid_coordinate", path, e);
        match (self.coordinate, self.canonical_slug) {
            (Some(text), None) => text.parse().map_err(|e| invalid("coordinate", String::from(e))),
            (None, Some(text)) => {
                let slug: CanonicalSlug = text.parse().map_err(|e| invalid("canonicalSlug", String::from(e)))?;
                Ok(slug.with(Selector::Latest))
            }
            _ => Err(invalid("coordinate", String::from("must be given, or else canonicalSlug"))),
        }
    }
}

pub(crate) async fn resolve(
    State(registry): State<Registry>,
    Caller(viewer): Caller,
    Params(query): Params<ResolveQuery>,
) -> Result<Response, ApiError> {
    let coordinate = query.parse()?;
    let resolved = registry.table.resolve(&coordinate).await?.ok_or_else(ApiError::not_found)?;
    if !viewer.may_see(&resolved.audience, registry.settings.anonymous_read) {
        return Err(ApiError::not_found());
    }
    let answer = ResolveResponse {
        namespace: coordinate.namespace().clone(),
        slug: coordinate.slug().clone(),
        skill_id: resolved.skill_id,
        version_id: resolved.version_id,
        version: (&resolved.version).into(),
        sha256: resolved.artifact_sha256,
        size_bytes: resolved.artifact_bytes,
    };
    json(StatusCode::OK, &answer)
}

/// Also for a skill without an available version, which `resolve` does not find and whose versions can still be managed.
pub(crate) async fn named(
    State(registry): State<Registry>,
    Caller(viewer): Caller,
    PathParams((Handle(namespace), slug)): PathParams<(Handle, Slug)>,
) -> Result<Response, ApiError> {
    let skill = registry.table.named_skill(&namespace, &slug).await?.ok_or_else(ApiError::not_found)?;
    if !viewer.may_see(&skill.audience, registry.settings.anonymous_read) {
        return Err(ApiError::not_found());
    }
    json(StatusCode::OK, &NamedSkillResponse { namespace, slug, skill_id: skill.skill_id })
}
