//! Commands that run what they download: `curl … | sh`, `sh -c "$(curl …)"`, `irm … | iex`.

use std::borrow::Cow;

use super::Hit;

/// What brings a line to attention.
pub(super) const NEEDLES: [&str; 6] = ["curl", "wget", "fetch -o", "iex", "IEX", "Invoke-Expression"];

const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "fish"];
/// These run their input only when told no other program.
const INTERPRETERS: [&str; 6] = ["python", "python3", "perl", "ruby", "node", "php"];
const POWERSHELL: [&str; 2] = ["iex", "invoke-expression"];
const POWERSHELL_FETCH: [&str; 6] =
    ["iwr ", "irm ", "invoke-webrequest", "invoke-restmethod", "downloadstring", "curl "];

/// How far to look before and behind a needle.
const BEFORE: usize = 200;
const BEHIND: usize = 1000;

/// A line of a script around a needle, with the lines that it is continued on.
pub(super) struct Line<'a> {
    start: usize,
    end: usize,
    before: Cow<'a, str>,
    /// From the needle on.
    command: Cow<'a, str>,
}

impl<'a> Line<'a> {
    pub(super) fn around(text: &'a [u8], start: usize) -> Self {
        let (head, tail) = text.split_at_checked(start).unwrap_or((text, &[]));
        let head = head.get(head.len().saturating_sub(BEFORE)..).unwrap_or(head);
        let before = head.rsplit(|b| *b == b'\n').next().unwrap_or_default();
        let tail = tail.get(..BEHIND).unwrap_or(tail);
        let command = tail.get(..line_end(tail)).unwrap_or(tail);
        Self {
            start,
            end: start.saturating_add(command.len().max(1)),
            before: String::from_utf8_lossy(before),
            command: String::from_utf8_lossy(command),
        }
    }

    pub(super) fn end(&self) -> usize {
        self.end
    }

    pub(super) fn hit(&self) -> Option<Hit> {
        let runs = self.pipes_into_shell() || self.is_substituted() || self.is_powershell();
        runs.then(|| Hit {
            offset: self.start,
            message: "runs what it downloads: nobody can have read it, and it can change at any time".to_owned(),
            hint: "put the script into the package, or name the steps and a checksum",
        })
    }

    /// `curl https://… | sudo bash`
    fn pipes_into_shell(&self) -> bool {
        let mut segments = self.command.split('|');
        let fetches = segments.next().is_some_and(|fetch| is_fetch(fetch) && names_source(fetch));
        // An empty segment is one half of `||`.
        fetches && segments.take_while(|segment| !segment.trim().is_empty()).any(runs_input)
    }

    /// `bash <(curl …)`, `sh -c "$(curl …)"`, `eval "$(curl …)"`
    fn is_substituted(&self) -> bool {
        if !is_fetch(&self.command) || !names_source(&self.command) {
            return false;
        }
        let before = self.before.trim_end();
        let Some(outer) = ["<(", "$(", "`"].iter().find_map(|open| before.strip_suffix(open)) else {
            return false;
        };
        let outer = outer.trim_end_matches(['"', '\'', ' ']);
        let words: Vec<&str> = outer.rsplit([' ', '\t', ';', '&', '|', '(', '`']).take(2).collect();
        match words.as_slice() {
            ["-c", shell, ..] => SHELLS.contains(&base_name(shell)),
            ["eval" | "source" | "exec", ..] => true,
            ["." | "-s", ..] => before.ends_with("<("),
            [shell, ..] => before.ends_with("<(") && SHELLS.contains(&base_name(shell)),
            [] => false,
        }
    }

    /// `irm https://… | iex`, `iex (iwr …)`, `iex ((New-Object …).DownloadString(…))`
    fn is_powershell(&self) -> bool {
        if !POWERSHELL.iter().any(|run| starts_with_word(&self.command, run)) {
            return false;
        }
        let (before, command) = (self.before.to_ascii_lowercase(), self.command.to_ascii_lowercase());
        let is_fetch = |text: &str| POWERSHELL_FETCH.iter().any(|fetch| text.contains(fetch)) && names_source(text);
        let piped = before.trim_end().ends_with('|') && is_fetch(&before);
        piped || command.split_once('(').is_some_and(|(_, inner)| is_fetch(inner))
    }
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Where the line ends: at a line break without a backslash before it.
fn line_end(text: &[u8]) -> usize {
    let mut before = b'\n';
    for (at, byte) in text.iter().enumerate() {
        if *byte == b'\n' && before != b'\\' {
            return at;
        }
        if *byte != b'\r' {
            before = *byte;
        }
    }
    text.len()
}

fn is_fetch(command: &str) -> bool {
    ["curl", "wget", "fetch"].contains(&first_word(command))
}

/// Whether the text names where it downloads from: without it, `curl | bash` is a row of a table.
fn names_source(text: &str) -> bool {
    text.contains("://") || text.contains('$') || (text.contains('/') && text.contains('.'))
}

fn runs_input(segment: &str) -> bool {
    let mut words = segment.split([' ', '\t', '\\', '\n']).filter(|word| !word.is_empty()).skip_while(|word| {
        matches!(*word, "sudo" | "env" | "exec" | "-E" | "-H") || (word.contains('=') && !word.starts_with('-'))
    });
    let Some(first) = words.next() else { return false };
    let program = base_name(first_word(first));
    let closes = first.len() > first_word(first).len();
    let argument = if closes { None } else { words.next() };
    if SHELLS.contains(&program) {
        return !argument.is_some_and(|argument| argument.starts_with("-c"));
    }
    let reads_input =
        argument.is_none_or(|argument| argument == "-" || argument.starts_with(['`', '"', '\'', ')', ';', '#', '&']));
    POWERSHELL.contains(&program.to_ascii_lowercase().as_str()) || (INTERPRETERS.contains(&program) && reads_input)
}

/// The program at the start of a text, without quotation marks and such behind it.
fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.')));
    text.get(..end.unwrap_or(text.len())).unwrap_or(text)
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
