//! Names of folders that hold a skill each.

use std::fmt;
use std::str::FromStr;

/// One segment of a path, not hidden: such a name never leads out of the folder that it is looked for in, on no system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FolderName(String);

/// A text that is no [`FolderName`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the name of a skill's folder, without \"/\", \"\\\" and \":\", and without a dot at either end")]
pub(crate) struct InvalidFolderName;

impl FolderName {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for FolderName {
    type Err = InvalidFolderName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Windows drops dots and spaces at the end of a name, which would be another one then.
        let is_segment = !text.is_empty() && !text.starts_with('.') && !text.ends_with(['.', ' ']);
        if is_segment && !text.contains(|c: char| matches!(c, '/' | '\\' | ':') || c.is_control()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidFolderName)
        }
    }
}

impl fmt::Display for FolderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
