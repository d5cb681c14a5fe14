//! `cargo xtask vectors`: runs any file of vectors. The checks are those of the crate `skillhub-tests`; they are built on
//! demand, so that this crate does not depend on the registry.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::process::{cargo, run as run_command};

/// Options of the command.
#[derive(Args)]
pub(crate) struct Options {
    /// What the file holds
    form: Form,
    /// A file in the form of `tests/vectors/protocol-v1.json`, `skill-md.json` or `zip/index.json`
    file: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// JSON texts of the wire protocol
    Protocol,
    /// Bytes of a SKILL.md
    SkillMd,
    /// Archives, beside the file that names them
    Zip,
}

/// Runs one file.
///
/// # Errors
/// If the file cannot be read, or a vector gets another verdict.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let file = std::path::absolute(&options.file).map_err(|e| format!("{}: {e}", options.file.display()))?;
    let form = options.form.to_possible_value().map(|form| form.get_name().to_owned()).unwrap_or_default();
    run_command(cargo("run --quiet --package skillhub-tests --bin vectors --").arg(form).arg(file))
}
