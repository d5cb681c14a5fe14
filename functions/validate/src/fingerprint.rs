//! How ClawHub clients know a content again: a digest over the paths and digests of its files, in the order that
//! `localeCompare` of JavaScript gives the paths. That order depends on the reader's language.

use std::cmp::Ordering;

use icu_collator::options::CollatorOptions;
use icu_collator::{Collator, CollatorPreferences};
use icu_locale_core::{Locale, locale};
use skillhub_package::sha256;
use skillhub_protocol::{FileEntry, Sha256};

/// English, whose order most languages share, and Chinese, where Han characters come before all others.
const LANGUAGES: [Locale; 2] = [locale!("en"), locale!("zh")];

/// The fingerprints of these files, each once: one, unless the languages differ in the order of the paths.
pub(crate) fn fingerprints(files: &[FileEntry]) -> Vec<Sha256> {
    let mut fingerprints: Vec<_> = LANGUAGES.iter().filter_map(|language| fingerprint(files, language)).collect();
    fingerprints.dedup();
    fingerprints
}

/// `None` if the order of the language is not known, which the table of this crate's own languages rules out.
fn fingerprint(files: &[FileEntry], language: &Locale) -> Option<Sha256> {
    let collator = Collator::try_new(CollatorPreferences::from(language), CollatorOptions::default()).ok()?;
    let compare = |a: &&FileEntry, b: &&FileEntry| -> Ordering { collator.compare(a.path.as_str(), b.path.as_str()) };
    let mut sorted: Vec<_> = files.iter().collect();
    sorted.sort_by(compare);
    let lines: Vec<_> = sorted.iter().map(|file| format!("{}:{}", file.path, file.sha256)).collect();
    Some(sha256(lines.join("\n").as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of files each of which holds its own path.
    fn files(paths: &[&str]) -> Vec<FileEntry> {
        let entry = |path: &&str| FileEntry {
            path: path.parse().unwrap(),
            size_bytes: path.len() as u64,
            sha256: sha256(path.as_bytes()),
        };
        paths.iter().map(entry).collect()
    }

    const MANY: &[&str] = &[
        "a_b.md",
        "a-b.md",
        "a.md",
        "A.md",
        "ä.md",
        "a10.md",
        "a2.md",
        "ab.md",
        "assets/Logo.png",
        "assets/logo-dark.png",
        "references/b.md",
        "references/B2.md",
        "scripts/run.sh",
        "SKILL.md",
        "z.md",
        "Z.md",
        "中文.md",
        "一.md",
        "丁.md",
        "é/e.md",
        "e/é.md",
        "ß.md",
        "ss.md",
        "LICENSE",
        "references/api guide.md",
        "references/api-guide.md",
        "日本.md",
        "かな.md",
        "한국.md",
        "привет.md",
    ];

    #[test]
    fn fingerprints_are_those_that_clients_compute() {
        // Computed by Node.js 20 and 22 with `localeCompare`, in English and Chinese.
        let cases: [(&[&str], &[&str]); 2] = [
            (
                &["SKILL.md", "references/guide.md", "scripts/run.sh"],
                &["ec76faa0edced0adeedc330d6e90ed5652ecd629563b305603e1d876be1f61f7"],
            ),
            (
                MANY,
                &[
                    "a0bf4916e715c1f704768eb332c88cf6f901cc098f1236a3cea44c0885b2b788",
                    "939891ceb178903fd5b34e0cab3838515030c5cf992d16d7f1fcd730a4a396ca",
                ],
            ),
        ];
        for (paths, expected) in cases {
            let found: Vec<_> = fingerprints(&files(paths)).iter().map(Sha256::to_string).collect();
            assert_eq!(found, expected, "{paths:?}");
        }
    }
}
