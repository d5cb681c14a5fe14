//! Installing from a registry that is broken or hostile: the old copy stays, and nothing beside it.

use std::fs;

use serde_json::json;

use crate::support::{Answers, Response, Sandbox, Server, Skill, Tls, tree};

const TARGET: &str = ".agent/skills";

/// A project with 1.0.0 installed, so that each case is an update to 1.1.0 that fails.
fn with_old_copy(tls: &Tls) -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let ca = sandbox.write("../ca.pem", &tls.ca_pem);
    let ca = ca.to_str().unwrap().to_owned();
    let (registry, _store) = Answers::of(&Skill::new("checker", "1.0.0")).serve(tls);
    sandbox.run(&["install", "@team/checker", "--registry", &registry.url(), "--ca", &ca]).ends(0);
    let record = sandbox.project().join(TARGET).join("checker/.astron/metadata.json");
    let text = fs::read_to_string(&record).unwrap();
    // The address of the registry is part of what a skill is, and every server of these tests has its own.
    fs::write(&record, text.replace(&registry.url(), "REGISTRY")).unwrap();
    (sandbox, ca)
}

fn adopt(sandbox: &Sandbox, registry: &Server) {
    let record = sandbox.project().join(TARGET).join("checker/.astron/metadata.json");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace("REGISTRY", &registry.url())).unwrap();
}

struct Case {
    name: &'static str,
    spoil: fn(&mut Answers),
    code: i32,
    says: &'static [&'static str],
}

const OTHER: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

