//! Text from elsewhere, made safe to show.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with every character that could steer a terminal or hide or reorder text written as `\u{…}`: controls (C0, DEL,
/// C1), line separators, bidirectional marks and overrides, zero-width and tag characters.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    replace(text, |out, c| {
        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
    })
}

/// The same inside JSON, where such characters stand in strings only: they become JSON escapes, and the value stays the same.
pub(crate) fn escape_json(json: &str) -> Cow<'_, str> {
    replace(json, |out, c| {
        // The line ends of pretty-printing stand between tokens.
        if c == '\n' {
            return out.push('\n');
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// The same for text of several lines: tabs and line ends stay, those of CRLF included.
pub(crate) fn escape_text(text: &str) -> Cow<'_, str> {
    let text = if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
    let escaped = replace(&text, |out, c| match c {
        '\n' | '\t' => out.push(c),
        c => drop(write!(out, "\\u{{{:x}}}", u32::from(c))),
    });
    Cow::Owned(escaped.into_owned())
}

fn replace(text: &str, write_escape: impl Fn(&mut String, char)) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) { write_escape(&mut out, c) } else { out.push(c) }
    }
    Cow::Owned(out)
}

fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_comes_through() {
        for (text, shown) in [
            ("plain text, 技能 and 👩‍🔧", "plain text, 技能 and 👩‍🔧"),
            ("\u{1b}[2J\u{7}x", "\\u{1b}[2J\\u{7}x"),
            ("a\r\nb\tc", "a\\u{d}\\u{a}b\\u{9}c"),
            ("\u{9b}31m\u{7f}", "\\u{9b}31m\\u{7f}"),
            ("evil\u{202e}dm.exe\u{2066}", "evil\\u{202e}dm.exe\\u{2066}"),
            ("a\u{200b}\u{feff}\u{e0041}", "a\\u{200b}\\u{feff}\\u{e0041}"),
        ] {
            assert_eq!(escape(text), shown);
        }
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(escape_text("a\r\n\tb\u{1b}[2J\rc\n"), "a\n\tb\\u{1b}[2J\\u{d}c\n");
    }

    #[test]
    fn escaped_json_means_the_same() {
        let value = serde_json::json!({ "a\u{202e}": ["\u{1b}[0m\u{9b}", "\u{e0041}\n", "技能"] });
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let escaped = escape_json(&pretty);
        assert!(!escaped.chars().any(|c| c != '\n' && is_unsafe(c)), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }
}
