//! Text as JavaScript measures it: the contract counts, trims and sorts in UTF-16 code units.

use std::cmp::Ordering;

/// Length in UTF-16 code units (`String.length` of JavaScript).
pub fn utf16_len(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Order by UTF-16 code units (`<` of JavaScript strings). Differs from the order of UTF-8 bytes where characters
/// above U+FFFF meet characters from U+E000 to U+FFFF.
pub fn cmp_utf16(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// `String.prototype.trim` of JavaScript: unlike Rust's, it takes U+FEFF away and leaves U+0085.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_js_whitespace)
}

fn is_js_whitespace(c: char) -> bool {
    matches!(
        c,
        '\u{9}'..='\u{d}'
            | ' '
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
            | '\u{feff}'
    )
}

/// Whether `text` has 1 to `max` UTF-16 units and no white space around it.
pub(crate) fn is_trimmed_within(text: &str, max: usize) -> bool {
    !text.is_empty() && utf16_len(text) <= max && trim(text).len() == text.len()
}

/// Whether `name` (lower case, without extension) is a device name of Windows.
pub(crate) fn is_device_name(stem: &str) -> bool {
    let stem = stem.to_ascii_lowercase();
    match stem.as_str() {
        "con" | "prn" | "aux" | "nul" => true,
        other => match other.strip_prefix("com").or_else(|| other.strip_prefix("lpt")) {
            Some(digit) => matches!(digit.as_bytes(), [b'1'..=b'9']),
            None => false,
        },
    }
}
