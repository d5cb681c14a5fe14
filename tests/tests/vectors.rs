//! The kept vectors, and a second implementation that judges the protocol's.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use skillhub_tests::vectors::{Outcome, protocol, skill_md, zip};

fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name)
}

fn assert_all_hold(outcome: Result<Outcome, String>, cases: usize) {
    let Outcome { cases: found, mismatches } = outcome.unwrap();
    assert!(mismatches.is_empty(), "{} mismatches:\n{}", mismatches.len(), mismatches.join("\n"));
    assert_eq!(found, cases, "vectors may be added, not lost: correct the number here");
}

#[test]
fn protocol_parsers_give_the_verdict_of_every_vector() {
    assert_all_hold(protocol::run(&kept("protocol-v1.json")), 211);
}

#[test]
fn publish_policy_gives_the_verdict_of_every_skill_md() {
    assert_all_hold(skill_md::run(&kept("skill-md.json")), 93);
}

#[test]
fn package_reader_gives_the_verdict_of_every_archive() {
    assert_all_hold(zip::run(&kept("zip/index.json")), 89);
}

#[test]
fn javascript_gives_the_verdict_of_every_protocol_vector() {
    let file = kept("protocol-v1.json");
    let oracle = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/protocol.mjs");
    let node = Command::new("node").arg(oracle).stdin(File::open(&file).unwrap()).stderr(Stdio::inherit()).output();
    let output = match node {
        Ok(output) => output,
        Err(e) => return eprintln!("the JavaScript oracle did not run: node: {e}"),
    };
    assert!(output.status.success(), "the oracle failed: {}", output.status);
    let refusals: Vec<Option<String>> = serde_json::from_slice(&output.stdout).unwrap();
    let protocol::File { vectors } = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(refusals.len(), vectors.len());
    let verdicts = vectors.iter().zip(&refusals);
    let mismatches: Vec<String> = verdicts.filter_map(|(v, refusal)| v.demand(refusal.as_deref()).err()).collect();
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
}
