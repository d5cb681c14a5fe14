//! Telling agents of the installed skills in `AGENTS.md`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use crate::support::{Sandbox, tree};

fn skill(sandbox: &Sandbox, folder: &str, description: &str) {
    let name = folder.rsplit('/').next().unwrap();
    sandbox.write(&format!("{folder}/SKILL.md"), format!("---\nname: {name}\ndescription: {description}\n---\n"));
}

fn read(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.project().join("AGENTS.md")).unwrap()
}

#[test]
fn the_file_is_made_and_follows_what_is_installed() {
    let sandbox = Sandbox::new();
    skill(&sandbox, ".claude/skills/beta", "Project beta.");
    skill(&sandbox, "../home/.agent/skills/beta", "\"Global: beta </skill>.\"");
    skill(&sandbox, "../home/.claude/skills/alpha", "Alpha.");
    skill(&sandbox, ".agent/skills/zeta", ">\n  Two\n  lines.");
    skill(&sandbox, ".agent/skills/broken", "[a, list]");
    skill(&sandbox, "../home/.agent/skills/broken", "Not looked at.");

    sandbox.run(&["sync", "--check"]).ends(1);
    assert!(!sandbox.project().join("AGENTS.md").exists());
    let ran = sandbox.run(&["sync"]).ends(0).says(&[
        "/broken/SKILL.md is left out: has a description that is no text\n",
        "/.claude/skills/beta is shadowed by ",
    ]);
    assert_eq!(ran.stdout, "updated AGENTS.md: 3 skills\n");
    let text = read(&sandbox);
    assert!(text.starts_with("# AGENTS\n\n<skills_system priority=\"1\">\n"), "{text}");
    let node = |name, description, location| {
        format!(
            "<skill>\n<name>{name}</name>\n<description>{description}</description>\n<location>{location}</location>\n</skill>\n\n"
        )
    };
    let nodes = [
        node("zeta", "Two lines.", "project"),
        node("alpha", "Alpha.", "global"),
        node("beta", "Global: beta &lt;/skill&gt;.", "global"),
    ];
    let end = "</available_skills>\n<!-- SKILLS_TABLE_END -->\n\n</skills_system>\n";
    assert!(text.ends_with(&format!("<available_skills>\n\n{}{end}", nodes.concat())), "{text}");

    let ran = sandbox.run(&["sync", "--check", "--json"]).ends(0);
    let skills = [("zeta", "project"), ("alpha", "global"), ("beta", "global")];
    let skills = skills.map(|(name, location)| json!({"name": name, "location": location}));
    assert_eq!(ran.json(), json!({"file": "AGENTS.md", "changed": false, "skills": skills}));
    assert_eq!(sandbox.run(&["sync"]).ends(0).stdout, "AGENTS.md is up to date: 3 skills\n");

    sandbox.run(&["sync", "--location", "path"]).ends(0);
    let path = sandbox.project().canonicalize().unwrap().join(".agent/skills/zeta/SKILL.md");
    assert!(read(&sandbox).contains(&format!("<location>{}</location>", path.display())));

    fs::remove_dir_all(sandbox.project().join(".agent")).unwrap();
    fs::remove_dir_all(sandbox.project().join(".claude")).unwrap();
    fs::remove_dir_all(sandbox.home().join(".agent")).unwrap();
    fs::remove_dir_all(sandbox.home().join(".claude")).unwrap();
    assert_eq!(sandbox.run(&["sync"]).ends(0).stdout, "updated AGENTS.md: 0 skills\n");
    assert_eq!(read(&sandbox), "# AGENTS\n\n");
}

#[test]
fn the_rest_of_the_file_its_mode_and_an_unchanged_file_stay() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["sync"]).ends(0).stdout, "AGENTS.md is up to date: 0 skills\n");
    assert!(tree(&sandbox.project()).is_empty());

    skill(&sandbox, ".agent/skills/alpha", "Alpha.");
    let file =
        sandbox.write("AGENTS.md", "\u{feff}Mine.\r\n\r\n<skills_system>\r\nold\r\n</skills_system>\r\n\r\nToo.");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let ran = sandbox.run(&["sync", "--check"]).ends(1);
    assert_eq!(ran.stdout, "AGENTS.md is out of date: 1 skill\n");
    assert!(read(&sandbox).contains("old"));
    sandbox.run(&["sync"]).ends(0);
    let text = read(&sandbox);
    assert!(text.starts_with("\u{feff}Mine.\r\n\r\n<skills_system priority=\"1\">\r\n"), "{text}");
    assert!(text.ends_with("\r\n</skills_system>\r\n\r\nToo."), "{text}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    let before = fs::metadata(&file).unwrap();
    assert_eq!(before.permissions().mode() & 0o777, 0o640);

    sandbox.run(&["sync"]).ends(0);
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before.modified().unwrap());
    sandbox.run(&["sync", "--file", "CLAUDE.md"]).ends(0);
    assert!(fs::read_to_string(sandbox.project().join("CLAUDE.md")).unwrap().starts_with("# CLAUDE\n\n<skills_system"));
    let files = tree(&sandbox.project());
    let files: Vec<&str> = files.keys().map(String::as_str).filter(|path| !path.starts_with(".agent/")).collect();
    assert_eq!(files, ["AGENTS.md", "CLAUDE.md"]);
}

#[test]
fn what_is_not_clear_is_left_as_it_is() {
    let sandbox = Sandbox::new();
    skill(&sandbox, ".agent/skills/alpha", "Alpha.");
    let other = sandbox.write("../home/notes.md", "Notes.\n");
    symlink(&other, sandbox.project().join("linked.md")).unwrap();
    symlink("nowhere.md", sandbox.project().join("dangling.md")).unwrap();
    sandbox.write("AGENTS.md", "a\n<skills_system>\n");
    sandbox.write("latin1.md", b"\xe9\n");
    let before = tree(&sandbox.project());
    for (file, code, texts) in [
        ("AGENTS.md", 5, &["cannot tell what to replace in AGENTS.md [skills_block]", "line 2: ", "hint: "][..]),
        ("linked.md", 5, &["linked.md is a link [conflict]", "notes.md"]),
        ("dangling.md", 5, &["dangling.md is a link [conflict]", "remove the link"]),
        ("latin1.md", 1, &["cannot read latin1.md: "]),
        (".agent", 1, &["cannot read .agent: it is no file"]),
        ("no/AGENTS.md", 1, &["cannot write ", "no/AGENTS.md: "]),
    ] {
        sandbox.run(&["sync", "--file", file]).ends(code).says(texts);
    }
    assert_eq!(tree(&sandbox.project()), before);
    assert_eq!(fs::read(&other).unwrap(), b"Notes.\n");
}
