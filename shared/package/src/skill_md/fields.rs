//! The fields of the frontmatter.

use std::fmt::Display;
use std::str::FromStr;

use serde_json::Value;
use skillhub_protocol::{Finding, SkillName, Summary, text};

use super::hint::double_quoted;
use super::yaml::Fields;
use crate::content::unicode::hidden;
use crate::findings::{MAX_FINDINGS, quote};

/// The fields of the public specification.
const PORTABLE: [&str; 6] = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
/// The fields of this registry and its kin begin so.
const EXTENSION: &str = "x-astron-";
/// The longest `compatibility`, in characters, by the public specification.
const MAX_COMPATIBILITY: usize = 500;

/// Reads the fields and says what is wrong with them.
pub(super) struct Reader<'a> {
    fields: &'a Fields,
    pub(super) findings: Vec<Finding>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(fields: &'a Fields) -> Self {
        Self { fields, findings: Vec::new() }
    }

    pub(super) fn name(&mut self) -> Option<SkillName> {
        let name = self.text("name", 100)?;
        if let Some(c) = name.chars().find(|c| c.is_control()) {
            self.control_character("name", c);
        }
        let unsafe_segment = name.split('/').any(|segment| matches!(segment, "" | "." | ".."));
        if name.contains('\\') || unsafe_segment {
            let message = format!("{} could be taken for a path to another place", quote(name));
            self.error("name_unsafe", "name", message);
        }
        self.refuse_hidden("name", name);
        self.parse("name", name)
    }

    pub(super) fn description(&mut self) -> Option<Summary> {
        let description = self.text("description", 500)?;
        if let Some(c) = description.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
            self.control_character("description", c);
        }
        self.refuse_hidden("description", description);
        if let Some(tag) = markup(description) {
            let message = format!("{} looks like a tag of XML, which some clients refuse", quote(tag));
            self.warn("description_markup", "description", message);
        }
        self.parse("description", description)
    }

    /// The trimmed text of a required field, of at most `max` UTF-16 units.
    fn text(&mut self, field: &str, max: usize) -> Option<&'a str> {
        let text = match self.fields.values.get(field) {
            None => return self.fail(&format!("{field}_missing"), field, "is missing".to_owned()),
            Some(Value::String(text)) => text::trim(text),
            Some(other) => return self.wrong_type(field, other),
        };
        if text.is_empty() {
            return self.fail(&format!("{field}_missing"), field, "is empty".to_owned());
        }
        let len = text::utf16_len(text);
        if len > max {
            let message = format!("has {len} UTF-16 units, at most {max} are allowed");
            let finding = self.at(field, Finding::error(&format!("{field}_too_long"), path(field), message));
            self.findings.push(finding.hint("shorten it, and move what is left out below the frontmatter"));
            return None;
        }
        Some(text)
    }

    fn wrong_type(&mut self, field: &str, value: &Value) -> Option<&'a str> {
        let message = format!("must be text, not {}", describe(value));
        let mut finding = self.at(field, Finding::error(&format!("{field}_type"), path(field), message));
        if matches!(value, Value::Number(_) | Value::Bool(_)) {
            finding = finding.hint(format!("write `{field}: {}`", double_quoted(&value.to_string())));
        }
        self.findings.push(finding);
        None
    }

    fn parse<T: FromStr<Err: Display>>(&mut self, field: &str, text: &str) -> Option<T> {
        match text.parse() {
            Ok(value) => Some(value),
            // The text was trimmed and measured, so this is the safety net of the type.
            Err(e) => self.fail(&format!("{field}_type"), field, T::Err::to_string(&e)),
        }
    }

    fn control_character(&mut self, field: &str, c: char) {
        let message = format!("holds the control character U+{:04X}", u32::from(c));
        self.error("control_character", field, message);
    }

    fn refuse_hidden(&mut self, field: &str, text: &str) {
        if let Some(found) = hidden(text.as_bytes()) {
            self.error("hidden_unicode", field, found.message());
        }
    }

    /// Warnings about fields that other clients do not know or read differently.
    pub(super) fn check_portability(&mut self) {
        let foreign =
            self.fields.values.keys().filter(|key| !PORTABLE.contains(&key.as_str()) && !key.starts_with(EXTENSION));
        for key in foreign.take(MAX_FINDINGS) {
            let message = format!("{} is no field of the public specification: some clients refuse it", quote(key));
            let finding = Finding::warning("field_not_portable", path(key), message);
            let finding = self.at(key, finding).hint("move it under `metadata`");
            self.findings.push(finding);
        }
        self.check_metadata();
        self.check_compatibility();
    }

    fn check_metadata(&mut self) {
        let message = match self.fields.values.get("metadata") {
            None => return,
            Some(Value::Object(map)) => match map.iter().find(|(_, value)| !value.is_string()) {
                None => return,
                Some((key, value)) => format!("{} must be text, not {}", quote(key), describe(value)),
            },
            Some(other) => format!("must be a mapping from text to text, not {}", describe(other)),
        };
        self.warn("metadata_not_string_map", "metadata", format!("{message}: some clients refuse it"));
    }

    fn check_compatibility(&mut self) {
        let message = match self.fields.values.get("compatibility") {
            None => return,
            Some(Value::String(text)) => match text.chars().count() {
                1..=MAX_COMPATIBILITY => return,
                len => format!("must have 1 to {MAX_COMPATIBILITY} characters, it has {len}"),
            },
            Some(other) => format!("must be text, not {}", describe(other)),
        };
        self.warn("compatibility_length", "compatibility", message);
    }

    fn error(&mut self, code: &str, field: &str, message: String) {
        let finding = self.at(field, Finding::error(code, path(field), message));
        self.findings.push(finding);
    }

    fn fail<T>(&mut self, code: &str, field: &str, message: String) -> Option<T> {
        self.error(code, field, message);
        None
    }

    fn warn(&mut self, code: &str, field: &str, message: String) {
        let finding = self.at(field, Finding::warning(code, path(field), message));
        self.findings.push(finding);
    }

    /// The finding at the place of a field, or at the first line of a frontmatter that lacks it.
    fn at(&self, field: &str, finding: Finding) -> Finding {
        match self.fields.places.get(field) {
            Some(place) => place.on(finding),
            None => finding.at(1, 1),
        }
    }
}

fn path(field: &str) -> String {
    format!("skillMd.frontmatter.{field}")
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => format!("the boolean {value}"),
        Value::Number(_) => format!("the number {value}"),
        Value::String(_) => "text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
    }
}

/// The first XML-like tag of a text.
fn markup(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some((_, from)) = rest.split_once('<') {
        let end = from.find(['<', '>']);
        let tag = end.and_then(|end| from.split_at_checked(end)).filter(|(_, after)| after.starts_with('>'));
        if let Some((inner, _)) = tag
            && is_tag(inner)
        {
            return Some(inner);
        }
        rest = from;
    }
    None
}

fn is_tag(inner: &str) -> bool {
    let name = inner.strip_prefix(['/', '!', '?']).unwrap_or(inner);
    let word = name.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
}
