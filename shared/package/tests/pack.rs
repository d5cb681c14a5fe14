//! What people pack, and what becomes of it.

mod support;

use std::io::{Cursor, Write};

use skillhub_package::pack::{Packed, Reason, from_files, from_zip, left_out_reason};
use skillhub_package::{Limits, Policy, check, check_contents};
use support::{DECLARED, Entry, SKILL_MD, archive, show, source};

fn zip_of(names: &[&str]) -> Vec<u8> {
    archive(&names.iter().map(|name| Entry::stored(name, SKILL_MD.as_bytes())).collect::<Vec<_>>())
}

fn paths(packed: &Packed) -> Vec<&str> {
    packed.contents.files().iter().map(|file| file.path().as_str()).collect()
}

fn left_out(packed: &Packed) -> Vec<(&str, Reason)> {
    packed.left_out.iter().map(|file| (file.path.as_str(), file.reason)).collect()
}

fn codes(result: Result<Packed, Vec<skillhub_protocol::Finding>>) -> Vec<String> {
    result.unwrap_err().into_iter().map(|finding| finding.code).collect()
}

#[test]
fn what_does_not_belong_in_a_package_is_left_out_and_listed() {
    let files = [
        ("SKILL.md", None),
        ("scripts/run.sh", None),
        ("LICENSE", None),
        (".git/config", Some(Reason::VersionControl)),
        (".gitignore", Some(Reason::VersionControl)),
        (".env", Some(Reason::Environment)),
        ("scripts/.env.local", Some(Reason::Environment)),
        ("node_modules/x/index.js", Some(Reason::Dependencies)),
        ("scripts/__pycache__/a.cpython-313.pyc", Some(Reason::Compiled)),
        ("scripts/a.pyc", Some(Reason::Compiled)),
        ("SKILL.md~", Some(Reason::Editor)),
        (".SKILL.md.swp", Some(Reason::Editor)),
        (".idea/workspace.xml", Some(Reason::Editor)),
        (".DS_Store", Some(Reason::System)),
        ("__MACOSX/._SKILL.md", Some(Reason::System)),
        (".astron/metadata.json", Some(Reason::Installer)),
        (".hidden/a.md", Some(Reason::Hidden)),
    ];
    let packed = from_files(files.iter().map(|(path, _)| source(path, SKILL_MD)).collect()).unwrap();
    assert_eq!(paths(&packed), ["LICENSE", "SKILL.md", "scripts/run.sh"]);
    let expected: Vec<_> = files.iter().filter_map(|(path, reason)| Some((*path, (*reason)?))).collect();
    assert_eq!(left_out(&packed), expected);
    files.iter().for_each(|(path, reason)| assert_eq!(left_out_reason(path), *reason, "{path}"));
    let report = check_contents(packed.contents, &DECLARED, &Policy::default());
    assert!(report.package.is_some(), "{}", show(&report.findings));
}

#[test]
fn bytes_are_kept_and_names_are_composed() {
    let latin1 = b"caf\xe9\n";
    let packed = from_files(vec![source("SKILL.md", SKILL_MD), source("cafe\u{301}.txt", *latin1)]).unwrap();
    assert_eq!(packed.contents.get("caf\u{e9}.txt").unwrap().data(), latin1);
}

#[test]
fn all_illegal_paths_are_reported_at_once() {
    let files = ["../a.md", "b\\c.md", "aux.md", "D.md", "d.md"].map(|path| source(path, "x")).to_vec();
    assert_eq!(codes(from_files(files)), ["path_segment", "path_char", "path_reserved", "path_collision"]);
}

#[test]
fn a_zip_of_finder_loses_its_folder_and_its_litter() {
    let names = ["my-skill/SKILL.md", "my-skill/scripts/a.sh", "my-skill/.DS_Store", "__MACOSX/my-skill/._SKILL.md"];
    let packed = from_zip(&zip_of(&names), &Limits::default()).unwrap();
    assert_eq!(paths(&packed), ["SKILL.md", "scripts/a.sh"]);
    assert_eq!(left_out(&packed), [(names[2], Reason::System), (names[3], Reason::System)]);
}