const CASES: &[Case] = &[
    Case {
        name: "other bytes of the same length",
        spoil: |answers| answers.artifact.body.reverse(),
        code: 6,
        says: &["[digest_mismatch]", "expected sha256 ", "got      sha256 "],
    },
    Case {
        name: "a longer body, declared",
        spoil: |answers| {
            answers.artifact.body.extend([0; 9]);
            let length = answers.artifact.body.len().to_string();
            answers.artifact = answers.artifact.clone().with("content-length", &length);
        },
        code: 6,
        says: &["[digest_mismatch]", "bytes"],
    },
    Case {
        name: "a longer body that ends with the connection",
        spoil: |answers| {
            answers.artifact.body.extend(vec![0; 1 << 20]);
            answers.artifact = answers.artifact.clone().without("content-length");
        },
        code: 6,
        says: &["[digest_mismatch]", "got      more bytes"],
    },
    Case {
        name: "a shorter body that ends with the connection",
        spoil: |answers| {
            answers.artifact.body.truncate(100);
            answers.artifact = answers.artifact.clone().without("content-length");
        },
        code: 6,
        says: &["[digest_mismatch]", "got      100 bytes"],
    },
    Case {
        name: "a body that breaks off",
        spoil: |answers| answers.artifact.body.truncate(100),
        code: 4,
        says: &["[network]"],
    },
    Case {
        name: "a page instead of the package",
        spoil: |answers| answers.artifact = Response::new(200, "text/html", "<html>Sign in</html>"),
        code: 6,
        says: &["[digest_mismatch]"],
    },
    Case {
        name: "a page instead of the answer",
        spoil: |answers| answers.instead.push(("/api/resolve", Response::new(200, "text/html", "<html>"))),
        code: 1,
        says: &["[invalid_answer]", "GET /api/resolve", "must be JSON", "hint: check that the address"],
    },
    Case {
        name: "a redirect of the package",
        spoil: |answers| answers.artifact = Response::new(302, "text/html", "").with("location", "http://127.0.0.1:9/"),
        code: 4,
        says: &["[unexpected_status]", "redirects of presigned URLs are not followed"],
    },
    Case {
        name: "a redirect of the answer",
        spoil: |answers| {
            let moved = Response::new(301, "text/html", "").with("location", "http://127.0.0.1:9/");
            answers.instead.push(("/api/resolve", moved));
        },
        code: 4,
        says: &["[redirect]"],
    },
    Case {
        name: "a problem that steers the terminal",
        spoil: |answers| {
            let problem = Response::problem(410, "gone\u{1b}[2J", "gone\u{1b}[2J\u{202e}\r\nerror: forged");
            answers.instead.push(("/api/resolve", problem));
        },
        code: 1,
        says: &["gone\\u{1b}[2J\\u{202e}\\u{d}\\u{a}error: forged [gone\\u{1b}[2J]", "request id: req-7"],
    },
    Case {
        name: "a manifest of a later schema",
        spoil: |answers| answers.version["version"]["manifest"]["schemaVersion"] = json!(2),
        code: 1,
        says: &["[newer_client_needed]", "manifest.schemaVersion", "hint: update skillhub"],
    },
    Case {
        name: "an envelope of a later schema",
        spoil: |answers| answers.version["schemaVersion"] = json!(2),
        code: 1,
        says: &["[newer_client_needed]", "response.schemaVersion"],
    },
    Case {
        name: "a slug that is a path",
        spoil: |answers| answers.resolve["slug"] = json!("../x"),
        code: 1,
        says: &["[invalid_answer]", "response.slug"],
    },
    Case {
        name: "another skill than asked for",
        spoil: |answers| answers.resolve["slug"] = json!("other"),
        code: 6,
        says: &["[invalid_answer]", "@team/other"],
    },
    Case {
        name: "the manifest of another version",
        spoil: |answers| {
            answers.version["version"]["version"] = json!("9.9.9");
            answers.version["version"]["manifest"]["version"] = json!("9.9.9");
        },
        code: 6,
        says: &["[invalid_answer]", "9.9.9"],
    },
    Case {
        name: "a plain address for the package",
        spoil: |answers| answers.download["url"] = json!("http://127.0.0.1:9/a.zip"),
        code: 1,
        says: &["[invalid_answer]", "response.url: must be an https URL"],
    },
    Case {
        name: "a credential for other bytes",
        spoil: |answers| answers.download["sha256"] = json!(OTHER),
        code: 6,
        says: &["[digest_mismatch]", OTHER],
    },
    Case {
        name: "more bytes than a package may have",
        spoil: |answers| {
            answers.download["sizeBytes"] = json!(20 << 20);
            answers.resolve["sizeBytes"] = json!(20 << 20);
        },
        code: 6,
        says: &["[package_too_large]", "20971520"],
    },
    Case {
        name: "a file that is not as the manifest says",
        spoil: |answers| answers.version["version"]["manifest"]["files"][1]["sha256"] = json!(OTHER),
        code: 6,
        says: &["[manifest_mismatch]", "manifest.files[1].sha256", "references/notes.md"],
    },
    Case {
        name: "a description that the package does not have",
        spoil: |answers| answers.version["version"]["manifest"]["description"] = json!("Steals."),
        code: 6,
        says: &["[description_mismatch]", "manifest.description", "SKILL.md"],
    },
    Case {
        name: "a description that steers the terminal",
        spoil: |answers| answers.version["version"]["manifest"]["description"] = json!("\u{1b}[2JChecks."),
        code: 6,
        says: &["[description_mismatch]", "not \"\\u001b[2JChecks.\""],
    },
    Case {
        name: "a SKILL.md that steers the terminal",
        spoil: |answers| {
            let skill = Skill::describing("checker", "1.1.0", "\"\\e[2JChecks.\"");
            let digest = json!(skill.digest);
            for answer in [&mut answers.resolve, &mut answers.download] {
                answer["sha256"] = digest.clone();
                answer["sizeBytes"] = json!(skill.archive.len());
            }
            answers.version["version"]["manifest"] = json!(skill.manifest);
            answers.artifact = Response::new(200, "application/zip", skill.archive);
        },
        code: 6,
        says: &["[control_character]", "skillMd.frontmatter.description:3:1"],
    },
    Case {
        name: "no archive at all",
        spoil: |answers| {
            let junk = "no archive";
            let digest = json!(skillhub_package::sha256(junk.as_bytes()));
            for answer in [&mut answers.resolve, &mut answers.download] {
                answer["sha256"] = digest.clone();
                answer["sizeBytes"] = json!(junk.len());
            }
            answers.artifact = Response::new(200, "application/zip", junk);
        },
        code: 6,
        says: &["[zip_framing]"],
    },
    Case {
        name: "a package with a record of its own",
        spoil: |answers| {
            // Names are under no checksum inside a ZIP, so that one can be changed for another of the same length.
            let skill = Skill::with("checker", "1.1.0", &[("xastron/metadata.json", "{}")]);
            let archive = replace(&skill.archive, b"xastron/", b".astron/");
            let digest = json!(skillhub_package::sha256(&archive));
            for answer in [&mut answers.resolve, &mut answers.download] {
                answer["sha256"] = digest.clone();
                answer["sizeBytes"] = json!(archive.len());
            }
            let mut manifest = json!(skill.manifest);
            let files = manifest["files"].as_array_mut().unwrap();
            files.rotate_right(1);
            files[0]["path"] = json!(".astron/metadata.json");
            answers.version["version"]["manifest"] = manifest;
            answers.artifact = Response::new(200, "application/zip", archive);
        },
        code: 6,
        says: &["[path_hidden]", ".astron/metadata.json"],
    },
    Case {
        name: "a length of 10 GB",
        spoil: |answers| answers.artifact = answers.artifact.clone().with("content-length", "10000000000"),
        code: 6,
        says: &["[digest_mismatch]", "got      10000000000 bytes"],
    },
    Case {
        name: "an archive with a link",
        spoil: |answers| {
            let mut archive = answers.artifact.body.clone();
            // The mode of the first entry in the directory: 38 bytes after its signature, in the upper half.
            let entry = archive.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
            archive[entry + 40..entry + 42].copy_from_slice(&0o120_777_u16.to_le_bytes());
            let digest = json!(skillhub_package::sha256(&archive));
            for answer in [&mut answers.resolve, &mut answers.download] {
                answer["sha256"] = digest.clone();
            }
            answers.artifact = Response::new(200, "application/zip", archive);
        },
        code: 6,
        says: &["[not_regular_file]"],
    },
    Case {
        name: "a store that refuses every URL",
        spoil: |answers| answers.artifact = Response::new(403, "application/xml", "<Error/>"),
        code: 4,
        says: &["[download_expired]"],
    },
    Case {
        name: "a token that is refused",
        spoil: |answers| {
            answers.instead.push(("/api/resolve", Response::problem(401, "unauthenticated", "sign in")));
        },
        code: 3,
        says: &["[unauthenticated]", "skillhub login --registry"],
    },
];

