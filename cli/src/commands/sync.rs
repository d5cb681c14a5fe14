//! `skillhub sync`.

mod file;

use std::fs;
use std::path::Path;

use serde_json::json;
use skillhub_package::describe_skill_md;
use skillhub_protocol::Manifest;

use super::show::counted;
use super::{Context, Ended};
use crate::agents::{Entry, Fault, Location, update};
use crate::args::{LocationStyle, SyncArgs};
use crate::error::{Exit, Failure};
use crate::install::{Found, scan};

/// Brings the block of the file up to date. With `--check` nothing is written, and a file that is out of date is a failure.
pub(super) fn run(context: &Context, args: &SyncArgs) -> Ended {
    let skills = installed(context, args.location)?;
    let old = file::read(&args.file)?;
    let base = old.clone().unwrap_or_else(|| title(&args.file));
    let new = update(&base, &skills).map_err(|fault| not_clear(&args.file, fault))?;
    // Without skills, a file that is not there is not made.
    let changed = match &old {
        Some(old) => *old != new,
        None => !skills.is_empty(),
    };
    if changed && !args.check {
        file::write(&args.file, &new, old.is_some())?;
    }
    announce(context, args, &skills, changed);
    Ok((changed && args.check).then_some(Exit::Failed))
}

fn title(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    format!("# {}\n", stem.replace(char::is_control, " "))
}

fn not_clear(file: &Path, fault: Fault) -> Failure {
    let message = format!("cannot tell what to replace in {}", file.display());
    let hint = match fault {
        Fault::OpenFence { .. } => "close the code with a fence of the same marks",
        _ => "delete what is left of the block, or complete it, and sync again",
    };
    Failure::new(Exit::Conflict, "skills_block", message).detail(fault.to_string()).hint(hint)
}

fn announce(context: &Context, args: &SyncArgs, skills: &[Entry], changed: bool) {
    if context.output.is_json() {
        let told = |skill: &Entry| json!({ "name": skill.name, "location": skill.location_text() });
        let skills: Vec<_> = skills.iter().map(told).collect();
        let file = args.file.display().to_string();
        return context.output.json(&json!({ "file": file, "changed": changed, "skills": skills }));
    }
    let (file, skills) = (args.file.display(), counted(skills.len(), "skill"));
    context.output.data(match (changed, args.check) {
        (true, false) => format!("updated {file}: {skills}"),
        (true, true) => format!("{file} is out of date: {skills}"),
        (false, _) => format!("{file} is up to date: {skills}"),
    });
}

/// The skills that agents find, in the order of the block.
fn installed(context: &Context, style: LocationStyle) -> Result<Vec<Entry>, Failure> {
    let mut skills = Vec::new();
    for found in scan(&context.env)? {
        match &found.shadowed_by {
            // Also if that one is broken: agents look no further.
            Some(other) => {
                context.output.note(format!("{} is shadowed by {}", found.path.display(), other.display()));
            }
            None => skills.extend(entry(context, found, style)),
        }
    }
    skills.sort_by(|a, b| (a.location, &a.name).cmp(&(b.location, &b.name)));
    Ok(skills)
}

/// A skill that agents could not load is warned about and left out.
fn entry(context: &Context, found: Found, style: LocationStyle) -> Option<Entry> {
    let path = found.path.join(Manifest::SKILL_MD);
    let description = describe(&found.name, &path)
        .map_err(|what| context.output.warning(format!("{} is left out: {what}", path.display())))
        .ok()?;
    let location = if found.target.is_global { Location::Global } else { Location::Project };
    let path = (style == LocationStyle::Path).then(|| path.display().to_string());
    Some(Entry { name: found.name, description, location, path })
}

fn describe(name: &str, path: &Path) -> Result<String, String> {
    if name.contains(char::is_control) {
        return Err(String::from("the folder's name holds a control character"));
    }
    let bytes = fs::read(path).map_err(|e| e.to_string())?;
    describe_skill_md(&bytes).map_err(|finding| finding.message)
}
