//! Advice for YAML that people write by hand: most faults are texts that need quotation marks.

use skillhub_protocol::Finding;

use super::yaml::LINES_BEFORE;

/// The longest line that is offered again, in bytes.
const MAX_LINE: usize = 600;

/// The finding, with its line quoted, if that is a key with an unquoted text that YAML takes for something else.
pub(super) fn for_line(yaml: &str, finding: Finding) -> Finding {
    let lines = || yaml.lines();
    let line = finding.line.unwrap_or_default().saturating_sub(LINES_BEFORE).saturating_sub(1);
    let number = usize::try_from(line).unwrap_or(usize::MAX);
    if lines().nth(number).is_some_and(|line| line.trim_start_matches(' ').starts_with('\t')) {
        return finding.hint("indent with spaces, not with tabs");
    }
    // The scanner may see the fault only on the line after.
    let candidates = [Some(number), number.checked_sub(1)];
    let quoted = candidates.into_iter().flatten().find_map(|number| quote_line(lines().nth(number)?));
    match quoted {
        Some(quoted) => finding.hint(format!("put the text in quotation marks: `{quoted}`")),
        None => finding,
    }
}

/// `key: text` with the text in double quotation marks, if it needs them.
fn quote_line(line: &str) -> Option<String> {
    let (key, value) = line.split_once(':')?;
    let plain_key = key.trim_start().bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let value = value.strip_prefix(' ')?.trim();
    if !plain_key || key.trim().is_empty() || line.len() > MAX_LINE || !needs_quotes(value) {
        return None;
    }
    let inner = value.strip_prefix('\'').and_then(|v| v.strip_suffix('\'')).unwrap_or(value);
    Some(format!("{key}: {}", double_quoted(inner)))
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