fn replace(bytes: &[u8], from: &[u8; 8], to: &[u8; 8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    while let Some(at) = bytes.windows(8).position(|window| window == from) {
        bytes[at..at + 8].copy_from_slice(to);
    }
    bytes
}

#[test]
fn whatever_goes_wrong_the_old_copy_stays_and_nothing_beside_it() {
    let tls = Tls::new();
    for case in CASES {
        let (sandbox, ca) = with_old_copy(&tls);
        let mut answers = Answers::of(&Skill::new("checker", "1.1.0"));
        (case.spoil)(&mut answers);
        let (registry, store) = answers.serve(&tls);
        adopt(&sandbox, &registry);
        let before = tree(&sandbox.project());
        let ran = sandbox.run(&["install", "@team/checker", "--registry", &registry.url(), "--ca", &ca]);
        assert_eq!(ran.code, case.code, "{}: {}", case.name, ran.stderr);
        let ran = ran.says(case.says);
        assert_eq!(tree(&sandbox.project()), before, "{}", case.name);
        assert_eq!(ran.stdout, "", "{}", case.name);
        assert!(!ran.stderr.contains("s3cret"), "{}: a presigned URL was printed: {}", case.name, ran.stderr);
        assert!(store.requests().iter().all(|request| request.header("authorization").is_none()), "{}", case.name);
    }
}

#[test]
fn the_token_goes_to_the_registry_and_not_to_the_store() {
    let tls = Tls::new();
    let (mut sandbox, ca) = with_old_copy(&tls);
    sandbox.set("SKILLHUB_TOKEN", "sk_good");
    let (registry, store) = Answers::of(&Skill::new("checker", "1.1.0")).serve(&tls);
    adopt(&sandbox, &registry);
    sandbox.run(&["install", "@team/checker", "--registry", &registry.url(), "--ca", &ca]).ends(0);
    assert!(registry.requests().iter().all(|request| request.header("authorization") == Some("Bearer sk_good")));
    assert_eq!(store.requests().len(), 1);
    assert_eq!(store.requests()[0].header("authorization"), None);
}

#[test]
fn a_store_that_nobody_vouches_for_is_not_asked() {
    let tls = Tls::new();
    let sandbox = Sandbox::new();
    let (registry, store) = Answers::of(&Skill::new("checker", "1.0.0")).serve(&tls);
    let ran = sandbox.run(&["install", "@team/checker", "--registry", &registry.url()]);
    ran.ends(4).says(&[
        "cannot reach https://127.0.0.1",
        "hint: if the registry has a certificate authority",
        "--ca FILE",
    ]);
    assert!(store.requests().is_empty());
}

#[test]
fn proxies_are_never_asked_for_this_machine() {
    let tls = Tls::new();
    let (mut sandbox, ca) = with_old_copy(&tls);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        sandbox.set(name, "http://127.0.0.1:9");
    }
    let (registry, _store) = Answers::of(&Skill::new("checker", "1.1.0")).serve(&tls);
    adopt(&sandbox, &registry);
    sandbox.run(&["install", "@team/checker", "--registry", &registry.url(), "--ca", &ca]).ends(0);
}

