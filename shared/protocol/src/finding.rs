//! What a check says of a package.

use serde::{Deserialize, Serialize};

/// One thing that a check found, at one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Finding {
    /// Where: `archive`, `files[3].path`, `skillMd.frontmatter.description`, `manifest.files[2].sha256`.
    pub path: String,
    /// The line, counted from 1, in a text file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub line: Option<u32>,
    /// The column, counted from 1 in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub column: Option<u32>,
    /// The stable code, lower snake case.
    #[cfg_attr(feature = "openapi", schema(pattern = "^[a-z_]+$"))]
    pub code: String,
    /// Whether it keeps the package out.
    pub severity: Severity,
    /// What is wrong, with the value and the limit.
    pub message: String,
    /// What to do about it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub hint: Option<String>,
}

/// Whether a finding refuses a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The package is refused.
    Error,
    /// The package is published, and its publisher is told.
    Warning,
}

impl Finding {
    /// A finding that refuses.
    pub fn error(code: &str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line: None,
            column: None,
            code: code.to_owned(),
            severity: Severity::Error,
            message: message.into(),
            hint: None,
        }
    }

    /// A finding that only warns.
    pub fn warning(code: &str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, path, message) }
    }

    /// The same finding with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same finding at a line and column, both counted from 1.
    #[must_use]
    pub fn at(mut self, line: u32, column: u32) -> Self {
        self.line = Some(line);
        self.column = Some(column);
        self
    }

    /// Whether it refuses the package.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.path)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {} [{}]", self.message, self.code)?;
        self.hint.iter().try_for_each(|hint| write!(f, "\n  hint: {hint}"))
    }
}
