//! Several installations, and what became of each.

use crate::commands::Context;
use crate::error::{Exit, Failure};
use crate::install::{Cache, InstallOptions, Installed, Locked, Lockfile, Outcome, Target, Wanted, install};
use crate::output::Progress;
use crate::parallel::in_order;

/// One skill, and the folder that it shall come into.
pub(in crate::commands) struct Job {
    pub(in crate::commands) name: String,
    pub(in crate::commands) wanted: Result<Wanted, Failure>,
}

/// What was done so far.
pub(in crate::commands) struct Batch<'a> {
    context: &'a Context,
    force: bool,
    frozen: Option<&'a Lockfile>,
    cache: Cache,
    done: Vec<Installed>,
    first_failure: Option<Exit>,
}

impl<'a> Batch<'a> {
    pub(in crate::commands) fn new(context: &'a Context, force: bool, frozen: Option<&'a Lockfile>) -> Self {
        let cache = Cache::new(context.env.cache_dir.as_deref());
        Self { context, force, frozen, cache, done: Vec::new(), first_failure: None }
    }

    /// Installs into one target, a few skills at a time; each ends for itself. Answers those whose folders hold another skill.
    pub(in crate::commands) fn install(
        &mut self,
        target: &Target,
        jobs: Vec<Job>,
    ) -> Result<Vec<(Job, Failure)>, Failure> {
        // Nothing is made where nothing will be installed.
        let locked = match jobs.iter().any(|job| job.wanted.is_ok()) {
            true => Some(Locked::acquire(&target.dir, &self.context.output)?),
            false => None,
        };
        let (env, cache) = (&self.context.env, &self.cache);
        let options = InstallOptions { env, target, force: self.force, frozen: self.frozen, cache };
        let progress = self.progress(&jobs);
        let work = |job: &Job| match (&job.wanted, &locked) {
            (Ok(wanted), Some(locked)) => install(locked, wanted, &job.name, &options, progress.bytes()),
            (Err(failure), _) => Err(failure.clone()),
            (Ok(_), None) => Err(Failure::io("write to", &target.dir, &"it is not locked")),
        };
        let results = in_order(&jobs, work, |result| progress.done(|| self.print(result)));
        drop(progress);
        let mut conflicts = Vec::new();
        for (job, result) in jobs.into_iter().zip(results) {
            match result {
                Ok(installed) => self.done.push(installed),
                Err(failure) if failure.code() == CONFLICT => conflicts.push((job, failure)),
                Err(failure) => self.first_failure = self.first_failure.or(Some(failure.exit())),
            }
        }
        Ok(conflicts)
    }

    /// Notes something that needed no installation.
    pub(in crate::commands) fn note(&mut self, installed: Installed) {
        self.print_installed(&installed);
        self.done.push(installed);
    }

    /// Notes a failure, and tells it.
    pub(in crate::commands) fn failed(&mut self, failure: Failure) {
        self.context.output.failure(&failure);
        self.first_failure = self.first_failure.or(Some(failure.exit()));
    }

    /// Prints what is printed at the end.
    pub(in crate::commands) fn finish(self) -> Option<Exit> {
        if self.context.output.is_json() {
            self.context.output.json(&self.done);
        }
        self.first_failure
    }

    /// Conflicts are told by those who can do something about them.
    fn print(&self, result: &Result<Installed, Failure>) {
        match result {
            Ok(installed) => self.print_installed(installed),
            Err(failure) if failure.code() == CONFLICT => {}
            Err(failure) => self.context.output.failure(failure),
        }
    }

    fn print_installed(&self, installed: &Installed) {
        let output = &self.context.output;
        if !output.is_json() {
            output.data(line(installed));
        }
        if let Some(old) = &installed.left_over {
            output.warning(format!("the old copy could not be removed: {}", old.display()));
        }
    }

    fn progress(&self, jobs: &[Job]) -> Bars {
        let output = &self.context.output;
        match jobs {
            [job] => Bars { bytes: output.progress(&job.name), items: Progress::hidden() },
            _ => Bars { bytes: Progress::hidden(), items: output.item_progress("installing", jobs.len() as u64) },
        }
    }
}

const CONFLICT: &str = "directory_conflict";

/// One bar for the bytes of one skill, or one for the number of several.
struct Bars {
    bytes: Progress,
    items: Progress,
}

impl Bars {
    fn bytes(&self) -> &Progress {
        &self.bytes
    }

    fn done(&self, print: impl FnOnce()) {
        self.items.advance();
        self.items.aside(|| self.bytes.aside(print));
    }
}

fn line(installed: &Installed) -> String {
    let Installed { coordinate, path, previous, outcome, .. } = installed;
    let path = path.display();
    match (outcome, previous) {
        (Outcome::Installed, _) => format!("installed {coordinate} in {path}"),
        (Outcome::Updated, Some(previous)) => format!("updated {coordinate} in {path}, from {previous}"),
        (Outcome::Updated, None) => format!("updated {coordinate} in {path}"),
        (Outcome::AlreadyInstalled, _) => format!("already installed {coordinate} in {path}"),
        (Outcome::Kept, _) => format!("kept {coordinate} in {path}, since the registry has nothing newer"),
    }
}