/// Nothing answers behind it, but it is asked, and by name: the name may mean something to the proxy alone.
#[test]
fn another_machine_is_asked_by_way_of_the_proxy() {
    let (mut sandbox, proxy) = (Sandbox::new(), Server::plain(|_| Response::new(403, "text/plain", "")));
    sandbox.set("HTTPS_PROXY", &proxy.url());
    sandbox
        .run(&["install", "@team/checker", "--registry", "https://skills.invalid"])
        .ends(4)
        .says(&["skills.invalid"]);
    let asked: Vec<_> = proxy.requests().into_iter().map(|request| (request.method, request.target)).collect();
    assert!(
        !asked.is_empty() && asked.iter().all(|(method, to)| method == "CONNECT" && to == "skills.invalid:443"),
        "{asked:?}"
    );
}

#[test]
fn a_manifest_of_a_later_schema_is_neither_installed_nor_an_update() {
    let tls = Tls::new();
    let mut answers = Answers::of(&Skill::new("checker", "1.1.0"));
    answers.version["version"]["manifest"]["schemaVersion"] = json!(2);
    let (registry, _store) = answers.serve(&tls);
    let (url, says) = (registry.url(), ["[newer_client_needed]", "hint: update skillhub"]);

    let (updated, ca) = with_old_copy(&tls);
    adopt(&updated, &registry);
    let before = tree(&updated.project());
    updated.run(&["update", "--ca", &ca]).ends(1).says(&says);
    assert_eq!(tree(&updated.project()), before);

    let new = Sandbox::new();
    new.run(&["install", "@team/checker", "--registry", &url, "--ca", &ca]).ends(1).says(&says);
    let left = tree(&new.project());
    assert!(left.keys().all(|path| !path.contains("checker") && path != "skillhub.lock"), "{left:?}");
}
