//! Findings, as lines.

use skillhub_protocol::Finding;

use super::escape;

/// `path:line:column: what [code]`, and the hint on a line of its own; safe to print.
pub(crate) fn finding_lines(finding: &Finding) -> Vec<String> {
    let place = match (finding.line, finding.column) {
        (Some(line), Some(column)) => format!("{}:{line}:{column}", finding.path),
        (Some(line), None) => format!("{}:{line}", finding.path),
        _ => finding.path.clone(),
    };
    let mut lines = vec![escape(&format!("{place}: {} [{}]", finding.message, finding.code)).into_owned()];
    if let Some(hint) = &finding.hint {
        lines.push(format!("  hint: {}", escape(hint)));
    }
    lines
}
