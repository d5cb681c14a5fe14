//! The page that keeps the verdicts. It tells places and reasons, and nothing of what the skills say.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use skillhub_protocol::Finding;

use super::{Pack, Verdict};

type Judged<'a> = [(&'a Pack, Vec<Verdict>)];

const HEAD: &str = "\
# What the checks say of public skills

`cargo xtask corpus verdicts` writes this page, and fails with `--check` if it is not what a run gives. Each skill is judged by
`skillhub pack` with the default policy, as a public skill. A skill is a folder with a `SKILL.md`, anywhere in the package, hidden
folders included: so `ecc-universal` has 719, its translations and the copies for other clients among them. The skills are not
part of this repository.

";

/// The page.
pub(super) fn render(judged: &Judged<'_>) -> String {
    let mut page = HEAD.to_owned();
    summary(&mut page, judged);
    page.push_str("\nA skill that is refused for several reasons counts in each column.\n");
    for code in codes(judged) {
        refused(&mut page, judged, code);
    }
    warnings(&mut page, judged);
    page
}

fn codes<'a>(judged: &'a Judged<'_>) -> BTreeSet<&'a str> {
    judged.iter().flat_map(|(_, verdicts)| verdicts).flat_map(Verdict::codes).collect()
}

fn summary(page: &mut String, judged: &Judged<'_>) {
    let codes = codes(judged);
    let heads: String = codes.iter().map(|code| format!(" `{code}` |")).collect();
    let _ = writeln!(page, "| pack | skills | passed | refused |{heads}");
    let _ = writeln!(page, "|---|--:|--:|--:|{}", "--:|".repeat(codes.len()));
    for (pack, verdicts) in judged {
        row(page, &format!("`{}`", pack.archive.pin()), &verdicts.iter().collect::<Vec<_>>(), &codes);
    }
    let all: Vec<&Verdict> = judged.iter().flat_map(|(_, verdicts)| verdicts).collect();
    row(page, "all", &all, &codes);
}

fn row(page: &mut String, name: &str, verdicts: &[&Verdict], codes: &BTreeSet<&str>) {
    let count = |wanted: &dyn Fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| wanted(verdict)).count();
    let refused = count(&|verdict| verdict.error.is_some());
    let _ = write!(page, "| {name} | {} | {} | {refused} |", verdicts.len(), verdicts.len().saturating_sub(refused));
    for code in codes {
        let _ = write!(page, " {} |", count(&|verdict| verdict.codes().contains(code)));
    }
    page.push('\n');
}

/// One line for each skill that is refused with this code.
fn refused(page: &mut String, judged: &Judged<'_>, code: &str) {
    let lines: Vec<String> = judged
        .iter()
        .flat_map(|(pack, verdicts)| verdicts.iter().map(|verdict| (pack.name, verdict)))
        .filter(|(_, verdict)| verdict.codes().contains(code))
        .map(|(pack, verdict)| line(pack, verdict, code))
        .collect();
    let _ = writeln!(page, "\n## Refused: `{code}` ({})\n\n| skill | place | message |\n|---|---|---|", lines.len());
    lines.iter().for_each(|line| page.push_str(line));
}

fn line(pack: &str, verdict: &Verdict, code: &str) -> String {
    let mut findings = verdict.findings.iter().filter(|finding| finding.is_error() && finding.code == code);
    let first = findings.next();
    let (place, message) = match (first, &verdict.error) {
        (Some(finding), _) => (place(finding), finding.message.as_str()),
        (None, Some(error)) => (String::new(), error.message.as_str()),
        (None, None) => (String::new(), ""),
    };
    let more = match findings.count() {
        0 => String::new(),
        count => format!("; and {count} more"),
    };
    let message = message.replace('|', "\\|");
    format!("| {pack}: {} | {place} | {message}{more} |\n", verdict.source.display())
}

fn place(finding: &Finding) -> String {
    let mut place = finding.path.clone();
    for number in [finding.line, finding.column].into_iter().flatten() {
        let _ = write!(place, ":{number}");
    }
    place
}

/// How many skills of each pack have a warning of each code.
fn warnings(page: &mut String, judged: &Judged<'_>) {
    let mut counts = BTreeMap::<&str, Vec<usize>>::new();
    for (index, (_, verdicts)) in judged.iter().enumerate() {
        for code in verdicts.iter().flat_map(warning_codes) {
            let counts = counts.entry(code).or_insert_with(|| vec![0; judged.len()]);
            counts.iter_mut().skip(index).take(1).for_each(|count| *count += 1);
        }
    }
    let heads: String = judged.iter().map(|(pack, _)| format!(" {} |", pack.name)).collect();
    let _ = writeln!(page, "\n## Skills with warnings\n\n| code |{heads}\n|---|{}", "--:|".repeat(judged.len()));
    for (code, counts) in counts {
        let cells: String = counts.iter().map(|count| format!(" {count} |")).collect();
        let _ = writeln!(page, "| `{code}` |{cells}");
    }
}

fn warning_codes(verdict: &Verdict) -> BTreeSet<&str> {
    let warnings = verdict.findings.iter().filter(|finding| !finding.is_error());
    warnings.map(|finding| finding.code.as_str()).collect()
}
