//! `skillhub list`.

use std::collections::HashSet;
use std::fs;

use serde::Serialize;
use skillhub_package::parse_skill_md;
use skillhub_protocol::{Manifest, SkillId, SkillSummary};

use super::Context;
use super::show::counted;
use crate::client::Client;
use crate::error::{Exit, Failure};
use crate::install::{Target, read_record};
use crate::output::table;

/// More pages than this are no registry but a loop.
const MAX_PAGES: usize = 10_000;

/// Lists what the caller can see in the registry.
pub(super) fn run_remote(context: &Context) -> Result<(), Failure> {
    let skills = all_skills(&context.client()?)?;
    if context.output.is_json() {
        context.output.json(&skills);
        return Ok(());
    }
    let rows: Vec<_> = skills.iter().map(row).collect();
    table(&rows).iter().for_each(|line| context.output.data_line(line));
    context.output.note(counted(skills.len()));
    Ok(())
}

fn row(skill: &SkillSummary) -> [String; 3] {
    let coordinate = match &skill.namespace {
        Some(namespace) => format!("{namespace}/{}", skill.slug),
        None => skill.slug.to_string(),
    };
    [coordinate, skill.current_version.version.to_string(), skill.description.to_string()]
}

fn all_skills(client: &Client) -> Result<Vec<SkillSummary>, Failure> {
    let mut skills = Vec::new();
    let mut cursor: Option<SkillId> = None;
    for _ in 0..MAX_PAGES {
        let page = client.skills(cursor.as_ref())?;
        skills.extend(page.skills);
        match page.next_cursor {
            None => return Ok(skills),
            Some(next) if cursor.as_ref().is_none_or(|cursor| *cursor < next) => cursor = Some(next),
            Some(next) => return Err(endless(&format!("the cursor {next} does not move on"))),
        }
    }
    Err(endless(&format!("there are more than {MAX_PAGES} pages")))
}

fn endless(detail: &str) -> Failure {
    Failure::new(Exit::Failed, "invalid_answer", "the registry's list does not end").detail(detail)
}

/// A skill on this machine.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct InstalledSkill {
    name: String,
    coordinate: Option<String>,
    location: &'static str,
    path: String,
    description: Option<String>,
    /// Whether a skill of the same name comes first.
    shadowed: bool,
}

/// Lists the skills in the four folders that clients look at.
pub(super) fn run_installed(context: &Context) -> Result<(), Failure> {
    let (mut skills, mut names) = (Vec::new(), HashSet::new());
    for target in Target::all(&context.env) {
        for name in target.skill_names()? {
            let shadowed = !names.insert(name.clone());
            skills.extend(look(context, &target, name, shadowed));
        }
    }
    if context.output.is_json() {
        context.output.json(&skills);
        return Ok(());
    }
    let rows: Vec<_> = skills.iter().map(installed_row).collect();
    table(&rows).iter().for_each(|line| context.output.data_line(line));
    context.output.note(counted(skills.len()));
    Ok(())
}

fn installed_row(skill: &InstalledSkill) -> [String; 4] {
    let location = if skill.shadowed { format!("{}, shadowed", skill.location) } else { skill.location.to_owned() };
    let coordinate = skill.coordinate.clone().unwrap_or_else(|| String::from("-"));
    [skill.name.clone(), coordinate, location, skill.description.clone().unwrap_or_default()]
}

/// A skill that cannot be read is warned about; the others are listed all the same.
fn look(context: &Context, target: &Target, name: String, shadowed: bool) -> Option<InstalledSkill> {
    let path = target.dir.join(&name);
    let warn = |what: &dyn std::fmt::Display| context.output.warning(format!("{}: {what}", path.display()));
    let record = read_record(&path).unwrap_or_else(|failure| {
        warn(&failure.message());
        None
    });
    let skill_md = fs::read(path.join(Manifest::SKILL_MD)).inspect_err(|e| warn(e)).ok()?;
    let description = match parse_skill_md(&skill_md) {
        Ok(skill_md) => Some(skill_md.description.to_string()),
        Err(findings) => {
            findings.first().into_iter().for_each(|finding| warn(&finding.message));
            None
        }
    };
    let location = if target.is_global { "global" } else { "project" };
    let coordinate = record.map(|record| record.coordinate());
    Some(InstalledSkill { name, coordinate, location, path: path.display().to_string(), description, shadowed })
}
