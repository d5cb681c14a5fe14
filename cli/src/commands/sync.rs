//! `skillhub sync`.

mod file;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use skillhub_package::parse_skill_md;
use skillhub_protocol::{Finding, Manifest};

use super::show::counted;
use super::{Context, Ended};
use crate::agents::{Entry, Fault, Location, update};
use crate::args::{LocationStyle, SyncArgs};
use crate::error::{Exit, Failure};
use crate::install::Target;

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
    let (file, skills) = (args.file.display(), counted(skills.len()));
    context.output.data(match (changed, args.check) {
        (true, false) => format!("updated {file}: {skills}"),
        (true, true) => format!("{file} is out of date: {skills}"),
        (false, _) => format!("{file} is up to date: {skills}"),
    });
}

/// The skills that agents find, in the order of the block.
fn installed(context: &Context, style: LocationStyle) -> Result<Vec<Entry>, Failure> {
    let (mut skills, mut first) = (Vec::new(), HashMap::<String, PathBuf>::new());
    for target in Target::all(&context.env) {
        for name in target.skill_names()? {
            let folder = target.dir.join(&name);
            if let Some(other) = first.get(&name) {
                context.output.note(format!("{} is shadowed by {}", folder.display(), other.display()));
                continue;
            }
            // Also if it turns out to be broken: agents look no further.
            first.insert(name.clone(), folder.clone());
            skills.extend(entry(context, &target, name, &folder, style));
        }
    }
    skills.sort_by(|a, b| (a.location, &a.name).cmp(&(b.location, &b.name)));
    Ok(skills)
}

/// A skill that agents could not load is warned about and left out.
fn entry(context: &Context, target: &Target, name: String, folder: &Path, style: LocationStyle) -> Option<Entry> {
    let path = folder.join(Manifest::SKILL_MD);
    let description = describe(&name, &path)
        .map_err(|what| context.output.warning(format!("{} is left out: {what}", path.display())))
        .ok()?;
    let location = if target.is_global { Location::Global } else { Location::Project };
    let path = (style == LocationStyle::Path).then(|| path.display().to_string());
    Some(Entry { name, description, location, path })
}

fn describe(name: &str, path: &Path) -> Result<String, String> {
    if name.contains(char::is_control) {
        return Err(String::from("the folder's name holds a control character"));
    }
    let bytes = fs::read(path).map_err(|e| e.to_string())?;
    let first = |findings: Vec<Finding>| findings.into_iter().next().map(|finding| finding.message).unwrap_or_default();
    let skill_md = parse_skill_md(&bytes).map_err(first)?;
    Ok(skill_md.description.to_string())
}
