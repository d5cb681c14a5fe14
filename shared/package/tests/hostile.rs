//! What attackers and mistaken tools send, and where the finding must point.

mod support;

use skillhub_package::{Limits, Policy, check, parse_skill_md, read};
use skillhub_protocol::Finding;
use support::{DECLARED, Entry, SKILL_MD, archive, check_default, show, with_skill_md};

/// What was sent, the archive, and the code and path of the finding.
type Case = (&'static str, Vec<u8>, &'static str, &'static str);

fn file(name: &str) -> Vec<u8> {
    with_skill_md(Entry::stored(name, b"x\n"))
}

fn files(names: &[&str]) -> Vec<u8> {
    let skill_md = Entry::stored("SKILL.md", SKILL_MD.as_bytes());
    let others = names.iter().map(|name| Entry::stored(name, b"x\n"));
    archive(&std::iter::once(skill_md).chain(others).collect::<Vec<_>>())
}

fn paths() -> Vec<Case> {
    let at = "files[1].path";
    vec![
        ("parent folder", file("../evil.md"), "path_segment", at),
        ("backslashes", file("scripts\\..\\..\\x.sh"), "path_char", at),
        ("absolute", file("/etc/x.md"), "path_segment", at),
        ("network share", file("//srv/s/x.md"), "path_segment", at),
        ("drive", file("C:/x.md"), "path_char", at),
        ("drive, relative", file("C:x.md"), "path_char", at),
        ("alternate stream", file("SKILL.md:evil"), "path_char", at),
        ("cut off at NUL", file("SKILL.md\0.txt"), "path_char", at),
        ("case", files(&["skill.MD"]), "path_collision", at),
        ("full case folding", files(&["straße.md", "STRASSE.md"]), "path_collision", "files[2].path"),
        ("case of folders", files(&["Docs/a.md", "docs/b.md"]), "path_collision", "files[2].path"),
        ("file and folder", files(&["a.md/b.md", "a.md"]), "path_collision", "files[2].path"),
        ("folder and file", files(&["a.md", "a.md/b.md"]), "path_collision", "files[2].path"),
        ("device", file("references/aux.txt"), "path_reserved", at),
        ("superscript device", file("COM¹.md"), "path_reserved", at),
        ("device with extensions", file("nul.tar.gz.md"), "path_reserved", at),
        ("console device", file("conin$.md"), "path_reserved", at),
        ("dot at the end", file("a.md."), "path_trailing", at),
        ("space at the end", file("b.md "), "path_trailing", at),
        ("space at the start", file("x/ b.md"), "path_trailing", at),
        ("private use", file("a\u{e000}.md"), "path_char", at),
        ("variation selector", file("a\u{fe0f}.md"), "path_char", at),
        ("zero width", file("a\u{200b}.md"), "path_char", at),
        ("control of C1", file("a\u{85}.md"), "path_char", at),
        ("hidden folder", file(".git/config.md"), "path_hidden", at),
        ("hidden empty folder", with_skill_md(folder(".git/")), "path_hidden", at),
    ]
}

fn folder(name: &str) -> Entry {
    Entry::stored(name, b"").with(|entry| entry.mode = 0o040_755)
}

fn structure() -> Vec<Case> {
    let zeros = vec![0; 10 << 20];
    let entry =
        |change: fn(&mut Entry)| with_skill_md(Entry::deflated("references/a.md", b"text text text").with(change));
    let sound = with_skill_md(Entry::stored("a.md", b"x"));
    let mut prefixed = b"#!/bin/sh\n".to_vec();
    prefixed.extend(&sound);
    vec![
        ("link", entry(|e| e.mode = 0o120_777), "not_regular_file", "files[1].mode"),
        (
            "link that claims to come from DOS",
            entry(|e| (e.mode, e.made_by) = (0o120_777, 20)),
            "not_regular_file",
            "files[1].mode",
        ),
        ("bomb", with_skill_md(Entry::deflated("a.md", &zeros)), "file_too_large", "files[1].size"),
        (
            "bomb that declares 100 bytes",
            with_skill_md(Entry::deflated("a.md", &zeros).with(|e| e.size = 100)),
            "zip_data",
            "files[1].size",
        ),
        (
            "other local name",
            entry(|e| e.local_name = Some(b"references/b.md".into())),
            "zip_header_mismatch",
            "files[1].path",
        ),
        ("gap", entry(|e| e.gap = b"PK".into()), "zip_layout", "archive"),
        ("prefix", prefixed, "zip_framing", "archive"),
        (
            "another name in an extra field",
            entry(|e| e.extra = b"\x75\x70\x0d\x00\x01\0\0\0\0SKILL.md".into()),
            "zip_extra_field",
            "files[1].extra",
        ),
        ("extra field cut off", entry(|e| e.extra = b"\x55\x54\x09\x00".into()), "zip_extra", "files[1].extra"),
        ("encrypted", entry(|e| e.flags = 1), "zip_encrypted", "files[1].method"),
        ("unknown flag", entry(|e| e.flags = 1 << 5), "zip_flags", "files[1].flags"),
        ("bzip2", entry(|e| e.method = 12), "zip_method", "files[1].method"),
        ("AES", entry(|e| e.method = 99), "zip_method", "files[1].method"),
        ("bad CRC", entry(|e| e.crc ^= 1), "zip_data", "files[1].sha256"),
        ("bytes behind the stream", entry(|e| e.packed.push(0)), "zip_data", "files[1].size"),
        ("stream cut off", entry(|e| e.packed.truncate(3)), "zip_data", "files[1].sha256"),
        (
            "streamed without compression",
            with_skill_md(Entry::stored("a.md", b"x").with(|e| e.flags = 8)),
            "zip_data_descriptor",
            "files[1].descriptor",
        ),
        ("folder of the mode of a file", with_skill_md(Entry::stored("a/", b"")), "not_regular_file", "files[1].mode"),
        ("not an archive", b"hello".to_vec(), "zip_framing", "archive"),
        ("nothing", Vec::new(), "zip_framing", "archive"),
    ]
}

fn skill_md(text: &str) -> Vec<u8> {
    archive(&[Entry::stored("SKILL.md", text.as_bytes())])
}

fn texts() -> Vec<Case> {
    vec![
        ("empty", skill_md(""), "skill_md_empty", "files[SKILL.md]"),
        ("wrapped", archive(&[Entry::stored("my-skill/SKILL.md", SKILL_MD.as_bytes())]), "skill_md_missing", "archive"),
        ("lower case", archive(&[Entry::stored("skill.md", SKILL_MD.as_bytes())]), "skill_md_missing", "archive"),
        ("name twice", skill_md("---\nname: a\nname: a\n---\n"), "yaml_duplicate_key", "skillMd.frontmatter.name:3:1"),
        (
            "anchor",
            skill_md("---\nname: a\nbomb: &a [x]\nc: [*a, *a]\n---\n"),
            "yaml_anchor",
            "skillMd.frontmatter:3:7",
        ),
        ("merge key", skill_md("---\nname: a\n<<: *b\n---\n"), "yaml_anchor", "skillMd.frontmatter:3:1"),
        (
            "nested key twice",
            skill_md("---\nmetadata:\n  a: b\n  a: c\n---\n"),
            "yaml_duplicate_key",
            "skillMd.frontmatter:4:3",
        ),
        (
            "directive",
            skill_md("---\n%YAML 1.1\n--- {name: a, description: b}\n---\n"),
            "yaml_invalid",
            "skillMd.frontmatter:2:1",
        ),
        (
            "many values",
            skill_md(&format!("---\nname: a\nx: [{}]\n---\n", "1,".repeat(10_000))),
            "frontmatter_too_large",
            "skillMd.frontmatter:3:19995",
        ),
        ("tag", skill_md("---\nname: a\nx: !!binary aGk=\n---\n"), "yaml_tag", "skillMd.frontmatter:3:4"),
        ("secret", skill_md(&format!("{SKILL_MD}\n\n\n\nkey AKIAZ7Q2M4N6P8R3S5T9\n")), "secret_found", "SKILL.md:10:5"),
        ("colon", skill_md("---\nname: a\ndescription: b: c\n---\n"), "yaml_invalid", "skillMd.frontmatter:3:15"),
        (
            "colon behind CRLF",
            skill_md("---\r\nname: a\r\ndescription: b: c\r\n---\r\n"),
            "yaml_invalid",
            "skillMd.frontmatter:3:15",
        ),
        ("Latin-1", archive(&[Entry::stored("SKILL.md", b"---\nname: caf\xe9\n---\n")]), "not_utf8", "skillMd"),
        (
            "escape sequence",
            skill_md("---\nname: a\ndescription: \"\\e[31m\"\n---\n"),
            "control_character",
            "skillMd.frontmatter.description:3:1",
        ),
        (
            "line break in the name",
            skill_md("---\nname: \"a\\nb\"\ndescription: b\n---\n"),
            "control_character",
            "skillMd.frontmatter.name:2:1",
        ),
        (
            "name as a path",
            skill_md("---\nname: ../../x\ndescription: b\n---\n"),
            "name_unsafe",
            "skillMd.frontmatter.name:2:1",
        ),
        (
            "large frontmatter",
            skill_md(&format!("---\nname: a\nx: {}\n---\n", "y".repeat(70_000))),
            "frontmatter_too_large",
            "skillMd.frontmatter",
        ),
    ]
}

/// `path:line:column`, or `path` where there is no line.
fn place(finding: &Finding) -> String {
    finding.to_string().split(": ").next().unwrap_or_default().to_owned()
}

#[test]
fn every_hostile_case_has_its_code_at_its_place() {
    let cases: Vec<Case> = paths().into_iter().chain(structure()).chain(texts()).collect();
    let mismatches: Vec<_> = cases
        .iter()
        .filter_map(|(what, archive, code, path)| {
            let report = check_default(archive);
            let found = report.findings.iter().any(|f| f.is_error() && f.code == *code && place(f) == *path);
            (!found || report.package.is_some())
                .then(|| format!("\n{what}: expected {code} at {path}, got{}", show(&report.findings)))
        })
        .collect();
    assert!(mismatches.is_empty(), "{}", mismatches.concat());
}

#[test]
fn a_structural_fault_is_the_only_finding() {
    for (what, archive, code, _) in structure().into_iter().filter(|case| case.2 != "file_too_large") {
        let report = check_default(&archive);
        assert_eq!(report.findings.len(), 1, "{what}{}", show(&report.findings));
        let alone = read(&archive, &Limits::default()).unwrap_err();
        assert_eq!(alone.iter().map(|f| f.code.as_str()).collect::<Vec<_>>(), [code], "{what}");
    }
}

#[test]
fn everything_wrong_with_a_sound_archive_is_said_at_once() {
    let entries = ["../a.md", ".env", "tool.exe", "CON.md"].map(|name| Entry::stored(name, b"x"));
    let skill_md = Entry::stored("SKILL.md", b"---\nname: 1\nversion: 1\n---\n");
    let archive = archive(&[&[skill_md], entries.as_slice()].concat());
    let report = check(&archive, &skillhub_package::Declared { slug: "A", ..DECLARED }, &Policy::default());
    let codes: Vec<_> = report.findings.iter().map(|f| f.code.as_str()).collect();
    let expected = [
        "path_segment",
        "file_type",
        "path_hidden",
        "file_type",
        "path_reserved",
        "description_missing",
        "name_type",
        "slug_invalid",
        "field_not_portable",
    ];
    assert_eq!(codes, expected, "{}", show(&report.findings));
}

#[test]
fn findings_stay_within_the_bounds_of_a_report() {
    let names: Vec<String> = (0..100).map(|i| format!("{}{i}.exe", "é".repeat(110))).collect();
    let report = check_default(&files(&names.iter().map(String::as_str).collect::<Vec<_>>()));
    let sizes: Vec<_> = report.findings.iter().map(|f| serde_json::to_string(f).unwrap().len()).collect();
    assert_eq!(report.findings.len(), skillhub_package::MAX_FINDINGS);
    assert_eq!(report.findings.last().unwrap().hint.as_deref(), Some("51 more findings are not shown"));
    assert!(sizes.iter().all(|bytes| *bytes <= 1024) && sizes.iter().sum::<usize>() <= 48 << 10, "{sizes:?}");
}

#[test]
fn messages_show_what_cannot_be_seen() {
    let report = check_default(&file("SKILL.md\0.txt"));
    assert!(report.findings[0].message.contains("\"SKILL.md\\u0000.txt\""), "{}", report.findings[0]);
}

#[test]
fn hints_give_the_line_to_paste() {
    let hint = |text: &str| parse_skill_md(text.as_bytes()).unwrap_err()[0].hint.clone().unwrap_or_default();
    let cases = [
        ("---\nname: a\ndescription: Set up: \"hooks\"\n---\n", "description: \"Set up: \\\"hooks\\\"\""),
        ("---\nname: a\ndescription: `cmd` runs\n---\n", "description: \"`cmd` runs\""),
        ("---\nname: a\ndescription: 'don't do this'\n---\n", "description: \"don't do this\""),
        ("---\nname: a\ndescription: [Old] use b\n---\n", "description: \"[Old] use b\""),
        ("---\nname: a\ndescription: *bold* text\n---\n", "description: \"*bold* text\""),
        ("---\nname: 123\ndescription: b\n---\n", "name: \"123\""),
    ];
    for (text, line) in cases {
        assert!(hint(text).contains(&format!("`{line}`")), "{text}: {:?}", hint(text));
    }
    let advice = [
        ("---\nname: a\ndescription: Does it.license: MIT\n---\n", "begin a new line before `license:`"),
        (
            "# Title\n\n---\n\ntext\n",
            "begin the file with `---`, `name: …`, `description: …`, `---`, each on its own line",
        ),
        ("<!-- x -->\n---\nname: a\n---\n", "remove what stands before the first `---`"),
    ];
    for (text, expected) in advice {
        assert_eq!(hint(text), expected, "{text}");
    }
    let long = format!("---\nname: a\ndescription: {}: y\n---\n", "x".repeat(700));
    assert_eq!(hint(&long), "put the text behind `description:` in quotation marks");
    let wrapped = check_default(&archive(&[Entry::stored("my-skill/SKILL.md", SKILL_MD.as_bytes())]));
    assert!(wrapped.findings[0].hint.as_deref().unwrap().starts_with("found at my-skill/SKILL.md"));
}

#[test]
fn limits_hold_to_the_byte() {
    let limits = |change: fn(&mut Limits)| {
        let mut limits = Limits { archive_bytes: 1000, unpacked_bytes: 40, file_bytes: 35, files: 2, depth: 1 };
        change(&mut limits);
        limits
    };
    let archive = with_skill_md(Entry::stored("d/a.md", b"12345"));
    let codes = |limits: &Limits| match read(&archive, limits) {
        Ok(_) => Vec::new(),
        Err(findings) => findings.into_iter().map(|f| f.code).collect(),
    };
    assert_eq!(SKILL_MD.len(), 35);
    assert!(codes(&limits(|_| {})).is_empty());
    assert_eq!(codes(&limits(|l| l.unpacked_bytes = 39)), ["package_too_large"]);
    assert_eq!(codes(&limits(|l| l.file_bytes = 34)), ["file_too_large"]);
    assert_eq!(codes(&limits(|l| l.files = 1)), ["too_many_files"]);
    assert_eq!(codes(&limits(|l| l.depth = 0)), ["path_depth"]);
    let bytes = archive.len() as u64;
    assert!(codes(&Limits { archive_bytes: bytes, ..limits(|_| {}) }).is_empty());
    assert_eq!(codes(&Limits { archive_bytes: bytes - 1, ..limits(|_| {}) }), ["package_too_large"]);
}
