//! Paths that the wire allows, but that no registry should hand out.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use skillhub_protocol::Finding;
use unicode_normalization::UnicodeNormalization;

use crate::content::unicode::is_invisible;
use crate::findings::quote;
use crate::path::{Placed, collision};

/// The longest segment that common file systems store, in bytes.
const MAX_SEGMENT: usize = 255;

/// All findings about paths that are legal on the wire.
pub(super) fn check(listing: &[Placed]) -> Vec<Finding> {
    let mut findings: Vec<_> = listing.iter().filter_map(|place| check_one(place).err()).collect();
    findings.extend(collisions(listing));
    findings
}

fn check_one(place: &Placed) -> Result<(), Finding> {
    let text = place.path.as_str();
    let fault =
        |code: &str, message: String| Err(Finding::error(code, place.at(), format!("{} {message}", quote(text))));
    if let Some(c) = text.chars().find(|c| c.is_control() || is_invisible(*c)) {
        return fault("path_char", format!("must not hold the invisible character U+{:04X}", u32::from(c)));
    }
    for segment in place.path.segments() {
        if segment.len() > MAX_SEGMENT {
            let len = segment.len();
            let message = format!("must not have a segment of {len} bytes in UTF-8, at most {MAX_SEGMENT} are allowed");
            return fault("path_segment_too_long", message);
        }
        if segment.starts_with(' ') {
            return fault("path_trailing", "must not have a segment that begins with a space".to_owned());
        }
        if is_device(segment) {
            return fault("path_reserved", "must not have a segment that is a device name of Windows".to_owned());
        }
        if segment.starts_with('.') || segment == "__MACOSX" {
            return fault("path_hidden", format!("must not have the hidden or private segment {}", quote(segment)))
                .map_err(|finding| finding.hint("leave it out; `skillhub pack` does so"));
        }
    }
    Ok(())
}

/// Names that Windows also takes for devices, beyond those that the contract lists.
fn is_device(segment: &str) -> bool {
    let stem = segment.split('.').next().unwrap_or(segment).trim_end().to_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$")
        || port
            .is_some_and(|digit| matches!(digit, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"))
}

/// A name of the tree: a file, or a folder that holds one or is listed itself.
#[derive(Clone, Copy, PartialEq)]
struct Name<'a> {
    spelling: &'a str,
    is_directory: bool,
}

/// Files and folders that some file systems take for one another: each folder on the way to a file counts.
fn collisions(listing: &[Placed]) -> Vec<Finding> {
    let mut seen = HashMap::new();
    let mut findings = Vec::new();
    for place in listing {
        let other = prefixes(place).find_map(|name| take(&mut seen, name));
        findings.extend(other.map(|other| collision(place, other)));
    }
    findings
}

/// Takes a name; if something else has it already, says what. Only a folder may be met again, in the same spelling.
fn take<'a>(seen: &mut HashMap<String, Name<'a>>, name: Name<'a>) -> Option<&'a str> {
    match seen.entry(fold(name.spelling)) {
        Entry::Vacant(vacant) => {
            vacant.insert(name);
            None
        }
        Entry::Occupied(taken) if name.is_directory && *taken.get() == name => None,
        Entry::Occupied(taken) => Some(taken.get().spelling),
    }
}

/// The folders on the way to a place, outermost first, and the place itself.
fn prefixes(place: &Placed) -> impl Iterator<Item = Name<'_>> {
    let path = place.path.as_str();
    let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    let folders = folders.map(|spelling| Name { spelling, is_directory: true });
    folders.chain(std::iter::once(Name { spelling: path, is_directory: place.is_directory }))
}

/// Equal for texts that are equal without case (full folding: `ß` and `SS`).
fn fold(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_uppercase() } else { text.to_lowercase().to_uppercase().nfc().collect() }
}