#[test]
fn the_folder_of_the_uppermost_skill_md_becomes_the_root() {
    let promoted =
        from_zip(&zip_of(&["outer/inner/SKILL.md", "outer/inner/a/SKILL.md", "outer/README.md"]), &Limits::default());
    let promoted = promoted.unwrap();
    assert_eq!(paths(&promoted), ["SKILL.md", "a/SKILL.md"]);
    assert_eq!(left_out(&promoted), [("outer/README.md", Reason::OutsideSkill)]);

    let ambiguous = from_zip(&zip_of(&["x/one/SKILL.md", "x/two/SKILL.md"]), &Limits::default()).unwrap_err();
    assert_eq!(ambiguous[0].code, "skill_md_missing");
    assert!(["x/one/SKILL.md", "x/two/SKILL.md"].iter().all(|name| ambiguous[0].message.contains(name)));

    let none = from_zip(&zip_of(&["x/skill.md"]), &Limits::default()).unwrap();
    let report = check_contents(none.contents, &DECLARED, &Policy::default());
    assert!(report.findings[0].hint.as_deref().unwrap().contains("rename"), "{}", show(&report.findings));
}

#[test]
fn names_are_read_whatever_the_tool_wrote() {
    let unflagged = Entry::stored("中.md", b"x").with(|entry| entry.flags = 0);
    let cp437 = Entry::stored("c.md", b"x").with(|entry| entry.name = b"caf\x82.md".into());
    let entries = [Entry::stored("s\\SKILL.md", SKILL_MD.as_bytes()), unflagged, cp437];
    let entries = entries
        .map(|e| if e.name.starts_with(b"s") { e } else { e.with(|e| e.name.splice(0..0, *b"s/").for_each(drop)) });
    let packed = from_zip(&archive(&entries), &Limits::default()).unwrap();
    assert_eq!(paths(&packed), ["SKILL.md", "caf\u{e9}.md", "中.md"]);
}

#[test]
fn streamed_archives_are_packed_and_then_pass_the_check() {
    let mut writer = zip::ZipWriter::new_stream(Vec::new());
    let options = zip::write::SimpleFileOptions::default();
    for (name, text) in [("s/SKILL.md", SKILL_MD), ("s/a.md", "text text text text")] {
        writer.start_file(name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    let archive = writer.finish().unwrap().into_inner();
    let packed = from_zip(&archive, &Limits::default()).unwrap();
    let canonical = skillhub_package::canonical(&packed.contents).bytes;
    let report = check(&canonical, &DECLARED, &Policy::default());
    assert!(report.package.is_some() && report.findings.is_empty(), "{}", show(&report.findings));
}

#[test]
fn links_and_bombs_are_refused_by_name() {
    let skill_md = Entry::stored("SKILL.md", SKILL_MD.as_bytes());
    let link = Entry::stored("references/l.md", b"/etc/passwd").with(|entry| entry.mode = 0o120_777);
    let findings = from_zip(&archive(&[skill_md.clone(), link]), &Limits::default()).unwrap_err();
    assert_eq!(findings[0].code, "not_regular_file");
    assert!(findings[0].message.contains("references/l.md"));

    let bomb = Entry::deflated("bomb.md", &vec![0; 20 << 20]);
    assert_eq!(codes(from_zip(&archive(&[skill_md.clone(), bomb.clone()]), &Limits::default())), ["file_too_large"]);
    let liar = bomb.with(|entry| entry.size = 100);
    assert!(from_zip(&archive(&[skill_md.clone(), liar]), &Limits::default()).is_err());
    let many = (0..11).map(|i| Entry::deflated(&format!("{i}.md"), &vec![0; 1 << 20]));
    let many: Vec<_> = std::iter::once(skill_md).chain(many).collect();
    assert_eq!(codes(from_zip(&archive(&many), &Limits::default())), ["package_too_large"]);
    assert_eq!(codes(from_zip(b"no zip", &Limits::default())), ["zip_framing"]);
}

#[test]
fn a_zip_of_the_zip_crate_is_the_same_as_its_files() {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().unix_permissions(0o755);
    writer.add_directory("scripts", options).unwrap();
    for (name, text) in [("scripts/a.sh", "#!/bin/sh\n"), ("SKILL.md", SKILL_MD)] {
        writer.start_file(name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    let archive = writer.finish().unwrap().into_inner();
    let files = from_files(vec![source("SKILL.md", SKILL_MD), source("scripts/a.sh", "#!/bin/sh\n")]).unwrap();
    assert_eq!(from_zip(&archive, &Limits::default()).unwrap().contents, files.contents);
}
