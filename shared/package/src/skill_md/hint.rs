//! Advice for YAML that people write by hand: most faults are texts that need quotation marks.

use skillhub_protocol::Finding;

use super::yaml::FIRST_LINE;

/// The longest line that is offered ready to paste, in bytes.
const MAX_LINE: usize = 600;

/// The finding; if it is one of syntax, with advice for its line, where there is any.
pub(super) fn for_line(yaml: &str, finding: Finding) -> Finding {
    if !matches!(finding.code.as_str(), "yaml_invalid" | "yaml_anchor" | "yaml_tag") {
        return finding;
    }
    let lines = || yaml.lines();
    let line = finding.line.unwrap_or_default().saturating_sub(FIRST_LINE);
    let number = usize::try_from(line).unwrap_or(usize::MAX);
    if lines().nth(number).is_some_and(|line| line.trim_start_matches(' ').starts_with('\t')) {
        return finding.hint("indent with spaces, not with tabs");
    }
    // The scanner may see the fault only on the line after.
    let candidates = [Some(number), number.checked_sub(1)];
    let advice = candidates.into_iter().flatten().find_map(|number| {
        let line = lines().nth(number)?;
        lost_line_break(line).or_else(|| quotation(line))
    });
    match advice {
        Some(advice) => finding.hint(advice),
        None => finding,
    }
}

/// Advice for a line that another key has been glued to: `description: Does it.license: MIT`.
fn lost_line_break(line: &str) -> Option<String> {
    const KEYS: [&str; 7] = ["license", "compatibility", "metadata", "allowed-tools", "version", "author", "origin"];
    let (_, value) = line.split_once(':')?;
    let glued = |key: &&str| {
        let (before, _) = value.split_once(&format!("{key}:")).unwrap_or_default();
        before.chars().last().is_some_and(|c| !c.is_whitespace() && !c.is_ascii_alphanumeric())
    };
    KEYS.into_iter().find(glued).map(|key| format!("begin a new line before `{key}:`"))
}

/// Advice for a text that needs quotation marks: the line ready to paste, unless it is very long.
fn quotation(line: &str) -> Option<String> {
    let quoted = quote_line(line)?;
    if quoted.len() <= MAX_LINE {
        return Some(format!("put the text in quotation marks: `{quoted}`"));
    }
    let (key, _) = line.split_once(':')?;
    Some(format!("put the text behind `{key}:` in quotation marks"))
}

/// `key: text` with the text in double quotation marks, if it needs them.
fn quote_line(line: &str) -> Option<String> {
    let (key, value) = line.split_once(':')?;
    let plain_key = key.trim_start().bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let value = value.strip_prefix(' ')?.trim();
    if !plain_key || key.trim().is_empty() || !needs_quotes(value) {
        return None;
    }
    let inner = value.strip_prefix('\'').and_then(|v| v.strip_suffix('\'')).unwrap_or(value);
    Some(format!("{key}: {}", double_quoted(inner)))
}

/// The frontmatter with quotation marks wherever a line of its own needs them.
pub(super) fn quoted(yaml: &str) -> String {
    let lines = yaml.lines().map(|line| match line.starts_with([' ', '\t']) {
        false => quote_line(line).unwrap_or_else(|| line.to_owned()),
        true => line.to_owned(),
    });
    lines.map(|line| line + "\n").collect()
}

fn needs_quotes(value: &str) -> bool {
    match value.chars().next() {
        None | Some('"' | '|' | '>') => false,
        Some('[' | '{' | '*' | '&' | '!' | '`' | '@' | '%' | '\'' | ',') => true,
        Some(_) => value.contains(": ") || value.ends_with(':'),
    }
}

pub(super) fn double_quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
