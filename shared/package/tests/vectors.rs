//! The shared vectors: every case of `tests/vectors/skill-md.json` and `tests/vectors/zip/index.json`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use skillhub_package::pack::{self, SourceFile};
use skillhub_package::{Declared, Policy, Report, check, check_contents, parse_skill_md};
use skillhub_protocol::{Finding, Scope};

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors");

/// Codes of which an archive must give exactly one finding.
fn is_structural(code: &str) -> bool {
    code.starts_with("zip_") || code == "not_regular_file"
}

fn cases(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(format!("{VECTORS}/{file}")).unwrap();
    let index: Value = serde_json::from_str(&text).unwrap();
    index["cases"].as_array().unwrap().clone()
}

fn show(findings: &[Finding]) -> String {
    findings.iter().map(|finding| format!("\n    {finding}")).collect()
}

/// What is wrong with a report, seen from a case.
fn mismatch(case: &Value, report: &Report) -> Option<String> {
    let one = case["code"].as_str().map(|code| vec![code]).unwrap_or_default();
    let any = case["code_any"].as_array().map(|codes| codes.iter().filter_map(Value::as_str).collect());
    let codes: Vec<&str> = any.unwrap_or(one);
    let published = report.package.is_some();
    let has_code =
        |is_error: bool| report.findings.iter().any(|f| codes.contains(&f.code.as_str()) && f.is_error() == is_error);
    let ok = match case["verdict"].as_str().unwrap() {
        "accept" => published && report.findings.is_empty(),
        "warn" => published && has_code(false),
        "refuse" => !published && has_code(true) && (!is_structural(codes[0]) || report.findings.len() == 1),
        other => panic!("unknown verdict {other}"),
    };
    let name = case["case"].as_str().or(case["file"].as_str()).unwrap();
    (!ok).then(|| {
        format!("\n{name}: {} {codes:?}, got published={published}{}", case["verdict"], show(&report.findings))
    })
}

#[test]
fn archives_get_the_verdict_and_code_of_the_vectors() {
    let cases = cases("zip/index.json");
    let declared = Declared { slug: "a", scope: Scope::Public };
    let mismatches: Vec<_> = cases
        .iter()
        .filter_map(|case| {
            let archive = std::fs::read(format!("{VECTORS}/zip/{}", case["file"].as_str().unwrap())).unwrap();
            mismatch(case, &check(&archive, &declared, &Policy::default()))
        })
        .collect();
    assert!(cases.len() >= 80);
    assert!(mismatches.is_empty(), "{}", mismatches.concat());
}

#[test]
fn skill_md_gets_the_verdict_and_code_of_the_vectors() {
    let cases = cases("skill-md.json");
    let mismatches: Vec<_> = cases.iter().filter_map(skill_md_mismatch).collect();
    assert!(cases.len() >= 90);
    assert!(mismatches.is_empty(), "{}", mismatches.concat());
}

fn skill_md_mismatch(case: &Value) -> Option<String> {
    let mut data = BASE64_STANDARD.decode(case["data_b64"].as_str().unwrap()).unwrap();
    if let Some(repeat) = case["repeat"].as_object() {
        let byte = repeat["byte"].as_str().unwrap().as_bytes()[0];
        data.resize(repeat["to_length"].as_u64().unwrap() as usize, byte);
    }
    let description = parse_skill_md(&data).ok().map(|skill_md| skill_md.description.as_str().to_owned());
    let file = SourceFile { path: case["file"].as_str().unwrap().to_owned(), data };
    let contents = pack::from_files(vec![file]).unwrap().contents;
    let declared = Declared { slug: case["slug"].as_str().unwrap(), scope: Scope::Public };
    let report = check_contents(contents, &declared, &Policy::default());
    mismatch(case, &report).or_else(|| {
        let expected = case["description"].as_str()?;
        (description.as_deref() != Some(expected)).then(|| format!("\n{}: got {description:?}", case["case"]))
    })
}
