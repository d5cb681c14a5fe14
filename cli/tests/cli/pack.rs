//! What of a folder is published, and what is not.

use std::collections::BTreeMap;
use std::fs;

use skillhub_package::{Limits, read};

use crate::publish::Hub;
use crate::support::Sandbox;

const SKILL_MD: &str = "---\nname: packer\ndescription: Packs.\n---\n";

fn uploaded(hub: &Hub) -> BTreeMap<String, String> {
    let contents = read(&hub.last_upload(), &Limits::default()).unwrap();
    let text = |data: &[u8]| String::from_utf8_lossy(data).into_owned();
    contents.files().iter().map(|file| (file.path().to_string(), text(file.data()))).collect()
}

fn publish(sandbox: &Sandbox, hub: &Hub, folder: &str) -> crate::support::Ran {
    sandbox.run(&[&["publish", folder, "--namespace", "@team"][..], &hub.args()].concat())
}

#[test]
fn hidden_and_ignored_files_stay_at_home() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    for (path, text) in [
        ("s/SKILL.md", SKILL_MD),
        ("s/references/a.md", "a"),
        ("s/references/draft.md", "draft"),
        ("s/scratch/x.md", "x"),
        ("s/.skillhubignore", "scratch/\n"),
        ("s/.gitignore", "draft.md\n"),
        ("s/.env", "TOKEN=1"),
        ("s/vendored/.git/config", "url"),
        ("s/node_modules/m/index.js", "x"),
        ("s/__pycache__/x.pyc", "x"),
        // Above the folder, and not in a repository: it does not count.
        (".gitignore", "*.md\n"),
    ] {
        sandbox.write(path, text);
    }
    let ran = publish(&sandbox, &hub, "s").ends(0);
    let ran = ran.says(&[
        "s: 2 files",
        "references/a.md",
        "left out  .env (",
        "left out  vendored/.git/ (",
        "left out  node_modules/ (",
    ]);
    assert!(!ran.stderr.contains("draft.md") && !ran.stderr.contains("scratch"), "{}", ran.stderr);
    assert_eq!(uploaded(&hub).keys().collect::<Vec<_>>(), ["SKILL.md", "references/a.md"]);
    let quiet = sandbox.run(&[&["publish", "s", "--namespace", "@team", "--quiet"][..], &hub.args()].concat()).ends(0);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn the_rules_of_a_repository_hold_inside_it() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    sandbox.write(".git/HEAD", "");
    sandbox.write(".gitignore", "*.secret.md\n");
    sandbox.write("skills/s/SKILL.md", SKILL_MD);
    sandbox.write("skills/s/a.secret.md", "a");
    publish(&sandbox, &hub, "skills/s").ends(0);
    assert_eq!(uploaded(&hub).len(), 1);

    sandbox.write(".gitignore", "SKILL.md\n");
    publish(&sandbox, &hub, "skills/s").ends(6).says(&[
        "[skill_md_missing]",
        "an ignore rule leaves SKILL.md out",
        "!/SKILL.md",
    ]);
    sandbox.write("skills/s/.skillhubignore", "!/SKILL.md\n");
    publish(&sandbox, &hub, "skills/s").ends(0);
}

#[cfg(unix)]
#[test]
fn links_are_refused_and_named() {
    use std::os::unix::fs::symlink;
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    let folder = sandbox.write("s/SKILL.md", SKILL_MD).parent().unwrap().to_owned();
    fs::write(sandbox.home().join("secret.txt"), "secret").unwrap();
    symlink(sandbox.home().join("secret.txt"), folder.join("notes.txt")).unwrap();
    symlink(sandbox.home(), folder.join("refs")).unwrap();
    symlink(sandbox.home(), folder.join(".cache")).unwrap();
    let ran =
        publish(&sandbox, &hub, "s").ends(6).says(&["notes.txt: is a link", "refs: is a link", "[not_regular_file]"]);
    assert!(!ran.stderr.contains(".cache: is a link"), "hidden ones are left out anyway");
    assert!(hub.requests().is_empty(), "nothing is sent");
    sandbox.write("s/.skillhubignore", "/notes.txt\n/refs\n");
    publish(&sandbox, &hub, "s").ends(0);
    assert_eq!(uploaded(&hub).len(), 1);
}

#[test]
fn every_fault_is_told_before_anything_is_sent() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    sandbox.write("big/SKILL.md", SKILL_MD);
    sandbox.write("big/a.md", vec![b'a'; (1 << 20) + 1]);
    publish(&sandbox, &hub, "big").ends(6).says(&["a.md", "1048577", "1048576", "[file_too_large]"]);
    sandbox.write("yaml/SKILL.md", "---\nname: yaml\ndescription: Use it: now\n---\n");
    sandbox.write("yaml/tool.exe", "MZ");
    publish(&sandbox, &hub, "yaml").ends(6).says(&["[yaml_invalid]", "[file_type]", "tool.exe", "hint: "]);
    sandbox.write("lower/skill.md", SKILL_MD);
    publish(&sandbox, &hub, "lower").ends(6).says(&["[skill_md_missing]", "rename the file"]);
    publish(&sandbox, &hub, "nowhere").ends(1).says(&["cannot read nowhere"]);
    assert!(hub.requests().is_empty());
}

#[test]
fn a_zip_as_people_make_it_is_packed_again() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    sandbox.write("s/SKILL.md", SKILL_MD);
    publish(&sandbox, &hub, "s").ends(0);
    sandbox.write("other.zip", hub.last_upload());
    let from_folder = hub.last_upload();
    publish(&sandbox, &hub, "other.zip").ends(0);
    assert_eq!(hub.last_upload(), from_folder);
    sandbox.write("broken.zip", "PK");
    publish(&sandbox, &hub, "broken.zip").ends(6);
}
