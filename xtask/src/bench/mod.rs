//! `cargo xtask bench`: what things cost, as ratios within one run. The targets stand beside what is measured.

mod cli;
mod cold;

use clap::Subcommand;

use crate::process::{cargo, run as run_command};

#[derive(Subcommand)]
pub(crate) enum Task {
    /// The validation of a full package, and the refusal of hostile ones
    Package,
    /// The command as a cold process, beside other clients; needs hyperfine
    Cli,
    /// The start of every function whose zip `cargo xtask package` has built, beside the smallest function of its kind
    Cold,
}

/// Builds and runs one measurement.
///
/// # Errors
/// If it cannot be built, or a target is missed.
pub(crate) fn run(task: &Task) -> Result<(), String> {
    match task {
        Task::Package => run_command(&mut cargo("bench --quiet --package skillhub-package --bench package")),
        Task::Cli => cli::run(),
        Task::Cold => cold::run(),
    }
}
