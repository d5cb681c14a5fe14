//! Finding the block.

use std::ops::Range;

use thiserror::Error;

/// Why it is not clear what to replace. Lines are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Fault {
    /// A block begins and does not end.
    #[error("line {line}: the skills block that begins here has no end")]
    Unclosed {
        /// Where it begins.
        line: usize,
    },
    /// A block ends that did not begin.
    #[error("line {line}: a skills block ends here that did not begin")]
    EndWithoutStart {
        /// Where it ends.
        line: usize,
    },
    /// A second block begins, after the first one or in it.
    #[error("line {second}: a second skills block begins here, the first one in line {first}")]
    Doubled {
        /// Where the first one begins.
        first: usize,
        /// Where the second one begins.
        second: usize,
    },
    /// Fenced code begins and does not end, so that a block after it would be code.
    #[error("line {line}: the fenced code that begins here has no end")]
    OpenFence {
        /// Where the code begins.
        line: usize,
    },
}

/// What is found in a text.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    pub(super) block: Option<Block>,
    /// The line of the fence that is open at the end.
    pub(super) open_fence: Option<usize>,
}

/// Where a block is, in bytes.
#[derive(Debug)]
pub(super) struct Block {
    /// From the first byte of its first marker to the last one of its last marker.
    pub(super) text: Range<usize>,
    /// The same with all of the lines that the markers are in.
    pub(super) lines: Range<usize>,
    first_line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tag,
    Comment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marker {
    Start(Kind),
    End(Kind),
}

/// A fence of fenced code.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    len: usize,
    line: usize,
}

enum State {
    Prose,
    Code(Fence),
    Inside { kind: Kind, text: usize, lines: usize, line: usize },
}

/// One line of the text.
struct Line<'a> {
    number: usize,
    start: usize,
    /// Without its `\n`.
    content: &'a str,
    end: usize,
}

pub(super) fn scan(text: &str) -> Result<Scanned, Fault> {
    let (mut state, mut block) = (State::Prose, None);
    for line in lines(text) {
        state = match state {
            State::Prose => in_prose(&line, block.as_ref())?,
            State::Code(fence) if closes(&line, fence) => State::Prose,
            State::Code(fence) => State::Code(fence),
            State::Inside { kind, text, lines, line: first_line } => match inside(&line, kind, first_line)? {
                None => State::Inside { kind, text, lines, line: first_line },
                Some(end) => {
                    block = Some(Block { text: text..end, lines: lines..line.end, first_line });
                    State::Prose
                }
            },
        };
    }
    match state {
        State::Prose => Ok(Scanned { block, open_fence: None }),
        State::Code(fence) => Ok(Scanned { block, open_fence: Some(fence.line) }),
        State::Inside { line, .. } => Err(Fault::Unclosed { line }),
    }
}

fn in_prose(line: &Line<'_>, found: Option<&Block>) -> Result<State, Fault> {
    match (marker(line.content), found) {
        (Some(Marker::End(_)), _) => Err(Fault::EndWithoutStart { line: line.number }),
        (Some(Marker::Start(_)), Some(block)) => Err(Fault::Doubled { first: block.first_line, second: line.number }),
        (Some(Marker::Start(kind)), None) => {
            let text = line.start.saturating_add(indent(line.content));
            Ok(State::Inside { kind, text, lines: line.start, line: line.number })
        }
        (None, _) => Ok(opens(line).map_or(State::Prose, State::Code)),
    }
}

/// Where the block ends, if it ends in this line. In a tag the comments mean nothing: other clients write both.
fn inside(line: &Line<'_>, kind: Kind, first: usize) -> Result<Option<usize>, Fault> {
    match marker(line.content) {
        Some(Marker::End(end)) if end == kind => {
            Ok(Some(line.start.saturating_add(line.content.trim_end_matches(BLANK).len())))
        }
        Some(Marker::Start(Kind::Comment) | Marker::End(Kind::Comment)) if kind == Kind::Tag => Ok(None),
        Some(Marker::Start(_)) => Err(Fault::Doubled { first, second: line.number }),
        Some(Marker::End(_)) => Err(Fault::EndWithoutStart { line: line.number }),
        None => Ok(None),
    }
}

const BLANK: [char; 3] = [' ', '\t', '\r'];

fn marker(content: &str) -> Option<Marker> {
    // Four spaces or a tab make code of it.
    if indent(content) > 3 {
        return None;
    }
    match content.trim_start_matches(' ').trim_end_matches(BLANK) {
        "</skills_system>" => Some(Marker::End(Kind::Tag)),
        "<!-- SKILLS_TABLE_START -->" => Some(Marker::Start(Kind::Comment)),
        "<!-- SKILLS_TABLE_END -->" => Some(Marker::End(Kind::Comment)),
        tag => is_opening_tag(tag).then_some(Marker::Start(Kind::Tag)),
    }
}

fn is_opening_tag(text: &str) -> bool {
    let attributes = text.strip_prefix("<skills_system").and_then(|rest| rest.strip_suffix('>'));
    attributes.is_some_and(|text| !text.contains(['<', '>']) && (text.is_empty() || text.starts_with([' ', '\t'])))
}

/// The spaces before the content, in bytes.
fn indent(content: &str) -> usize {
    content.len().saturating_sub(content.trim_start_matches(' ').len())
}

/// Fences may be indented at will: they may be a part of a list.
fn opens(line: &Line<'_>) -> Option<Fence> {
    let content = line.content.trim();
    let mark = content.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = content.trim_start_matches(mark);
    let len = content.len().saturating_sub(rest.len());
    // With a backtick after them, three backticks are inline code.
    (len >= 3 && !(mark == '`' && rest.contains('`'))).then_some(Fence { mark, len, line: line.number })
}

fn closes(line: &Line<'_>, fence: Fence) -> bool {
    let content = line.content.trim();
    content.len() >= fence.len && content.trim_start_matches(fence.mark).is_empty()
}

/// The text without the mark that some editors put before it.
pub(super) fn without_bom(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}

/// The lines, each without marks before it: what comes first in the text changes when a block is taken away.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut end: usize = 0;
    text.split_inclusive('\n').enumerate().map(move |(index, line)| {
        end = end.saturating_add(line.len());
        let line = without_bom(line);
        let start = end.saturating_sub(line.len());
        Line { number: index.saturating_add(1), start, content: line.trim_end_matches('\n'), end }
    })
}
