//! What an operation comes to.

use super::words::{Content, Name, Number, Slot};

/// An answer: its status, its code if it is a problem, and what it says as lines.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Answer {
    /// The HTTP status; of what happens by itself, 200.
    pub status: u16,
    /// The code of a problem, or nothing.
    pub code: String,
    /// What it says.
    pub lines: Vec<String>,
}

impl Answer {
    /// A success that says nothing.
    pub fn done(status: u16) -> Self {
        Self { status, code: String::new(), lines: Vec::new() }
    }

    /// A success that says this.
    pub fn says(status: u16, lines: Vec<String>) -> Self {
        Self { lines, ..Self::done(status) }
    }

    /// A problem.
    pub fn problem(status: u16, code: &str) -> Self {
        Self { code: code.to_owned(), ..Self::done(status) }
    }

    /// What does not exist, and what may not be known of.
    pub fn not_found() -> Self {
        Self::problem(404, "not_found")
    }

    /// What may be known of, but not be done.
    pub fn forbidden() -> Self {
        Self::problem(403, "forbidden")
    }

    /// What does not fit to what is there.
    pub fn conflict(code: &str) -> Self {
        Self::problem(409, code)
    }

    /// What is blocked for ever.
    pub fn blocked() -> Self {
        Self::problem(410, "blocked")
    }

    /// Whether it leaves open what has happened.
    pub fn is_unknown(&self) -> bool {
        self.status >= 500
    }
}

/// A version in an answer.
pub fn version_line(name: Name, number: Number, content: Content, rest: impl std::fmt::Display) -> String {
    format!("{name}@{number} {content} {rest}")
}

/// A session in an answer.
pub fn session_line(slot: Slot, state: impl std::fmt::Display, name: Name, number: Number, code: Option<&str>) -> String {
    format!("{slot} {state} {name}@{number} {}", code.unwrap_or("-"))
}
