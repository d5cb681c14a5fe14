//! `skillhub install`.

mod batch;
mod prompt;

use std::collections::BTreeMap;

use skillhub_protocol::{Coordinate, Slug};

use super::{Context, Ended};
use crate::args::{Convention, InstallArgs};
use crate::client::Client;
use crate::config::{Endpoint, RegistryUrl};
use crate::error::{Exit, Failure};
use crate::install::{LockedFolder, LockedSkill, Lockfile, Target, Wanted};

pub(super) use batch::{Batch, Job};
use prompt::Choice;

pub(super) fn run(context: &Context, args: &InstallArgs) -> Ended {
    if args.coordinates.is_empty() { restore(context, args) } else { install(context, args) }
}

/// Installs each coordinate by itself: one that fails does not stop the others.
fn install(context: &Context, args: &InstallArgs) -> Ended {
    if args.alias.is_some() && args.coordinates.len() > 1 {
        return Err(Failure::usage("`--as` names one folder").hint("install the skills one by one"));
    }
    let client = context.client()?;
    let target = Target::choose(&args.target, &context.env)?;
    let frozen = frozen(context, args.locked)?;
    let mut batch = Batch::new(context, args.force, frozen.as_ref());
    let mut asked = resolve_all(&client, &args.coordinates, args.alias.as_ref());
    loop {
        let conflicts = batch.install(&target, std::mem::take(&mut asked))?;
        for (job, failure) in conflicts {
            match prompt::ask_on_terminal(context, &job, &failure) {
                Choice::Alias(alias) => asked.push(Job { name: alias.to_string(), ..job }),
                Choice::Dir(dir) => {
                    let dir = Target { dir: context.env.cwd.join(dir), is_global: false, in_project: None };
                    batch.install(&dir, vec![job])?.into_iter().for_each(|(_, failure)| batch.failed(failure));
                }
                Choice::Cancel => batch.failed(failure),
            }
        }
        if asked.is_empty() {
            return Ok(batch.finish());
        }
    }
}

/// What the coordinates mean; the names of the folders are known before that.
fn resolve_all(client: &Client, coordinates: &[Coordinate], alias: Option<&Slug>) -> Vec<Job> {
    let mut claims = BTreeMap::<String, Coordinate>::new();
    let mut jobs = Vec::new();
    for coordinate in coordinates {
        let name = alias.unwrap_or(coordinate.slug()).to_string();
        let wanted = match claims.get(&name) {
            Some(other) if other == coordinate => continue,
            Some(other) => Err(two_in_one(&name, other, coordinate)),
            None => Ok((client.clone(), coordinate.clone())),
        };
        claims.entry(name.clone()).or_insert_with(|| coordinate.clone());
        jobs.push((name, wanted));
    }
    let resolve = |(name, wanted): &(String, Result<(Client, Coordinate), Failure>)| {
        let wanted = wanted.clone().and_then(|(client, coordinate)| Wanted::resolve(&client, &coordinate));
        Job { name: name.clone(), wanted }
    };
    crate::parallel::in_order(&jobs, resolve, |_| {})
}

fn two_in_one(name: &str, first: &Coordinate, second: &Coordinate) -> Failure {
    Failure::new(Exit::Conflict, "duplicate_in_batch", format!("two skills would share the folder {name}"))
        .detail(first.to_string())
        .detail(second.to_string())
        .hint(format!("install one of them by itself with `--as NAME`: `skillhub install {second} --as NAME`"))
}

/// The lock file, if it may not change.
pub(super) fn frozen(context: &Context, locked: bool) -> Result<Option<Lockfile>, Failure> {
    match locked {
        true => Lockfile::load(&context.env)?.map(Some).ok_or_else(no_lock_file),
        false => Ok(None),
    }
}

fn no_lock_file() -> Failure {
    Failure::usage("there is no skillhub.lock here")
        .hint("name what to install, such as `skillhub install @team/skill`; that writes the file")
}

/// Installs what the lock file names, and nothing else.
fn restore(context: &Context, args: &InstallArgs) -> Ended {
    if args.target.is_named() || args.alias.is_some() {
        return Err(Failure::usage("no skill is named to install there")
            .hint("name one, or leave the options out: skillhub.lock says where its skills belong"));
    }
    let lockfile = Lockfile::load(&context.env)?.ok_or_else(no_lock_file)?;
    let mut batch = Batch::new(context, args.force, Some(&lockfile));
    for agent in [Convention::Agent, Convention::Claude, Convention::Agents] {
        let jobs = locked_jobs(context, lockfile.skills().filter(|(folder, _)| folder.agent == agent))?;
        if !jobs.is_empty() {
            let target = Target::project(agent, &context.env).checked(&context.env)?;
            batch.install(&target, jobs)?.into_iter().for_each(|(_, failure)| batch.failed(failure));
        }
    }
    Ok(batch.finish())
}

fn locked_jobs<'a>(
    context: &Context,
    skills: impl Iterator<Item = (&'a LockedFolder, &'a LockedSkill)>,
) -> Result<Vec<Job>, Failure> {
    let mut clients = Clients::new(context);
    let job = |(folder, skill): (&LockedFolder, &LockedSkill)| {
        let client = clients.of(&skill.registry)?;
        Ok(Job { name: folder.name.to_string(), wanted: Ok(Wanted::locked(&client, skill)) })
    };
    skills.map(job).collect()
}

/// A client for each registry that the files of a project name.
pub(super) struct Clients<'a> {
    context: &'a Context,
    known: BTreeMap<RegistryUrl, Client>,
}

impl<'a> Clients<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self { context, known: BTreeMap::new() }
    }

    pub(super) fn of(&mut self, registry: &RegistryUrl) -> Result<Client, Failure> {
        if let Some(client) = self.known.get(registry) {
            return Ok(client.clone());
        }
        let client = Client::new(Endpoint::of(registry, &self.context.args, &self.context.env)?)?;
        self.known.insert(registry.clone(), client.clone());
        Ok(client)
    }
}
