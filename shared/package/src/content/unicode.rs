//! Characters that a reader does not see, but that change what is read.

use memchr::memchr3_iter;
use skillhub_protocol::Finding;

use super::place::Place;
use crate::contents::PackageFile;

/// Whether a character is invisible or changes the direction of text: controls of direction, zero-width characters, tags,
/// variation selectors, fillers and other default-ignorable characters, and private use.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// How many hidden characters a text has, with the first and its byte offset. Joiners in words and emoji, marks beside text
/// that runs from right to left, selectors behind emoji and ideographs, and flags spelled with tags are not hidden.
pub(crate) fn hidden(text: &[u8]) -> Option<Hidden> {
    let mut found: Option<Hidden> = None;
    // Where a flag that is spelled with tags ends, as far as it has been read.
    let mut flag_end = 0;
    for offset in memchr3_iter(LEADS[0], LEADS[1], LEADS[2], text) {
        let Some(c) = char_at(text, offset).filter(|c| may_hide(*c)) else { continue };
        let before = char_before(text, offset);
        if is_tag(c) && (before == Some(FLAG) || offset == flag_end) {
            flag_end = offset.saturating_add(c.len_utf8());
        } else if is_hidden(before, c, char_at(text, offset.saturating_add(c.len_utf8()))) {
            let first = found.get_or_insert(Hidden { first: c, offset, count: 0 });
            first.count = first.count.saturating_add(1);
        }
    }
    found
}

/// The character that begins at an offset.
fn char_at(text: &[u8], offset: usize) -> Option<char> {
    let len = match text.get(offset)? {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    };
    std::str::from_utf8(text.get(offset..offset.checked_add(len)?)?).ok()?.chars().next()
}

/// The character that ends at an offset.
fn char_before(text: &[u8], offset: usize) -> Option<char> {
    (1..=4).find_map(|len| char_at(text, offset.checked_sub(len)?).filter(|c| c.len_utf8() == len))
}

/// The flag before the letters of a region.
const FLAG: char = '\u{1f3f4}';
/// The first bytes, in UTF-8, of all characters that [`may_hide`].
const LEADS: [u8; 3] = [0xe2, 0xef, 0xf3];

/// Characters that hide, depending on what stands beside them.
fn may_hide(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
        || is_selector(c)
}

/// The hidden characters of a text.
pub(crate) struct Hidden {
    first: char,
    offset: usize,
    count: usize,
}

impl Hidden {
    pub(crate) fn message(&self) -> String {
        let others = match self.count.saturating_sub(1) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        format!("holds the invisible character U+{:04X}{others}", u32::from(self.first))
    }
}

/// Whether a character that may hide does so here.
fn is_hidden(before: Option<char>, c: char, after: Option<char>) -> bool {
    match c {
        // A mark of the encoding, at the start of a text.
        '\u{feff}' => before.is_some(),
        '\u{200c}'..='\u{200f}' => !before.is_some_and(is_beyond_latin) && !after.is_some_and(is_beyond_latin),
        // A selector chooses the form of one character; a run of them can carry a message.
        c if is_selector(c) => before.is_none_or(is_selector),
        _ => true,
    }
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0020}'..='\u{e007f}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_beyond_latin(c: char) -> bool {
    c > '\u{24f}' && !is_invisible(c) || is_selector(c)
}

pub(super) fn scan(file: &PackageFile) -> Option<Finding> {
    let found = hidden(file.data())?;
    let finding = file.finding("hidden_unicode", found.message());
    let hint = "remove the character: what people read would differ from what an agent reads";
    Some(Place::of(file.data(), found.offset).on(finding).hint(hint))
}
