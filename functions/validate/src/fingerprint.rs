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

/// What older clients (seen in clawhub 0.5.0) hash: files with these ends of their names, and no others.
const TEXT: [&str; 38] = [
    "md", "mdx", "txt", "json", "json5", "yaml", "yml", "toml", "js", "cjs", "mjs", "ts", "tsx", "jsx", "py", "sh",
    "rb", "go", "rs", "swift", "kt", "java", "cs", "cpp", "c", "h", "hpp", "sql", "csv", "ini", "cfg", "env", "xml",
    "html", "css", "scss", "sass", "svg",
];

/// The fingerprints of these files, each once: one, and one more for each of these that holds: the languages differ in the
/// order of the paths; there are files that older clients leave out. At most 4.
pub(crate) fn fingerprints(files: &[FileEntry]) -> Vec<Sha256> {
    let all: Vec<_> = files.iter().collect();
    let text: Vec<_> = files.iter().filter(|file| is_text(file.path.as_str())).collect();
    let mut fingerprints = Vec::new();
    for files in [all, text] {
        for fingerprint in LANGUAGES.iter().filter_map(|language| fingerprint(&files, language)) {
            if !fingerprints.contains(&fingerprint) {
                fingerprints.push(fingerprint);
            }
        }
    }
    fingerprints
}

fn is_text(path: &str) -> bool {
    let end = path.rsplit('.').next().unwrap_or(path);
    TEXT.iter().any(|text| end.eq_ignore_ascii_case(text))
}

/// `None` if the order of the language is not known, which the table of this crate's own languages rules out.
fn fingerprint(files: &[&FileEntry], language: &Locale) -> Option<Sha256> {
    let collator = Collator::try_new(CollatorPreferences::from(language), CollatorOptions::default()).ok()?;
    let compare = |a: &&FileEntry, b: &&FileEntry| -> Ordering { collator.compare(a.path.as_str(), b.path.as_str()) };
    let mut sorted = files.to_vec();
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
                    "2cdb9b94398530bfad38d30cd853080d5dc16c066b8fcf8046917c35d4e1206b",
                    "c110c2e420f7585073781e8b2f833e67aa19c5644d4f33403d9989b13d53c2e6",
                ],
            ),
        ];
        for (paths, expected) in cases {
            let found: Vec<_> = fingerprints(&files(paths)).iter().map(Sha256::to_string).collect();
            assert_eq!(found, expected, "{paths:?}");
        }
    }
}
