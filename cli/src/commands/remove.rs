//! `skillhub remove`.

use serde_json::{Value, json};

use super::update::not_installed;
use super::{Context, Ended};
use crate::args::RemoveArgs;
use crate::error::{Exit, Failure};
use crate::install::{FolderName, Locked, LockedFolder, Lockfile, Removed, Target, remove};

/// Removes each skill by itself: one that fails does not stop the others.
pub(super) fn run(context: &Context, args: &RemoveArgs) -> Ended {
    let targets = Target::searched(&args.target, &context.env)?;
    let lockfile = Lockfile::load(&context.env)?.unwrap_or_default();
    let (mut done, mut first_failure) = (Vec::new(), None::<Exit>);
    for name in &args.names {
        match remove_one(context, args.force, &targets, &lockfile, name) {
            Ok(removed) => done.push(announce(context, name, &removed)),
            Err(failure) => {
                context.output.failure(&failure);
                first_failure = first_failure.or(Some(failure.exit()));
            }
        }
    }
    if context.output.is_json() {
        context.output.json(&done);
    }
    Ok(first_failure)
}

/// The first folder that has the skill, or of which the lock file says so.
fn remove_one(
    context: &Context,
    force: bool,
    targets: &[Target],
    lockfile: &Lockfile,
    name: &FolderName,
) -> Result<Removed, Failure> {
    let is_locked = |target: &Target| {
        let folder = target.in_project.and_then(|agent| LockedFolder::new(agent, name.as_str()));
        folder.is_some_and(|folder| lockfile.get(&folder).is_some())
    };
    let is_here = |target: &&Target| target.dir.join(name.as_str()).exists() || is_locked(target);
    let target = targets.iter().find(is_here).ok_or_else(|| not_installed(name.as_str(), targets))?;
    let locked = Locked::acquire(&target.dir, &context.output)?;
    remove(&locked, target, name, force, &context.env)?.ok_or_else(|| not_installed(name.as_str(), targets))
}

fn announce(context: &Context, name: &FolderName, removed: &Removed) -> Value {
    let path = removed.path.display().to_string();
    let coordinate = removed.record.as_ref().map(|record| record.coordinate());
    if !context.output.is_json() {
        let what = coordinate.as_deref().unwrap_or(name.as_str());
        context.output.data(format!("removed {what} from {path}"));
    }
    json!({ "name": name.as_str(), "coordinate": coordinate, "path": path })
}
