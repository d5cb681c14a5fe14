//! `skillhub pack`: the checks and the package of `publish`, without a registry.

use std::fs;

use serde_json::{Value, json};
use skillhub_package::sha256;

use crate::publish::Hub;
use crate::support::{Sandbox, tree};

fn skill(sandbox: &Sandbox, folder: &str, frontmatter: &str) {
    sandbox.write(&format!("{folder}/SKILL.md"), format!("---\n{frontmatter}\n---\n\nDo it.\n"));
}

#[test]
fn the_package_is_the_one_that_publish_uploads() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    skill(&sandbox, "helper", "name: helper\ndescription: Helps.\nmetadata:\n  version: 1.4.0");
    sandbox.write("helper/references/a.md", "a");
    sandbox.write("helper/.env", "TOKEN=1");
    let ran = sandbox.run(&["pack", "helper"]).ends(0);
    assert_eq!(ran.stdout, "packed helper@1.4.0 in helper-1.4.0.zip\n");
    ran.says(&["helper: 2 files, ", "        1  references/a.md", "left out  .env (is an environment file"]);

    sandbox.run(&[&["publish", "helper", "--namespace", "@team"][..], &hub.args()].concat()).ends(0);
    let packed = fs::read(sandbox.project().join("helper-1.4.0.zip")).unwrap();
    assert_eq!(packed, hub.last_upload());
    let ran = sandbox.run(&["pack", "helper-1.4.0.zip", "-o", "again.zip", "--slug", "helper", "--quiet"]).ends(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("packed helper@1.4.0 in again.zip\n", ""));
    assert_eq!(fs::read(sandbox.project().join("again.zip")).unwrap(), packed);
}

#[test]
fn what_is_there_is_kept_unless_forced() {
    let sandbox = Sandbox::new();
    skill(&sandbox, "helper", "name: helper\ndescription: Helps.");
    let mine = sandbox.write("helper-2.0.0.zip", "mine");
    let pack = |more: &[&str]| sandbox.run(&[&["pack", "helper", "--version", "2.0.0"][..], more].concat());
    pack(&[]).ends(5).says(&["helper-2.0.0.zip is there [conflict]", "--force"]);
    assert_eq!(fs::read(&mine).unwrap(), b"mine");
    pack(&["--force"]).ends(0);
    assert!(fs::read(&mine).unwrap().starts_with(b"PK"));

    pack(&["-o", "nowhere/x.zip"]).ends(1).says(&["cannot write nowhere/x.zip"]);
    pack(&["-o", "helper/references.zip"]).ends(2).says(&["would be a part of the skill", "hint: "]);
    assert_eq!(
        tree(&sandbox.project()).into_keys().collect::<Vec<_>>(),
        ["helper-2.0.0.zip", "helper/", "helper/SKILL.md"]
    );
}

#[test]
fn the_verdict_in_json_is_complete() {
    let sandbox = Sandbox::new();
    skill(&sandbox, "good", "name: good\ndescription: Helps.\nauthor: nobody");
    sandbox.write("good/.DS_Store", "x");
    let ran = sandbox.run(&["pack", "good", "-o", "x.zip", "--json", "--quiet"]).ends(0);
    let (archive, verdict) = (fs::read(sandbox.project().join("x.zip")).unwrap(), ran.json());
    let skill_md = fs::read(sandbox.project().join("good/SKILL.md")).unwrap();
    let warning = json!({
        "path": "skillMd.frontmatter.author", "line": 4, "column": 1, "code": "field_not_portable",
        "severity": "warning", "hint": "move it under `metadata`",
        "message": "\"author\" is no field of the public specification: some clients refuse it",
    });
    assert_eq!(
        verdict,
        json!({
            "source": "good", "outcome": "packed", "slug": "good", "version": "0.1.0", "file": "x.zip",
            "sizeBytes": archive.len(), "sha256": sha256(&archive),
            "files": [{"path": "SKILL.md", "sizeBytes": skill_md.len(), "sha256": sha256(&skill_md)}],
            "leftOut": [{"path": ".DS_Store", "reason": "was left behind by the operating system"}],
            "findings": [warning],
        })
    );

    skill(&sandbox, "bad", "name: bad\ndescription: Use it: now\nauthor: nobody");
    sandbox.write("bad/tool.exe", "x");
    let ran = sandbox.run(&["pack", "bad", "--json"]).ends(6);
    let verdict = ran.json();
    assert_eq!((&verdict["outcome"], &verdict["file"]), (&json!("failed"), &Value::Null));
    let hint = "correct what is listed, then try again";
    assert_eq!(verdict["error"], json!({"code": "file_type", "message": "bad cannot be published", "hint": hint}));
    assert_eq!(verdict["files"].as_array().unwrap().len(), 2);
    let codes: Vec<_> = verdict["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert_eq!(codes, ["file_type", "yaml_invalid"]);
    assert_eq!(verdict["findings"][1]["line"], 3);
    assert_eq!(sandbox.run(&["pack", "nowhere", "--json"]).ends(1).json()["error"]["code"], "io");
}

#[test]
fn checks_that_depend_on_the_scope_are_those_of_public_skills_unless_told() {
    let sandbox = Sandbox::new();
    skill(&sandbox, "leaky", "name: leaky\ndescription: Leaks.");
    sandbox.write("leaky/notes.md", format!("key: ghp_{}\n", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"));
    sandbox.run(&["pack", "leaky"]).ends(6).says(&["notes.md:1:6: ", "[secret_found]"]);
    sandbox.run(&["pack", "leaky", "--scope", "personal"]).ends(0).says(&["warning: notes.md:1:6: "]);
}

#[test]
fn every_skill_below_a_folder_is_judged_and_written_only_on_demand() {
    let sandbox = Sandbox::new();
    skill(&sandbox, "all/a/first", "name: first\ndescription: One.");
    skill(&sandbox, "all/b-second", "name: second\ndescription: Two.");
    sandbox.write("all/c-broken/SKILL.md", "no frontmatter");
    skill(&sandbox, "all/d-copy-of-second", "name: second\ndescription: Two.");
    let before = tree(&sandbox.project());
    let ran = sandbox.run(&["pack", "all", "--all"]).ends(6);
    let others = "failed all/c-broken\nsame skill all/d-copy-of-second as all/b-second\n";
    assert_eq!(ran.stdout, format!("passed first@0.1.0\npassed second@0.1.0\n{others}"));
    ran.says(&["all/a/first: 1 file,", "[frontmatter_missing]", "0 packed, 2 passed, 1 duplicate, 1 failed"]);
    assert_eq!(tree(&sandbox.project()), before);

    let written = sandbox.run(&["pack", "all", "--all", "-o", "out/packages"]).ends(6).stdout;
    let file = |slug: &str| format!("packed {slug}@0.1.0 in out/packages/{slug}-0.1.0.zip\n");
    assert_eq!(written, format!("{}{}{others}", file("first"), file("second")));
    assert_eq!(tree(&sandbox.project().join("out/packages")).len(), 2);

    let verdicts = sandbox.run(&["pack", "all", "--all", "-o", "out/packages", "--json"]).ends(5).json();
    assert_eq!(verdicts["summary"], json!({"packed": 0, "passed": 0, "duplicate": 1, "failed": 3}));
    assert_eq!(verdicts["skills"][0]["error"]["code"], "conflict");
    assert_eq!(verdicts["skills"][3]["sameAs"], "all/b-second");
}
