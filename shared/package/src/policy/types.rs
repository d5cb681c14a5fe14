//! Which files may be in a package.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use skillhub_protocol::Finding;

use crate::findings::quote;
use crate::path::Placed;

/// The contract's own list.
const CONTRACT: [&str; 14] =
    ["md", "txt", "json", "yaml", "yml", "js", "cjs", "mjs", "ts", "py", "sh", "png", "jpg", "svg"];
/// What published skills also carry.
const OBSERVED: [&str; 16] =
    ["html", "css", "csv", "xml", "xsd", "toml", "jsx", "tsx", "jpeg", "gif", "webp", "pdf", "ttf", "rs", "go", "sql"];
const NAMES: [&str; 5] = ["LICENSE*", "NOTICE*", "Dockerfile", "Dockerfile.*", "Makefile"];

/// Which files may be in a package, by the ends of their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct FileTypes {
    /// Extensions without the dot, in lower case; names are compared without case.
    pub extensions: BTreeSet<String>,
    /// Names that need no allowed extension; a `*` at the end stands for any rest. A pattern without a dot is for names without
    /// one: `LICENSE*` does not let `LICENSE.exe` in.
    pub names: BTreeSet<String>,
}

impl Default for FileTypes {
    fn default() -> Self {
        Self { extensions: owned(CONTRACT.iter().chain(&OBSERVED)), names: owned(&NAMES) }
    }
}

impl FileTypes {
    /// The contract's own list, without any extensionless file.
    pub fn strict() -> Self {
        Self { extensions: owned(&CONTRACT), names: BTreeSet::new() }
    }

    pub(super) fn check(&self, listing: &[Placed]) -> Vec<Finding> {
        let files = listing.iter().filter(|place| !place.is_directory);
        files.filter(|place| !self.allows(file_name(place))).map(|place| self.refuse(place)).collect()
    }

    fn allows(&self, name: &str) -> bool {
        match name.rsplit_once('.') {
            Some((_, extension)) if self.extensions.contains(&extension.to_ascii_lowercase()) => true,
            Some(_) => self.names.iter().any(|pattern| pattern.contains('.') && matches(pattern, name)),
            None => self.names.iter().any(|pattern| matches(pattern, name)),
        }
    }

    fn refuse(&self, place: &Placed) -> Finding {
        let name = file_name(place);
        let message = match name.rsplit_once('.') {
            Some((_, extension)) => format!("{} is of the type \".{extension}\", which is not allowed", quote(name)),
            None => format!("{} has no extension and is none of the names that need none", quote(name)),
        };
        let allowed: Vec<_> = self.extensions.iter().map(String::as_str).collect();
        Finding::error("file_type", place.at(), message)
            .hint(format!("the registry's policy (types.extensions) allows {}", allowed.join(", ")))
    }
}

fn owned<'a>(list: impl IntoIterator<Item = &'a &'static str>) -> BTreeSet<String> {
    list.into_iter().map(|item| (*item).to_owned()).collect()
}

fn file_name(place: &Placed) -> &str {
    place.path.segments().last().unwrap_or_default()
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}
