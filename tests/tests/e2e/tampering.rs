//! Bytes that change behind the registry's back are never installed.

use crate::support::{Registry, Skill, overwrite};

#[test]
fn one_flipped_byte_in_the_store_fails_the_install_and_leaves_the_installed_copy_alone() {
    let registry = Registry::start();
    let (http, command) = (registry.http(), registry.command());
    let skill = Skill::new("tampered", "x");
    http.publish(&skill.request(), &skill.archive());
    assert_eq!(command.run(&["install", "tampered"]).code, Some(0));
    let installed = command.project().join(".agent/skills/tampered");
    let before = files_below(&installed);

    let newer = Skill::new("tampered", "y").version("1.1.0");
    let published = http.publish(&newer.request(), &newer.archive()).published.unwrap();
    let (skill_id, version_id, digest) = (published.skill_id, published.version_id, published.artifact_sha256);
    let mut got = String::new();
    overwrite(&registry, &format!("packages/{skill_id}/{version_id}/{digest}.zip"), |bytes| {
        bytes[60] ^= 1;
        got = skillhub_package::sha256(bytes).to_string();
    });

    let failed = command.run(&["install", "tampered@1.1.0"]);
    assert_eq!(failed.code, Some(6), "{failed:?}");
    for expected in ["digest_mismatch", &digest.to_string(), &got] {
        assert!(failed.stderr.contains(expected), "{expected}: {failed:?}");
    }
    assert_eq!(files_below(&installed), before);
    let left: Vec<_> =
        std::fs::read_dir(installed.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("staging")), "{left:?}");
}

fn files_below(dir: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}
