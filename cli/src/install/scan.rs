//! What is installed, in the order in which clients look.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::target::Target;
use crate::config::Environment;
use crate::error::Failure;

/// A folder with a `SKILL.md` in a folder that clients look at.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) target: Target,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// The folder of the same name that clients find before this one.
    pub(crate) shadowed_by: Option<PathBuf>,
}

/// All that there is, the first one first. The same folder by way of a link counts once.
pub(crate) fn scan(env: &Environment) -> Result<Vec<Found>, Failure> {
    let (mut found, mut first) = (Vec::new(), HashMap::<String, PathBuf>::new());
    for target in Target::all(env) {
        for name in target.skill_names()? {
            let path = target.dir.join(&name);
            let shadowed_by = first.get(&name).cloned();
            if shadowed_by.as_ref().is_some_and(|other| is_same(other, &path)) {
                continue;
            }
            first.entry(name.clone()).or_insert_with(|| path.clone());
            found.push(Found { target: target.clone(), name, path, shadowed_by });
        }
    }
    Ok(found)
}

fn is_same(a: &Path, b: &Path) -> bool {
    fs::canonicalize(a).ok().zip(fs::canonicalize(b).ok()).is_some_and(|(a, b)| a == b)
}
