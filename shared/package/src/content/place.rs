//! Lines and columns.

use skillhub_protocol::Finding;

/// A place in a text: line and column, both counted from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Place {
    /// The place of a byte offset.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.bytes().filter(|b| *b == b'\n').count().saturating_add(1);
        let start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
        let column = before.get(start..).unwrap_or_default().chars().count().saturating_add(1);
        Self { line: narrow(line), column: narrow(column) }
    }

    pub(crate) fn on(self, finding: Finding) -> Finding {
        finding.at(self.line, self.column)
    }
}

pub(crate) fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
