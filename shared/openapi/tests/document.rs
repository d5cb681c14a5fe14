//! The document is the committed one, and its schemas say what the parsers do.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::str::FromStr;

use jsonschema::Validator;
use serde_json::{Value, json};
use skillhub_protocol::{
    CanonicalSlug, Coordinate, DownloadResponse, HttpsUrl, ListResponse, Manifest, Namespace, OrganizationId,
    PackagePath, Reason, Release, Sha256, SkillId, SkillName, SkillResponse, Slug, Summary, Tag, TokenId, TokenName,
    UploadId, UtcMillis, Version, VersionId,
};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A schema, its name in a message, and whether a text is one.
type Kind = (&'static str, &'static str, fn(&str) -> bool);

fn document() -> Value {
    serde_json::from_str(&skillhub_openapi::text().unwrap()).unwrap()
}

/// A validator for one schema of the document.
fn validator(document: &Value, name: &str) -> Validator {
    assert!(document["components"]["schemas"][name].is_object(), "there is no schema {name}");
    let schema = json!({ "$ref": format!("#/components/schemas/{name}"), "components": document["components"] });
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn the_committed_document_is_what_the_code_says() {
    let committed = fs::read_to_string(format!("{ROOT}/docs/openapi.json")).unwrap();
    let same = committed == skillhub_openapi::text().unwrap();
    assert!(same, "write it again: cargo run -p skillhub-openapi > docs/openapi.json");
    // What stands for a code that has no meaning yet.
    assert!(!committed.contains("see docs/api.md"));
}

/// Texts of one type: what the schema says must be what the parser says.
struct Texts {
    name: &'static str,
    parses: fn(&str) -> bool,
    good: Vec<String>,
    bad: Vec<String>,
}

fn texts<T: FromStr<Err: Display>>(name: &'static str, good: &[&str], bad: &[&str]) -> Texts {
    let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Texts { name, parses: |text| text.parse::<T>().is_ok(), good: own(good), bad: own(bad) }
}

fn minted<T: FromStr<Err: Display>>(name: &'static str, letter: char) -> Texts {
    let id = |letter: char, rest: &str| format!("{letter}{rest}");
    let (digits, wrong) = ("0az9".repeat(6), letter.to_ascii_uppercase());
    let bad = [id(letter, &digits[1..]), id(letter, &(digits.clone() + "0")), id(wrong, &digits), id('x', &digits)];
    let more = [String::new(), id(letter, &digits.to_uppercase()), id(letter, &digits) + "\n", id(' ', &digits)];
    let bad = bad.into_iter().chain(more).collect();
    Texts { name, parses: |text| text.parse::<T>().is_ok(), good: vec![id(letter, &digits)], bad }
}

/// A text without white space around it, of at most `max` characters.
fn trimmed<T: FromStr<Err: Display>>(name: &'static str, max: usize, more_bad: &[&str]) -> Texts {
    let good = ["x", "x y", "é", "\u{feff}\u{feff}x"].map(str::to_owned).into_iter();
    let good = good.filter(|text| text.parse::<T>().is_ok()).chain(["x".repeat(max), "é".repeat(max)]).collect();
    let bad = ["", " ", " x", "x ", "\u{a0}x", "x\u{2003}", "x\u{3000}", "\nx"].iter().chain(more_bad);
    let bad = bad.map(|text| (*text).to_owned()).chain(["x".repeat(max + 1)]).collect();
    Texts { name, parses: |text| text.parse::<T>().is_ok(), good, bad }
}

/// Kebab-case words, and what looks like them.
const KEBAB: [&str; 5] = ["a", "0", "a-b", "team-1", "a1-b2-c3"];
const NO_KEBAB: [&str; 6] = ["", "-a", "a-", "A", "a_b", "a\n"];

fn all() -> Vec<Texts> {
    let (k64, k65, hex) = ("k".repeat(64), "k".repeat(65), "0f".repeat(32));
    let prefixed =
        |prefix: &str, words: &[&str]| words.iter().map(|word| format!("{prefix}{word}")).collect::<Vec<_>>();
    let at = |words: &[&str]| prefixed("@", words);
    let mut namespace = texts::<Namespace>("Namespace", &[], &["a", "@@a", "@a--b", "@a/b"]);
    namespace.good.extend(at(&KEBAB).into_iter().chain([format!("@{k64}")]));
    namespace.bad.extend(at(&NO_KEBAB).into_iter().chain([format!("@{k65}")]));
    let mut slug =
        texts::<Slug>("Slug", &["a--b", "cons", "com0", "lpt10"], &["con", "aux", "nul", "prn", "com1", "lpt9"]);
    slug.good.extend(KEBAB.map(str::to_owned).into_iter().chain([k64.clone()]));
    slug.bad.extend(NO_KEBAB.map(str::to_owned).into_iter().chain([k65.clone()]));
    let mut path = texts::<PackagePath>(
        "PackagePath",
        &["SKILL.md", "a/b/c.md", ".x", "a b/c", "é/ü.md", "..a/b", "a.b.c"],
        &["", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a.", "a ", "a./b", "a\\b", "a:b", "a*", "a\u{1}"],
    );
    path.good.push("p".repeat(240));
    path.bad.push("p".repeat(241));
    let long_release = format!("1.0.0-{}", "a".repeat(58));
    vec![
        minted::<SkillId>("SkillId", 'c'),
        minted::<UploadId>("UploadId", 'u'),
        minted::<TokenId>("TokenId", 't'),
        trimmed::<VersionId>("VersionId", 128, &[]),
        trimmed::<SkillName>("SkillName", 100, &[]),
        trimmed::<Summary>("Summary", 500, &[]),
        trimmed::<Version>("Version", 64, &[]),
        trimmed::<Reason>("Reason", 500, &["a\nb", "a\u{0}b", "\u{7f}", "a\u{85}b"]),
        trimmed::<TokenName>("TokenName", 64, &["a\tb", "\u{9f}"]),
        texts::<OrganizationId>("OrganizationId", &["x", " ", &"o".repeat(128)], &["", &"o".repeat(129)]),
        namespace,
        slug,
        path,
        texts::<Sha256>(
            "Sha256",
            &[&hex],
            &["", &hex[1..], &(hex.clone() + "0"), &hex.to_uppercase(), &hex.replace('f', "g")],
        ),
        texts::<Tag>(
            "Tag",
            &["a", "latest", "beta-1-", &"t".repeat(32)],
            &["", "1a", "-a", "A", "a.b", &"t".repeat(33)],
        ),
        texts::<Release>(
            "Release",
            &["0.0.0", "1.2.3", "1.0.0-rc.1", "1.0.0--", "1.0.0-0.0a.-1", "1234567890123456789.0.0", &long_release],
            &[
                "",
                "1",
                "1.2",
                "v1.2.3",
                "1.2.3+b",
                "01.2.3",
                "1.2.3-",
                "1.2.3-a..b",
                "1.2.3-01",
                "1.2.3-a.00",
                "99999999999999999999.0.0",
                "1.2.3-é",
                &(long_release.clone() + "a"),
            ],
        ),
        texts::<UtcMillis>(
            "UtcMillis",
            &["1970-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "2024-02-29T12:00:00.001Z"],
            &["", "2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000+00:00", "2026-01-01 00:00:00.000Z"],
        ),
        texts::<Coordinate>(
            "Coordinate",
            &["x", "@team/x", "team--x", "x@1.0.0", "x@latest", "@team/x@beta", "team--x@1.0.0-rc.1"],
            &["", "@team", "@team/", "X", "x@", "x@@1", "@a/b/c", "x@1.0.0 ", "a/b", "@Team/x", "a--b--c"],
        ),
        texts::<CanonicalSlug>("CanonicalSlug", &["x", "team--x"], &["", "@team/x", "a--b--c", "x@1.0.0", "-x", "X"]),
        texts::<HttpsUrl>(
            "HttpsUrl",
            &["https://h/", "HTTPS://h/?q=1"],
            &["", "http://h/", "h", "ftp://h", "x https://h"],
        ),
    ]
}

#[test]
fn a_text_is_valid_by_its_schema_if_and_only_if_its_parser_takes_it() {
    let document = document();
    for Texts { name, parses, good, bad } in all() {
        let schema = validator(&document, name);
        assert!(!good.is_empty() && !bad.is_empty(), "{name}");
        let verdicts = good.iter().map(|text| (text, true)).chain(bad.iter().map(|text| (text, false)));
        for (text, verdict) in verdicts {
            assert_eq!(parses(text), verdict, "the parser of {name} on {text:?}");
            assert_eq!(schema.is_valid(&json!(text)), verdict, "the schema of {name} on {text:?}");
        }
    }
}

#[test]
fn every_text_with_a_rule_is_among_those_that_are_compared() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let ruled = |schema: &Value| ["pattern", "minLength", "maxLength"].iter().any(|rule| schema.get(rule).is_some());
    let ruled: BTreeSet<_> =
        schemas.iter().filter(|(_, schema)| ruled(schema)).map(|(name, _)| name.as_str()).collect();
    let compared: BTreeSet<_> = all().iter().map(|texts| texts.name).collect();
    assert_eq!(ruled, compared);
}

#[test]
fn what_the_parsers_accept_is_valid_by_the_schemas() {
    let document = document();
    let file: Value =
        serde_json::from_str(&fs::read_to_string(format!("{ROOT}/tests/vectors/protocol-v1.json")).unwrap()).unwrap();
    let kinds: [Kind; 7] = [
        ("slug", "Slug", |text| serde_json::from_str::<Slug>(text).is_ok()),
        ("path", "PackagePath", |text| serde_json::from_str::<PackagePath>(text).is_ok()),
        ("manifest", "Manifest", |text| Manifest::from_json(text).is_ok()),
        ("manifest_raw", "Manifest", |text| Manifest::from_json(text).is_ok()),
        ("list", "ListResponse", |text| ListResponse::from_json(text).is_ok()),
        ("get", "SkillResponse", |text| SkillResponse::from_json(text).is_ok()),
        ("download", "DownloadResponse", |text| DownloadResponse::from_json(text).is_ok()),
    ];
    for (kind, name, accepts) in kinds {
        let schema = validator(&document, name);
        let inputs = file["vectors"].as_array().unwrap().iter().filter(|vector| vector["kind"] == kind);
        let inputs: Vec<_> = inputs.filter_map(|vector| vector["input"].as_str()).collect();
        let (accepted, refused): (Vec<_>, Vec<_>) = inputs.into_iter().partition(|input| accepts(input));
        for input in &accepted {
            let value: Value = serde_json::from_str(input).unwrap();
            let faults: Vec<_> = schema.iter_errors(&value).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{kind} {input}: {faults:?}");
        }
        let caught = |input: &&&str| serde_json::from_str(input).is_ok_and(|value: Value| !schema.is_valid(&value));
        let caught = refused.iter().filter(caught).count();
        assert!(!accepted.is_empty() && caught > 0, "{kind}: {} accepted, {caught} caught", accepted.len());
    }
}

#[test]
fn the_examples_are_valid() {
    let document = document();
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let bodies = operations.filter_map(|operation| operation["requestBody"]["content"].get("application/json"));
    let mut count = 0;
    for body in bodies {
        let name = body["schema"]["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        assert!(validator(&document, name).is_valid(&body["example"]), "{name}");
        count += 1;
    }
    assert!(count > 0);
}
