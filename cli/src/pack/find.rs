//! Finding the skills below a folder.

use std::path::{Path, PathBuf};

use skillhub_protocol::Manifest;

use super::walk::{entries, folder_of};
use crate::error::Failure;

/// The folders with a `SKILL.md`, in order. What is inside a skill belongs to that skill; hidden and ignored folders are left
/// out, and links are not followed.
///
/// A `skill.md` in another case counts too, so that it is refused by name and not passed over.
pub(crate) fn find_skills(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::<PathBuf>::new();
    for entry in entries(dir) {
        let entry = entry.map_err(|e| Failure::io("read", dir, &e))?;
        let path = entry.path();
        let is_skill_md = entry.file_name().eq_ignore_ascii_case(Manifest::SKILL_MD);
        if entry.depth() > 0 && is_skill_md {
            found.push(folder_of(path));
        }
    }
    found.sort();
    found.dedup();
    let all = found.clone();
    found.retain(|folder| !all.iter().any(|other| other != folder && folder.starts_with(other)));
    if found.is_empty() {
        return Err(Failure::usage(format!("there is no SKILL.md in or below {}", dir.display())));
    }
    Ok(found)
}
