//! `skillhub read`.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use skillhub_protocol::{Manifest, PackagePath};

use super::Context;
use super::update::not_installed;
use crate::args::ReadArgs;
use crate::error::{Exit, Failure};
use crate::install::{Found, Target, files_of, scan};

/// A skill, ready to print.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Reading {
    name: String,
    /// What paths in the skill are relative to.
    base: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<String>>,
}

/// Prints all of the skills, or none and what is missing.
pub(super) fn run(context: &Context, args: &ReadArgs) -> Result<(), Failure> {
    let installed = scan(&context.env)?;
    let find = |name: &str| installed.iter().find(|found| found.name == name);
    let missing: Vec<&str> = args.names.iter().map(|name| name.as_str()).filter(|name| find(name).is_none()).collect();
    if !missing.is_empty() {
        return Err(not_installed(&missing.join(", "), &Target::all(&context.env)));
    }
    let found = args.names.iter().filter_map(|name| find(name.as_str()));
    let readings = found.map(|found| read(found, args)).collect::<Result<Vec<_>, _>>()?;
    if context.output.is_json() {
        context.output.json(&readings);
    } else {
        readings.iter().for_each(|reading| print(context, reading));
    }
    Ok(())
}

fn read(found: &Found, args: &ReadArgs) -> Result<Reading, Failure> {
    let base = found.path.clone();
    let (content, files) = match (args.list_files, &args.file) {
        (true, _) => (None, Some(files_of(&base).map_err(|e| Failure::io("read", &base, &e))?)),
        (false, file) => (Some(text(&base, file.as_deref())?), None),
    };
    Ok(Reading { name: found.name.clone(), base, content, files })
}

fn text(base: &Path, file: Option<&str>) -> Result<String, Failure> {
    let path = match file {
        Some(file) => inside(base, file)?,
        None => base.join(Manifest::SKILL_MD),
    };
    let bytes = fs::read(&path).map_err(|e| Failure::io("read", &path, &e))?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(Exit::Failed, "not_text", format!("{} is no text", path.display())).hint("open it where it is")
    })
}

/// A file of a skill: a path like those in packages, which leads nowhere else, not by a link either.
fn inside(base: &Path, file: &str) -> Result<PathBuf, Failure> {
    let wrong = |why: String| {
        Failure::usage(format!("`--file {file}`: {why}")).hint("`--list-files` shows the files of a skill")
    };
    let file: PackagePath = file.parse().map_err(|fault| wrong(format!("{fault}")))?;
    let path = base.join(file.as_str());
    match (fs::canonicalize(base), fs::canonicalize(&path)) {
        (Ok(base), Ok(real)) if real.starts_with(&base) && real.is_file() => Ok(path),
        (Ok(_), Ok(_)) => Err(wrong(String::from("is no file of the skill"))),
        _ => Err(wrong(String::from("there is no such file"))),
    }
}

/// The frame is that of OpenSkills, which agents know.
fn print(context: &Context, reading: &Reading) {
    let Reading { name, base, content, files } = reading;
    context.output.data(format!("Reading: {name}"));
    context.output.data(format!("Base directory: {}", base.display()));
    context.output.data("");
    content.iter().for_each(|content| context.output.text(content));
    files.iter().flatten().for_each(|file| context.output.data(file));
    context.output.data("");
    context.output.data(format!("Skill read: {name}"));
}
