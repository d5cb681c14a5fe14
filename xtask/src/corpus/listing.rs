//! The list of the registry, read as any client would.

use std::collections::BTreeSet;

use skillhub_protocol::{ListResponse, SkillId, SkillSummary, VersionId};

use super::client::Verdict;
use super::server::Server;

/// More pages than any corpus has: a cursor that runs in circles ends here.
const MAX_PAGES: usize = 1000;

/// All skills of the registry, page by page.
///
/// # Errors
/// If a page is not an answer of the contract, holds more than asked for, or does not go on after the page before.
pub(crate) fn traverse(server: &Server, limit: usize) -> Result<Vec<SkillSummary>, String> {
    let mut skills: Vec<SkillSummary> = Vec::new();
    let mut path = format!("/api/skills?limit={limit}");
    for _ in 0..MAX_PAGES {
        let page = ListResponse::from_json(&server.get(&path)?).map_err(|e| format!("GET {path}: {e}"))?;
        if page.skills.len() > limit {
            return Err(format!("GET {path}: {} skills", page.skills.len()));
        }
        for skill in page.skills {
            if let Some(last) = skills.last().filter(|last| last.id >= skill.id) {
                return Err(format!("GET {path}: {} does not come after {}", skill.id, last.id));
            }
            skills.push(skill);
        }
        match page.next_cursor {
            Some(cursor) => path = format!("/api/skills?limit={limit}&cursor={cursor}"),
            None => return Ok(skills),
        }
    }
    Err(format!("the list with limit={limit} has no end after {MAX_PAGES} pages"))
}

/// Demands that the list holds what was published, each skill once and at the version that its publisher was told.
///
/// # Errors
/// What is missing, and what is there in excess.
pub(crate) fn demand(server: &Server, limit: usize, verdicts: &[&Verdict]) -> Result<(), String> {
    let skills = traverse(server, limit)?;
    let listed: BTreeSet<(&SkillId, &VersionId)> = skills.iter().map(|s| (&s.id, &s.current_version.id)).collect();
    let published: BTreeSet<(&SkillId, &VersionId)> = verdicts.iter().filter_map(|verdict| ids(verdict)).collect();
    let missing: Vec<_> = published.difference(&listed).collect();
    let excess: Vec<_> = listed.difference(&published).collect();
    if missing.is_empty() && excess.is_empty() {
        println!("limit={limit}: all {} published skills, each once, in the order of their ids", skills.len());
        return Ok(());
    }
    Err(format!("the list with limit={limit} lacks {missing:?} and has {excess:?} in excess"))
}

fn ids(verdict: &Verdict) -> Option<(&SkillId, &VersionId)> {
    Some((verdict.skill_id.as_ref()?, verdict.version_id.as_ref()?))
}
