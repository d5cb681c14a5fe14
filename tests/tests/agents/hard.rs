//! A skill that clients have stumbled over, through every way out.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use skillhub_package::sha256;
use skillhub_protocol::PublishedVersion;
use skillhub_store::ObjectKey;
use skillhub_tests::in_process::InProcess;
use skillhub_tests::skill::Skill;
use zip::ZipArchive;

use crate::support::{call, fault, follow, get, publish, result};

/// 90 files: a path of 100 characters, names in other scripts and with punctuation, text that needs escapes, and none.
fn hard() -> Skill {
    let mut skill = Skill::new("hard", "x");
    skill.files.truncate(1);
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::from([
        (format!("references/{}.md", "p".repeat(86)), b"a long path\n".to_vec()),
        (String::from("references/日本語/ünïcödé.md"), "# ünïcödé 日本語 🦀\r\n".into()),
        (String::from("references/a b+c&d='e',(f)!@~$;[g].md"), b"\"\\\t\n".to_vec()),
        (String::from("assets/logo.png"), [&b"\x89PNG\r\n\x1a\n"[..], &[0, 255, 1]].concat()),
        (String::from("references/empty.md"), Vec::new()),
        (String::from("scripts/long.sh"), b"#!/bin/sh\necho '\\\"'\n".repeat(10_000)),
    ]);
    let rest = 90 - files.len() - 1;
    files.extend((0..rest).map(|n| (format!("references/many/{n:02}.md"), format!("file {n}\n").into_bytes())));
    skill.files.extend(files);
    assert_eq!((skill.files.len(), skill.files.iter().map(|(path, _)| path.chars().count()).max()), (90, Some(100)));
    skill
}

#[tokio::test]
async fn every_file_of_a_hard_skill_comes_out_as_it_went_in() {
    let registry = InProcess::start().await;
    let skill = hard();
    publish(&registry, &skill).await;
    let index = get(&registry, "/@global/hard/.well-known/skills/index.json").await.json();
    let expected: Vec<_> = skill.files.iter().map(|(path, _)| path).collect();
    assert_eq!(index["skills"][0]["files"], json!(expected));
    // As clients put their URLs together.
    let base = url::Url::parse("http://x/@global/hard/.well-known/skills/hard/").unwrap();
    for (path, bytes) in &skill.files {
        let answer = get(&registry, base.join(path).unwrap().path()).await;
        assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, &bytes[..]), "{path}");
    }

    let index = get(&registry, "/@global/.well-known/agent-skills/index.json").await.json();
    let url = format!("/@global/.well-known/agent-skills/{}", index["skills"][0]["url"].as_str().unwrap());
    let archive = follow(&registry, &get(&registry, &url).await).await;
    let mut zip = ZipArchive::new(Cursor::new(archive)).unwrap();
    assert_eq!(zip.len(), skill.files.len());
    for (path, bytes) in &skill.files {
        let mut unpacked = Vec::new();
        zip.by_name(path).unwrap().read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, *bytes, "{path}");
    }

    let listed = result(&registry, "skills/list", json!({})).await;
    let resources = listed["skills"][0]["resources"].as_array().unwrap();
    assert_eq!(resources.len(), skill.files.len());
    for (resource, (path, bytes)) in resources.iter().zip(&skill.files) {
        let read = result(&registry, "resources/read", json!({ "uri": resource["uri"] })).await;
        assert_eq!(content(&read["contents"][0]), *bytes, "{path}");
        assert_eq!(resource["size"], bytes.len(), "{path}");
        assert_eq!(resource["digest"], format!("sha256:{}", sha256(bytes)), "{path}");
    }
}

fn content(content: &Value) -> Vec<u8> {
    match (content["text"].as_str(), content["blob"].as_str()) {
        (Some(text), None) => text.as_bytes().to_vec(),
        (None, Some(blob)) => BASE64.decode(blob).unwrap(),
        _ => panic!("{content}"),
    }
}

/// A byte that changed in the store is our fault, and never handed out.
#[tokio::test]
async fn a_file_whose_bytes_are_not_those_of_the_manifest_is_not_handed_out() {
    let registry = InProcess::start().await;
    let PublishedVersion { skill_id, version_id, .. } = publish(&registry, &Skill::new("hello", "x")).await;
    let path = "/@global/hello/.well-known/skills/hello/SKILL.md";
    assert_eq!(get(&registry, path).await.status, 200);
    let archive = get(&registry, "/@global/.well-known/agent-skills/hello@1.0.0.zip").await;
    let mut bytes = follow(&registry, &archive).await.to_vec();
    // The data of the first file begins behind its header and its name.
    bytes[30 + "SKILL.md".len() + 10] ^= 1;
    let artifact = sha256(&bytes);
    let key = ObjectKey::Package { skill: skill_id.clone(), version: version_id.clone(), artifact };
    registry.objects().put_artifact(&key, artifact, bytes, None).await.unwrap();
    let (pk, sk) = (format!("S#{skill_id}"), format!("V#{version_id}"));
    registry.table.set(&pk, &sk, "artifact_sha256", &json!(artifact.to_string())).await.unwrap();
    let answer = get(&registry, path).await;
    assert_eq!((answer.status.as_u16(), answer.code().as_str()), (500, "internal"), "{answer:?}");
    let uri = json!({ "uri": "skill://global/hello/SKILL.md" });
    let answer = call(&registry, None, "resources/read", uri).await;
    assert_eq!(fault(&answer), (500, -32603), "{answer:?}");
}
