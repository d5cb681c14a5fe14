//! Small scanners that look at every byte of a package once: one search for all needles, then a bounded look around each hit.

pub(crate) mod magic;
pub(crate) mod place;
mod secrets;
mod shell;
mod svg;
pub(crate) mod unicode;

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use skillhub_protocol::Finding;

use self::place::Place;
use crate::contents::PackageFile;
use crate::policy::ContentCheck;

/// How many findings of one check a file gives at most: each costs a count of lines.
const MAX_PER_FILE: usize = 5;

/// How often one line is looked at, however many commands it names.
const MAX_LOOKS: usize = 4;

/// The needles of secrets, then those of commands.
static NEEDLES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let needles = secrets::RULES.iter().map(|rule| rule.needle).chain(shell::NEEDLES);
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(needles).ok()
});

/// What a scanner found: where, and what to say.
struct Hit {
    offset: usize,
    message: String,
    hint: &'static str,
}

/// All findings about the content of a file; a policy decides what becomes of them.
pub(crate) fn scan(file: &PackageFile) -> Vec<(ContentCheck, Finding)> {
    if magic::is_binary_type(file.path().as_str()) {
        return Vec::new();
    }
    let text = file.data();
    let hidden = unicode::scan(file).map(|finding| (ContentCheck::HiddenUnicode, finding));
    let mut findings: Vec<_> = hidden.into_iter().collect();
    let mut add = |check: ContentCheck, hits: Vec<Hit>| {
        findings.extend(hits.into_iter().map(|hit| {
            let finding = file.finding(check.code(), hit.message).hint(hit.hint);
            (check, Place::of(text, hit.offset).on(finding))
        }));
    };
    let (secrets, commands) = search(text);
    add(ContentCheck::SecretFound, secrets);
    add(ContentCheck::DownloadAndRun, commands);
    if magic::has_extension(file.path().as_str(), &["svg"]) {
        add(ContentCheck::SvgActiveContent, svg::scan(text).into_iter().collect());
    }
    findings
}

fn search(text: &[u8]) -> (Vec<Hit>, Vec<Hit>) {
    let (mut secrets, mut commands) = (Vec::new(), Vec::new());
    let (mut line_end, mut looks) = (0, 0_usize);
    for found in NEEDLES.iter().flat_map(|needles| needles.find_iter(text)) {
        if let Some(rule) = secrets::RULES.get(found.pattern().as_usize()) {
            if secrets.len() < MAX_PER_FILE {
                secrets.extend(rule.hit(text, found.range()));
            }
            continue;
        }
        let is_new_line = found.start() >= line_end;
        looks = if is_new_line { 0 } else { looks.saturating_add(1) };
        if looks < MAX_LOOKS && commands.len() < MAX_PER_FILE {
            let line = shell::Line::around(text, found.start());
            line_end = line.end();
            if let Some(hit) = line.hit() {
                commands.push(hit);
                looks = MAX_LOOKS;
            }
        }
    }
    (secrets, commands)
}
