//! What is different on each run, under names that are not. The one place for it.

use std::collections::BTreeMap;

use skillhub_protocol::UtcMillis;

/// Names for ids that were seen, such as `[VERSION-2]` for the second version: equal ids have equal names.
#[derive(Debug, Default)]
pub(crate) struct Names {
    by_id: BTreeMap<String, String>,
}

impl Names {
    /// The text with names in place of ids, digests, times, secrets and ids of requests.
    pub(crate) fn redact(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let word = rest.find(|c| !is_part(c)).map_or(rest, |end| &rest[..end]);
            let core = word.trim_end_matches([':', '.']);
            out.push_str(&self.name(core).unwrap_or_else(|| core.to_owned()));
            let after = rest[word.len()..].chars().next().map_or(word.len(), |c| word.len() + c.len_utf8());
            out.push_str(&rest[core.len()..after]);
            rest = &rest[after..];
        }
        out
    }

    /// The text with the ids that names stand for.
    pub(crate) fn fill(&self, text: &str) -> String {
        self.by_id.iter().fold(text.to_owned(), |text, (id, name)| text.replace(name, id))
    }

    /// What a word is called; nothing if it is the same on each run.
    fn name(&mut self, word: &str) -> Option<String> {
        let is_hex = word.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        match (word.len(), word.split_at_checked(1)?) {
            // Digests follow from the compressor, which is pinned elsewhere.
            (64, _) if is_hex => Some(String::from("[SHA256]")),
            (32, _) if is_hex => Some(String::from("[REQUEST]")),
            (46, _) if word.starts_with("sk_") => Some(String::from("[SECRET]")),
            (24, _) if word.parse::<UtcMillis>().is_ok() => Some(String::from("[TIME]")),
            (25, (letter, digits)) if is_minted(digits) => Some(self.id(word, kind(letter)?)),
            _ => None,
        }
    }

    fn id(&mut self, id: &str, kind: &str) -> String {
        let known = self.by_id.values().filter(|name| name.starts_with(&format!("[{kind}-"))).count();
        self.by_id.entry(id.to_owned()).or_insert_with(|| format!("[{kind}-{}]", known + 1)).clone()
    }
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.')
}

/// Whether this is what follows the letter of an id: a number in base 36.
fn is_minted(digits: &str) -> bool {
    digits.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase()) && digits.bytes().any(|b| b.is_ascii_digit())
}

fn kind(letter: &str) -> Option<&'static str> {
    Some(match letter {
        "c" => "SKILL",
        "v" => "VERSION",
        "u" => "UPLOAD",
        "t" => "TOKEN",
        "o" => "ORGANIZATION",
        _ => return None,
    })
}

#[test]
fn what_differs_is_named_and_nothing_else() {
    let mut names = Names::default();
    let (one, two) = (format!("v{}", "0a".repeat(12)), format!("v{}", "0b".repeat(12)));
    let text = format!("{one}: {two} é {one}. \"{}\" at 2026-07-23T00:05:00.000Z in /c/vx", "ab".repeat(32));
    let redacted = "[VERSION-1]: [VERSION-2] é [VERSION-1]. \"[SHA256]\" at [TIME] in /c/vx";
    assert_eq!(names.redact(&text), redacted);
    assert_eq!(names.fill("status [VERSION-2]"), format!("status {two}"));
}
