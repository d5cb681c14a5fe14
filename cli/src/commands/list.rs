//! `skillhub list`.

use std::fs;

use serde::Serialize;
use skillhub_package::describe_skill_md;
use skillhub_protocol::{Manifest, Release, SkillSummary, Version};

use super::install::Clients;
use super::show::counted;
use super::{Context, Ended};
use crate::error::{Exit, Failure};
use crate::install::{Found, Record, Wanted, read_record, scan};
use crate::output::table;
use crate::parallel::in_order;

/// Lists what the caller can see in the registry.
pub(super) fn run_remote(context: &Context) -> Result<(), Failure> {
    print_summaries(context, &context.client()?.skills()?);
    Ok(())
}

pub(super) fn print_summaries(context: &Context, skills: &[SkillSummary]) {
    if context.output.is_json() {
        return context.output.json(&skills);
    }
    let rows: Vec<_> = skills.iter().map(row).collect();
    table(&rows).iter().for_each(|line| context.output.data_line(line));
    context.output.note(counted(skills.len(), "skill"));
}

fn row(skill: &SkillSummary) -> [String; 3] {
    let coordinate = match &skill.namespace {
        Some(namespace) => format!("{namespace}/{}", skill.slug),
        None => skill.slug.to_string(),
    };
    [coordinate, skill.current_version.version.to_string(), skill.description.to_string()]
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

/// Lists the skills in the folders that clients look at.
pub(super) fn run_installed(context: &Context) -> Result<(), Failure> {
    let skills: Vec<_> = scan(&context.env)?.iter().filter_map(|found| look(context, found)).collect();
    if context.output.is_json() {
        context.output.json(&skills);
        return Ok(());
    }
    let rows: Vec<_> = skills.iter().map(installed_row).collect();
    table(&rows).iter().for_each(|line| context.output.data_line(line));
    context.output.note(counted(skills.len(), "skill"));
    Ok(())
}

fn installed_row(skill: &InstalledSkill) -> [String; 4] {
    let location = if skill.shadowed { format!("{}, shadowed", skill.location) } else { skill.location.to_owned() };
    let coordinate = skill.coordinate.clone().unwrap_or_else(|| String::from("-"));
    [skill.name.clone(), coordinate, location, skill.description.clone().unwrap_or_default()]
}

/// A skill that cannot be read is warned about; the others are listed all the same.
fn look(context: &Context, found: &Found) -> Option<InstalledSkill> {
    let Found { target, name, path, shadowed_by } = found;
    let warn = |what: &dyn std::fmt::Display| context.output.warning(format!("{}: {what}", path.display()));
    let record = record(context, found);
    let skill_md = fs::read(path.join(Manifest::SKILL_MD)).inspect_err(|e| warn(e)).ok()?;
    let description = describe_skill_md(&skill_md).inspect_err(|finding| warn(&finding.message)).ok();
    Some(InstalledSkill {
        name: name.clone(),
        coordinate: record.map(|record| record.coordinate()),
        location: target.location(),
        path: path.display().to_string(),
        description,
        shadowed: shadowed_by.is_some(),
    })
}

/// The record of a skill; an unreadable one is warned about.
fn record(context: &Context, found: &Found) -> Option<Record> {
    read_record(&found.path).unwrap_or_else(|failure| {
        context.output.warning(format!("{}: {}", found.path.display(), failure.message()));
        None
    })
}

/// A skill of which the registry has a newer version.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Outdated {
    name: String,
    coordinate: String,
    version: Version,
    current: Version,
    location: &'static str,
    path: String,
}

/// Lists what an update would move. A skill that its registry cannot tell of is a failure; the others are listed all the same.
pub(super) fn run_outdated(context: &Context) -> Ended {
    let mut clients = Clients::new(context);
    let mut asked = Vec::new();
    for found in scan(&context.env)? {
        let Some(record) = record(context, &found) else { continue };
        if let (Ok(registry), Some(coordinate)) = (record.registry_url.parse(), record.skill()) {
            asked.push((found, record, clients.of(&registry)?, coordinate));
        }
    }
    let answers = in_order(&asked, |(_, _, client, coordinate)| Wanted::resolve(client, coordinate), |_| {});
    let (mut outdated, mut first_failure) = (Vec::new(), None::<Exit>);
    for ((found, record, ..), answer) in asked.iter().zip(answers) {
        match answer {
            Ok(wanted) if is_newer(&record.version, &wanted.version) => {
                outdated.push(Outdated {
                    name: found.name.clone(),
                    coordinate: record.coordinate(),
                    version: record.version.clone(),
                    current: wanted.version,
                    location: found.target.location(),
                    path: found.path.display().to_string(),
                });
            }
            Ok(_) => {}
            Err(failure) => {
                first_failure = first_failure.or(Some(failure.exit()));
                context.output.failure(&failure.detail(format!("installed in {}", found.path.display())));
            }
        }
    }
    print_outdated(context, &outdated, asked.len());
    Ok(first_failure)
}

fn print_outdated(context: &Context, outdated: &[Outdated], asked: usize) {
    if context.output.is_json() {
        return context.output.json(&outdated);
    }
    let row = |skill: &Outdated| {
        [skill.name.clone(), skill.coordinate.clone(), skill.current.to_string(), skill.location.to_owned()]
    };
    let rows: Vec<_> = outdated.iter().map(row).collect();
    table(&rows).iter().for_each(|line| context.output.data_line(line));
    context.output.note(format!("{} of {}", outdated.len(), counted(asked, "skill")));
    if !outdated.is_empty() {
        context.output.note("`skillhub update` brings them to their current versions");
    }
}

fn is_newer(installed: &Version, current: &Version) -> bool {
    let release = |version: &Version| version.to_release().ok();
    let newer = |(installed, current): (Release, Release)| current > installed;
    release(installed).zip(release(current)).map_or(installed != current, newer)
}
