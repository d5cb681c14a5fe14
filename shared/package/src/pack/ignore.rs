//! What does not belong in a package.

use std::fmt;

/// Why a file is not packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A folder of a version control system.
    VersionControl,
    /// An environment file, which often holds credentials.
    Environment,
    /// Installed dependencies.
    Dependencies,
    /// What an interpreter compiled.
    Compiled,
    /// What an editor left behind.
    Editor,
    /// What an operating system left behind.
    System,
    /// What an installer of skills left behind.
    Installer,
    /// Any other hidden file.
    Hidden,
    /// A file outside of the folder of `SKILL.md`.
    OutsideSkill,
}

impl Reason {
    fn as_str(self) -> &'static str {
        match self {
            Self::VersionControl => "belongs to version control",
            Self::Environment => "is an environment file, which may hold credentials",
            Self::Dependencies => "is an installed dependency",
            Self::Compiled => "was compiled by an interpreter",
            Self::Editor => "was left behind by an editor",
            Self::System => "was left behind by the operating system",
            Self::Installer => "was left behind by an installer of skills",
            Self::Hidden => "is hidden",
            Self::OutsideSkill => "is outside of the folder of SKILL.md",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a path is not packed, by the first of its segments that has a reason; `None`: it is packed. `.` and `..` have none: they
/// are faults of a path.
///
/// A walk asks for this before it reads a file or goes into a folder.
pub fn left_out_reason(path: &str) -> Option<Reason> {
    path.split('/').find_map(segment_reason)
}

fn segment_reason(segment: &str) -> Option<Reason> {
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| segment.ends_with(suffix));
    match segment {
        "" | "." | ".." => None,
        ".git" | ".svn" | ".hg" | ".jj" | ".gitignore" | ".gitattributes" | ".gitmodules" => {
            Some(Reason::VersionControl)
        }
        "node_modules" | ".venv" => Some(Reason::Dependencies),
        "__pycache__" => Some(Reason::Compiled),
        ".idea" | ".vscode" => Some(Reason::Editor),
        "__MACOSX" | ".DS_Store" | "Thumbs.db" | "desktop.ini" => Some(Reason::System),
        ".astron" => Some(Reason::Installer),
        _ if segment.starts_with(".env") => Some(Reason::Environment),
        _ if ends(&[".pyc", ".pyo"]) => Some(Reason::Compiled),
        _ if ends(&["~", ".swp", ".swo"]) || (segment.starts_with('#') && segment.ends_with('#')) => {
            Some(Reason::Editor)
        }
        _ if segment.starts_with("._") => Some(Reason::System),
        _ if segment.starts_with('.') => Some(Reason::Hidden),
        _ => None,
    }
}
