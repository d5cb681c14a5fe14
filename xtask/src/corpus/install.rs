//! Skills that are installed again are what their publishers had.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use skillhub_protocol::SkillResponse;

use super::client::{self, Verdict};
use super::server::Server;
use crate::process::capture;
use crate::tools;

/// The folder of what the client notes about a skill; no package has it.
const RECORD: &str = ".astron";

/// Installs some skills into a project, compares them byte for byte with their sources, and lets another client find them.
///
/// # Errors
/// The first skill that differs, and how.
pub(crate) fn demand(server: &Server, verdicts: &[&Verdict], project: &Path) -> Result<(), String> {
    let folder = project.join(".claude/skills");
    let coordinates: Vec<&str> = verdicts.iter().filter_map(|verdict| verdict.coordinate.as_deref()).collect();
    client::install(server, &coordinates, &folder)?;
    let mut slugs = Vec::new();
    for verdict in verdicts {
        let slug = compare(server, verdict, &folder).map_err(|e| format!("{}: {e}", verdict.source.display()))?;
        slugs.push(slug);
    }
    println!("installed and equal to their sources: {}", slugs.join(", "));
    find_with_openskills(project, &slugs)
}

/// Compares one skill; gives its slug.
fn compare(server: &Server, verdict: &Verdict, folder: &Path) -> Result<String, String> {
    let id = verdict.skill_id.as_ref().ok_or("the client told no id")?;
    let answer = server.get(&format!("/api/skills/{id}"))?;
    let manifest = SkillResponse::from_json(&answer).map_err(|e| e.to_string())?.skill.manifest;
    let installed = folder.join(manifest.slug.as_str());
    for file in manifest.files() {
        let path = file.path.as_str();
        if read(&verdict.source.join(path))? != read(&installed.join(path))? {
            return Err(format!("{path} differs"));
        }
    }
    let expected: BTreeSet<String> = manifest.files().iter().map(|file| file.path.to_string()).collect();
    let found = files_below(&installed)?;
    if found == expected { Ok(manifest.slug.to_string()) } else { Err(format!("holds {found:?}, not {expected:?}")) }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The paths of all files of a skill below its folder.
fn files_below(root: &Path) -> Result<BTreeSet<String>, String> {
    let (mut files, mut folders) = (BTreeSet::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        if folder.starts_with(RECORD) {
            continue;
        }
        let entries = fs::read_dir(root.join(&folder)).map_err(|e| format!("{}: {e}", root.display()))?;
        for entry in entries {
            let entry = entry.map_err(|e| e.to_string())?;
            let path = folder.join(entry.file_name());
            if entry.file_type().map_err(|e| e.to_string())?.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.to_string_lossy().into_owned());
            }
        }
    }
    Ok(files)
}

/// Reads each skill with OpenSkills, which fails if it cannot find one.
fn find_with_openskills(project: &Path, slugs: &[String]) -> Result<(), String> {
    let mut openskills = tools::OPENSKILLS.command()?;
    openskills.env("HOME", project.join("home")).current_dir(project).arg("read").args(slugs);
    let text = capture(&mut openskills)?;
    let lost = slugs.iter().find(|slug| !text.contains(&format!("Reading: {slug}\n")));
    println!("found and read by OpenSkills: {}", slugs.len());
    lost.map_or(Ok(()), |slug| Err(format!("OpenSkills does not find {slug}")))
}
