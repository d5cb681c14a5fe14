//! `skillhub update`.

use std::collections::BTreeSet;

use skillhub_protocol::{Coordinate, Selector, Version};

use super::install::{Batch, Clients, Job, frozen};
use super::{Context, Ended};
use crate::args::UpdateArgs;
use crate::client::Client;
use crate::error::{Exit, Failure};
use crate::install::{FolderName, Installed, LockedFolder, Lockfile, Outcome, Record, Target, Wanted, read_record};
use crate::parallel::in_order;

/// An installed skill, and what its newest version is asked by.
struct Installation {
    target: Target,
    name: String,
    record: Record,
    client: Client,
    coordinate: Coordinate,
}

/// Brings each skill to what its coordinate means now; one that fails does not stop the others and stays as it is.
pub(super) fn run(context: &Context, args: &UpdateArgs) -> Ended {
    let targets = Target::searched(&args.target, &context.env)?;
    let frozen = frozen(context, args.locked)?;
    let mut batch = Batch::new(context, args.force, frozen.as_ref());
    let (installations, failures) = find(context, &targets, &args.names)?;
    failures.into_iter().for_each(|failure| batch.failed(failure));
    let resolve = |at: &Installation| Wanted::resolve(&at.client, &at.coordinate);
    let resolved = in_order(&installations, resolve, |_| {});
    let mut jobs = Vec::new();
    for (at, wanted) in installations.into_iter().zip(resolved) {
        match wanted {
            Ok(wanted) if is_lower(&at, &wanted.version) => batch.note(kept(&at)),
            wanted => jobs.push((at.target, Job { name: at.name, wanted })),
        }
    }
    for target in &targets {
        let (here, others) = jobs.into_iter().partition::<Vec<_>, _>(|(at, _)| at == target);
        jobs = others;
        let conflicts = batch.install(target, here.into_iter().map(|(_, job)| job).collect())?;
        conflicts.into_iter().for_each(|(_, failure)| batch.failed(failure));
    }
    Ok(batch.finish())
}

/// The skills that this command installed, and what is wrong with those that were named.
fn find(
    context: &Context,
    targets: &[Target],
    names: &[FolderName],
) -> Result<(Vec<Installation>, Vec<Failure>), Failure> {
    let lockfile = Lockfile::load(&context.env)?.unwrap_or_default();
    let mut clients = Clients::new(context);
    let (mut found, mut failures) = (Vec::new(), Vec::new());
    let mut missing: BTreeSet<&str> = names.iter().map(FolderName::as_str).collect();
    for target in targets {
        for name in target.skill_names()? {
            let is_named = missing.remove(name.as_str());
            if !is_named && !names.iter().any(|other| other.as_str() == name) && !names.is_empty() {
                continue;
            }
            match read_record(&target.dir.join(&name)) {
                Ok(Some(record)) => found.push(installation(&mut clients, &lockfile, target, name, record)?),
                Ok(None) if is_named => failures.push(not_ours(target, &name)),
                Ok(None) => {}
                Err(failure) => failures.push(failure),
            }
        }
    }
    failures.extend(missing.into_iter().map(|name| not_installed(name, targets)));
    Ok((found, failures))
}

fn installation(
    clients: &mut Clients<'_>,
    lockfile: &Lockfile,
    target: &Target,
    name: String,
    record: Record,
) -> Result<Installation, Failure> {
    let fault =
        |what: String| Failure::usage(format!("the record of {} is wrong: {what}", target.dir.join(&name).display()));
    let registry = record.registry_url.parse().map_err(|e| fault(format!("registryUrl {e}")))?;
    let current = record.skill().ok_or_else(|| fault(String::from("skillSlug is no published slug")))?;
    let folder = target.in_project.and_then(|agent| LockedFolder::new(agent, &name));
    let locked = folder.and_then(|folder| lockfile.get(&folder)).map(|locked| locked.coordinate.clone());
    let coordinate = locked.filter(|locked| locked.to_canonical() == current.to_canonical()).unwrap_or(current);
    Ok(Installation { target: target.clone(), client: clients.of(&registry)?, name, record, coordinate })
}

fn not_ours(target: &Target, name: &str) -> Failure {
    let path = target.dir.join(name);
    let message = format!("{} was not installed by skillhub", path.display());
    Failure::new(Exit::Conflict, "directory_conflict", message)
        .hint("use the tool that installed it, or remove it and install it with `skillhub install`")
}

/// A name that is in none of the folders.
pub(super) fn not_installed(name: &str, targets: &[Target]) -> Failure {
    Failure::new(Exit::Failed, "not_installed", format!("no skill {name} is installed"))
        .details(targets.iter().map(|target| format!("looked in {}", target.dir.display())))
        .hint("`skillhub list` shows what is installed; `--global`, `--target` and `--dir` name other folders")
}

/// Whether an update would go back. A tag is followed wherever it points.
fn is_lower(at: &Installation, new: &Version) -> bool {
    let order = |version: &Version| version.to_release().ok();
    let follows_tag = matches!(at.coordinate.selector(), Selector::Tag(_));
    !follows_tag && order(&at.record.version).zip(order(new)).is_some_and(|(old, new)| new < old)
}

fn kept(at: &Installation) -> Installed {
    Installed::new(&at.name, &at.record, None, at.target.dir.join(&at.name), Outcome::Kept)
}
