//! What the command prints: data on standard output, everything else on standard error.

mod escape;
mod findings;
mod progress;
mod table;

use std::fmt::Display;
use std::io::{IsTerminal, Write, stderr, stdout};

use serde::Serialize;

pub(crate) use escape::{escape, escape_text};
pub(crate) use findings::finding_lines;
pub(crate) use progress::Progress;
pub(crate) use table::table;

use crate::error::Failure;

/// How to print. Every text passes through [`escape`], wherever it comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    color: bool,
    bars: bool,
}

impl Output {
    pub(crate) fn new(json: bool, quiet: bool, no_color: bool) -> Self {
        let terminal = stderr().is_terminal();
        // Older consoles of Windows are told to understand colours, as far as they can.
        let color = terminal && !no_color && console::Term::stderr().features().colors_supported();
        Self { json, quiet, color, bars: terminal && !quiet && !json }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// A line of data.
    pub(crate) fn data(&self, line: impl Display) {
        write_line(&mut stdout().lock(), &escape(&line.to_string()));
    }

    /// A line of data that is safe already.
    pub(crate) fn data_line(&self, line: &str) {
        write_line(&mut stdout().lock(), line);
    }

    /// Text of several lines, with the line end that it lacks.
    pub(crate) fn text(&self, text: &str) {
        let safe = escape_text(text);
        write_line(&mut stdout().lock(), safe.strip_suffix('\n').unwrap_or(&safe));
    }

    /// Data as JSON.
    pub(crate) fn json(&self, value: &impl Serialize) {
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        write_line(&mut stdout().lock(), &escape::escape_json(&text));
    }

    /// A line that says what is going on.
    pub(crate) fn note(&self, line: impl Display) {
        if !self.quiet {
            write_line(&mut stderr().lock(), &escape(&line.to_string()));
        }
    }

    /// A line that says what may be wrong.
    pub(crate) fn warning(&self, line: impl Display) {
        let head = self.paint("1;33", "warning:");
        write_line(&mut stderr().lock(), &format!("{head} {}", escape(&line.to_string())));
    }

    /// The same with lines that are safe already; the first one is the warning.
    pub(crate) fn warning_lines(&self, lines: &[String]) {
        let head = self.paint("1;33", "warning:");
        write_line(&mut stderr().lock(), &format!("{head} {}", lines.join("\n")));
    }

    /// `error: <what>`, the details, and what to do next; one JSON object with `--json`.
    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            let text = serde_json::to_string(&serde_json::json!({ "error": failure })).unwrap_or_default();
            return write_line(&mut stderr().lock(), &escape::escape_json(&text));
        }
        let mut text = format!("{} {}", self.paint("1;31", "error:"), escape(failure.message()));
        if failure.code() != "usage" && failure.code() != "io" {
            text.push_str(&format!(" [{}]", escape(failure.code())));
        }
        let details = failure.detail_lines().iter().map(|line| escape(line).into_owned());
        for line in details.chain(failure.findings().iter().flat_map(finding_lines)) {
            text.push_str(&format!("\n  {line}"));
        }
        text.push_str(&format!("\n{} {}", self.paint("1;36", "hint:"), escape(failure.hint_line())));
        write_line(&mut stderr().lock(), &text);
    }

    /// A bar for a transfer, shown on a terminal only.
    pub(crate) fn progress(&self, label: &str) -> Progress {
        if self.bars { Progress::bytes(&escape(label)) } else { Progress::hidden() }
    }

    /// A bar for `items` pieces of work, shown on a terminal only.
    pub(crate) fn item_progress(&self, label: &str, items: u64) -> Progress {
        if self.bars { Progress::items(label, items) } else { Progress::hidden() }
    }

    fn paint(&self, style: &str, word: &str) -> String {
        if self.color { format!("\u{1b}[{style}m{word}\u{1b}[0m") } else { word.to_owned() }
    }
}

/// A reader that went away (`| head`) is no error.
fn write_line(out: &mut impl Write, line: &str) {
    let _ = writeln!(out, "{line}");
}
