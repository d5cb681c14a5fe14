//! `skillhub search`, `info`, `versions`: what the registry has.

use serde_json::json;
use skillhub_protocol::{ResolveResponse, SkillDetail, TagTarget, VersionDetail, VersionEntry};

use super::Context;
use super::list::print_summaries;
use crate::args::{InfoArgs, SearchArgs, VersionsArgs};
use crate::error::Failure;
use crate::output::table;

/// Prints the skills whose slugs fit.
pub(super) fn search(context: &Context, args: &SearchArgs) -> Result<(), Failure> {
    print_summaries(context, &context.client()?.search(&args.query, args.limit)?);
    Ok(())
}

/// Prints what there is to know of a skill and one of its versions.
pub(super) fn info(context: &Context, args: &InfoArgs) -> Result<(), Failure> {
    let client = context.client()?;
    let resolved = client.resolve(&args.coordinate)?;
    let skill = client.skill(&resolved.skill_id)?;
    let version = client.version(&resolved.skill_id, &resolved.version_id)?;
    let tags = client.tags(&resolved.skill_id)?;
    if context.output.is_json() {
        let (coordinate, summary) = (coordinate(&resolved), &skill.summary);
        context.output.json(&json!({ "coordinate": coordinate, "skill": summary, "version": version, "tags": tags }));
        return Ok(());
    }
    table(&facts(&resolved, &skill, &version, &tags)).iter().for_each(|line| context.output.data_line(line));
    context.output.data("files:");
    let files = version.manifest.files().iter();
    let files: Vec<_> = files.map(|file| [format!("  {:>9}", file.size_bytes), file.path.to_string()]).collect();
    table(&files).iter().for_each(|line| context.output.data_line(line));
    Ok(())
}

fn coordinate(resolved: &ResolveResponse) -> String {
    format!("{}/{}@{}", resolved.namespace, resolved.slug, resolved.version)
}

fn facts(
    resolved: &ResolveResponse,
    skill: &SkillDetail,
    version: &VersionDetail,
    tags: &[TagTarget],
) -> Vec<[String; 2]> {
    let SkillDetail { summary, .. } = skill;
    let tags = tags.iter().map(|target| format!("{}={}", target.tag, target.version)).collect::<Vec<_>>();
    let fact = |name: &str, value: String| [format!("{name}:"), value];
    vec![
        fact("coordinate", coordinate(resolved)),
        fact("name", version.manifest.name.to_string()),
        fact("description", version.manifest.description.to_string()),
        fact("scope", summary.visibility.scope().to_string()),
        fact("current", summary.current_version.version.to_string()),
        fact("tags", tags.join(", ")),
        fact("published", version.summary.published_at.to_string()),
        fact("size", format!("{} bytes", version.summary.size_bytes)),
        fact("sha256", version.summary.sha256.to_string()),
    ]
}

/// Prints the versions of a skill, the highest first.
pub(super) fn versions(context: &Context, args: &VersionsArgs) -> Result<(), Failure> {
    let client = context.client()?;
    let versions = client.versions(&client.named(args.skill.namespace(), args.skill.slug())?)?;
    if context.output.is_json() {
        context.output.json(&versions);
        return Ok(());
    }
    let row = |entry: &VersionEntry| {
        let reason = entry.reason.as_ref().map(ToString::to_string).unwrap_or_default();
        let (version, published) = (entry.summary.version.to_string(), entry.summary.published_at.to_string());
        [version, entry.state.to_string(), published, reason]
    };
    let rows: Vec<_> = versions.iter().map(row).collect();
    table(&rows).iter().for_each(|line| context.output.data_line(line));
    Ok(())
}
