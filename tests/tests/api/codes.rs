//! Every code of the sources is in docs/api.md, and the other way round; so is every route.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Where codes of the API and of findings come from.
const SOURCES: [&str; 4] = ["functions", "shared/web/src", "shared/package/src", "shared/protocol/src"];

/// What is followed by a code, right after the parenthesis or after a status.
const CALLS: [&str; 11] = [
    "ApiError::new(",
    "ApiError::invalid(",
    "ApiError::conflict(",
    "ApiError::too_many(",
    "Self::new(",
    "Self::too_many(",
    "refuse(",
    "Finding::error(",
    "Finding::warning(",
    "finding(",
    ".with(",
];

/// Words with an underscore that are no codes.
const NO_CODES: [&str; 8] = [
    "__pycache__",
    "_aws",
    "_meta",
    "about_blank",
    "current_thread",
    "github_verification_pending",
    "node_modules",
    "snake_case",
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    files.filter(|file| file.extension().is_some_and(|extension| extension == "rs")).collect()
}

fn is_code(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

/// `name_missing` and `description_missing` of `{field}_missing`.
fn expanded(literal: &str) -> Vec<String> {
    match literal.strip_prefix("{field}") {
        Some(rest) => ["name", "description"].map(|field| format!("{field}{rest}")).into(),
        None => vec![literal.to_owned()],
    }
}

/// The text literals of a source without its tests.
fn literals(source: &str) -> impl Iterator<Item = &str> {
    source.split('"').skip(1).step_by(2)
}

/// The code that a call has as its first argument, or as its second after a status.
fn first_argument(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix("StatusCode::") {
        Some(status) => status.split_once(',')?.1.trim_start(),
        None => rest,
    };
    rest.strip_prefix('"')?.split('"').next()
}

fn in_sources() -> BTreeSet<String> {
    let files = SOURCES.iter().flat_map(|folder| files(&Path::new(ROOT).join(folder)));
    let files = files.filter(|file| file.file_name().is_some_and(|name| name != "tests.rs"));
    let texts = files.map(|file| fs::read_to_string(file).unwrap().replace("\\\"", ""));
    let mut codes = BTreeSet::new();
    for text in texts {
        let source = text.split("#[cfg(test)]").next().unwrap();
        let spelled = literals(source).filter(|literal| literal.contains('_')).flat_map(expanded);
        codes.extend(spelled.filter(|code| is_code(code) && !NO_CODES.contains(&code.as_str())));
        let calls = CALLS.iter().flat_map(|call| source.split(call).skip(1)).filter_map(first_argument);
        codes.extend(calls.filter(|code| is_code(code)).map(str::to_owned));
        let matched = source.split("=> \"").skip(1).filter(|_| source.contains("fn code(self)"));
        codes.extend(matched.filter_map(|rest| rest.split('"').next()).filter(|code| is_code(code)).map(str::to_owned));
    }
    codes
}

/// The first column of the tables of docs/api.md.
fn first_columns() -> BTreeSet<String> {
    let page = fs::read_to_string(format!("{ROOT}/docs/api.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    rows.map(|(first, _)| first.to_owned()).collect()
}

#[test]
fn every_code_is_documented_and_every_documented_code_exists() {
    let documented: BTreeSet<_> = first_columns().into_iter().filter(|first| is_code(first)).collect();
    let known = in_sources();
    assert_eq!(known.difference(&documented).collect::<Vec<_>>(), Vec::<&String>::new(), "not in docs/api.md");
    assert_eq!(documented.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "not in the sources");
}

#[test]
fn every_code_of_the_openapi_document_is_in_the_page() {
    let page = first_columns();
    let document: serde_json::Value = serde_json::from_str(&skillhub_openapi::text().unwrap()).unwrap();
    let names: Vec<_> = document["components"]["responses"].as_object().unwrap().keys().collect();
    let codes: BTreeSet<_> = names.iter().flat_map(|name| name.split('.').skip(1)).collect();
    assert!(codes.len() > 10 && codes.iter().all(|code| page.contains(*code)), "{codes:?}");
}

#[test]
fn every_route_is_in_the_table() {
    let routes: BTreeSet<_> =
        skillhub_openapi::operations().into_iter().map(|(m, path)| format!("{m} {path}")).collect();
    let listed: BTreeSet<_> = first_columns().into_iter().filter(|first| first.contains(" /")).collect();
    assert_eq!(listed, routes);
}
