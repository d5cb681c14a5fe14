//! Names of entries as paths of a package.

use std::collections::HashMap;

use skillhub_protocol::{Finding, PackagePath, PathFault};

use crate::findings::{quote, quote_bytes};

/// A legal path at its place in the source.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    /// The index in the source: the central directory of an archive, or the list of files.
    pub(crate) index: usize,
    pub(crate) path: PackagePath,
    pub(crate) is_directory: bool,
}

impl Placed {
    pub(crate) fn at(&self) -> String {
        format!("files[{}].path", self.index)
    }

    /// Over how many folders the entry lies.
    pub(crate) fn depth(&self) -> usize {
        self.path.segments().count().saturating_sub(1)
    }
}

/// The place of an entry with this name, given as bytes of an archive.
pub(crate) fn place(index: usize, name: &[u8], is_utf8: bool, is_directory: bool) -> Result<Placed, Finding> {
    let at = format!("files[{index}].path");
    let text = std::str::from_utf8(name).ok().filter(|_| is_utf8 || name.is_ascii());
    let Some(text) = text else {
        let message = format!("{} must be UTF-8 with the UTF-8 flag set", quote_bytes(name));
        return Err(Finding::error("path_not_utf8", at, message).hint("rename the file, or pack with `skillhub pack`"));
    };
    let path = if is_directory { text.strip_suffix('/').unwrap_or(text) } else { text };
    let path = path.parse().map_err(|fault| path_finding(at, text, fault))?;
    Ok(Placed { index, path, is_directory })
}

/// What to say of a text that is no path of a package.
pub(crate) fn path_finding(at: String, text: &str, fault: PathFault) -> Finding {
    let finding = Finding::error(fault.code(), at, format!("{} {fault}", quote(text)));
    match fault {
        PathFault::NotNfc => finding.hint("rename the file to the composed form of its name"),
        PathFault::Reserved => finding.hint("rename the file: Windows cannot store it"),
        PathFault::Char if text.contains('\\') => finding.hint("separate folders with \"/\""),
        _ => finding,
    }
}

/// The files seen so far, by what a file system that ignores case makes of their paths.
#[derive(Default)]
pub(crate) struct Taken(HashMap<String, PackagePath>);

impl Taken {
    /// The same place, if no other file has its path. Folders may be listed any number of times.
    pub(crate) fn check(&mut self, place: Placed) -> Result<Placed, Finding> {
        if place.is_directory {
            return Ok(place);
        }
        match self.0.insert(place.path.collision_key(), place.path.clone()) {
            None => Ok(place),
            Some(other) => Err(collision(&place, other.as_str())),
        }
    }
}

pub(crate) fn collision(place: &Placed, other: &str) -> Finding {
    let message = if place.path.as_str() == other {
        format!("{} is there twice", quote(other))
    } else {
        format!("{} and {} are the same name to some file systems", quote(place.path.as_str()), quote(other))
    };
    Finding::error("path_collision", place.at(), message).hint("rename or remove one of them")
}
