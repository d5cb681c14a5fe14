//! Many skills at once: what each of them gets, before anything is written or uploaded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use skillhub_protocol::Slug;

use super::Draft;
use crate::error::{Exit, Failure};

/// What shall become of one source.
pub(crate) enum Planned {
    /// It can be published.
    Ready(Box<Draft>),
    /// It is the same as this other source, which comes first.
    SameAs(PathBuf),
    /// It cannot be published.
    Refused(Failure),
}

/// Decides for each draft. Sources that claim one slug are published once if they are equal; otherwise none of them is, since
/// nobody can tell which one is meant.
pub(crate) fn plan(drafts: Vec<(PathBuf, Result<Draft, Failure>)>) -> Vec<(PathBuf, Planned)> {
    let claims = claims(&drafts);
    let decide = |(source, draft): (PathBuf, Result<Draft, Failure>)| {
        let planned = match draft {
            Ok(draft) => decide(draft, &source, &claims),
            Err(failure) => Planned::Refused(failure),
        };
        (source, planned)
    };
    drafts.into_iter().map(decide).collect()
}

/// The sources that claim a slug, in order, and whether they are all equal.
struct Claim {
    sources: Vec<PathBuf>,
    is_one: bool,
}

fn claims(drafts: &[(PathBuf, Result<Draft, Failure>)]) -> BTreeMap<Slug, Claim> {
    let mut first = BTreeMap::<&Slug, &Draft>::new();
    let mut claims = BTreeMap::<Slug, Claim>::new();
    for (source, draft) in drafts {
        let Ok(draft) = draft else { continue };
        let model = *first.entry(&draft.slug).or_insert(draft);
        let claim = claims.entry(draft.slug.clone()).or_insert(Claim { sources: Vec::new(), is_one: true });
        claim.sources.push(source.clone());
        claim.is_one &= model.contents == draft.contents;
    }
    claims
}

fn decide(draft: Draft, source: &Path, claims: &BTreeMap<Slug, Claim>) -> Planned {
    match claims.get(&draft.slug) {
        Some(claim) if !claim.is_one => Planned::Refused(duplicate(&draft.slug, &claim.sources)),
        Some(Claim { sources, .. }) if sources.first().is_some_and(|first| first != source) => {
            Planned::SameAs(sources.first().cloned().unwrap_or_default())
        }
        _ => Planned::Ready(Box::new(draft)),
    }
}

fn duplicate(slug: &Slug, sources: &[PathBuf]) -> Failure {
    Failure::new(Exit::Conflict, "duplicate_in_batch", format!("several folders claim the slug {slug} and differ"))
        .details(sources.iter().map(|source| source.display().to_string()))
        .hint("rename all but one, or leave them out of the folder; `name` in SKILL.md is the slug")
}
