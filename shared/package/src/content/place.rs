//! Lines and columns.

use skillhub_protocol::Finding;

/// A place in a text: line and column, both counted from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Place {
    /// The place of a byte offset in UTF-8, or in what is nearly UTF-8.
    pub(crate) fn of(text: &[u8], offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = memchr::memchr_iter(b'\n', before).count().saturating_add(1);
        let start = memchr::memrchr(b'\n', before).map_or(0, |at| at.saturating_add(1));
        let on_line = before.get(start..).unwrap_or_default();
        let column = on_line.iter().filter(|byte| !is_continuation(**byte)).count().saturating_add(1);
        Self { line: narrow(line), column: narrow(column) }
    }

    pub(crate) fn on(self, finding: Finding) -> Finding {
        finding.at(self.line, self.column)
    }
}

/// Whether the byte continues a character of UTF-8.
fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

pub(crate) fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
