//! Findings as they leave this crate: bounded, sorted, and with names that can be shown anywhere.

use std::fmt::Write;

use skillhub_protocol::Finding;

use crate::content::unicode::is_invisible;

/// How many findings a report has at most.
pub const MAX_FINDINGS: usize = 50;
/// How many bytes all findings of a report have together at most, as JSON.
const MAX_BYTES: usize = 48 << 10;
/// How many bytes one finding has at most, as JSON.
const MAX_FINDING: usize = 1 << 10;
/// How many bytes the path and the message of a finding have at most.
const MAX_TEXT: usize = 400;
/// How many characters of a name are shown.
const MAX_QUOTED: usize = 80;

pub(crate) fn has_error(findings: &[Finding]) -> bool {
    findings.iter().any(Finding::is_error)
}

/// Errors first, each group by place; cut to the bounds of a report.
pub(crate) fn finish(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_cached_key(|f| (!f.is_error(), natural_key(&f.path), f.line, f.column, f.code.clone()));
    findings.dedup();
    let found = findings.len();
    findings.truncate(MAX_FINDINGS);
    findings.iter_mut().for_each(shorten);
    let mut bytes = 0_usize;
    findings.retain(|finding| {
        bytes = bytes.saturating_add(json_len(finding));
        bytes <= MAX_BYTES
    });
    let left_out = found.saturating_sub(findings.len());
    if let Some(last) = findings.last_mut().filter(|_| left_out > 0) {
        last.hint = Some(format!("{left_out} more findings are not shown"));
    }
    findings
}

fn shorten(finding: &mut Finding) {
    for text in [&mut finding.path, &mut finding.message] {
        if text.len() > MAX_TEXT {
            let end = text.floor_char_boundary(MAX_TEXT.saturating_sub(3));
            text.truncate(end);
            text.push('…');
        }
    }
    // Advice that is cut off is none.
    if json_len(finding) > MAX_FINDING {
        finding.hint = None;
    }
}

fn json_len(finding: &Finding) -> usize {
    serde_json::to_string(finding).map_or(0, |json| json.len())
}

/// The text with its numbers padded, so that `files[2]` comes before `files[10]`.
fn natural_key(text: &str) -> String {
    let mut key = String::with_capacity(text.len().saturating_add(16));
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
        let (number, after) = from.split_at(end);
        let _ = write!(key, "{before}{number:0>10}");
        rest = after;
    }
    key.push_str(rest);
    key
}

/// A text in quotation marks, cut to a bound; what could not be seen or could change a terminal is escaped as `\u0000`.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from('"');
    for (i, c) in text.chars().enumerate() {
        if i == MAX_QUOTED {
            quoted.push('…');
            break;
        }
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() || is_invisible(c) => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The same for bytes that may not be UTF-8.
pub(crate) fn quote_bytes(bytes: &[u8]) -> String {
    quote(&String::from_utf8_lossy(bytes))
}
