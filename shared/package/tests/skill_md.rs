//! What a `SKILL.md` says, beyond its verdicts.

use serde_json::json;
use skillhub_package::{describe_skill_md, parse_skill_md};

#[test]
fn the_whole_frontmatter_is_kept_as_yaml_1_2_reads_it() {
    let text = "---\nname: a\ndescription: ' b '\nlicense: no\nx-astron-date: 2026-01-02\nx-astron-list: [1, 0x1f, -2, 1.5, .5e1, \
                1e400, .inf, ~, True, 'true', 018]\nmetadata:\n  nested: {k: [v]}\n---\nbody\n";
    let skill_md = parse_skill_md(text.as_bytes()).unwrap();
    assert_eq!((skill_md.name.as_str(), skill_md.description.as_str()), ("a", "b"));
    let expected = json!({
        "name": "a",
        "description": " b ",
        "license": "no",
        "x-astron-date": "2026-01-02",
        "x-astron-list": [1, 31, -2, 1.5, 5.0, "1e400", ".inf", null, true, "true", 18],
        "metadata": {"nested": {"k": ["v"]}},
    });
    assert_eq!(skill_md.frontmatter, expected);
}

#[test]
fn numbers_that_json_does_not_hold_stay_text() {
    for number in ["1_000", "123456789012345678901", "-1e999", ".nan", "-.inf", "1:30", "0x"] {
        let text = format!("---\nname: a\ndescription: b\nlicense: {number}\n---\n");
        assert_eq!(parse_skill_md(text.as_bytes()).unwrap().frontmatter["license"], number);
    }
}

#[test]
fn the_version_is_a_release_at_the_top_or_in_the_metadata() {
    let version = |lines: &str| {
        let text = format!("---\nname: a\ndescription: b\n{lines}---\n");
        parse_skill_md(text.as_bytes()).unwrap().version().map(|version| version.to_string())
    };
    let cases = [
        ("version: 1.2.0\n", Some("1.2.0")),
        ("metadata: {version: '2.0.0-rc.1'}\n", Some("2.0.0-rc.1")),
        ("version: 1.2.0\nmetadata: {version: 3.0.0}\n", Some("1.2.0")),
        ("version: 1.0\nmetadata: {version: 3.0.0}\n", Some("3.0.0")),
        ("version: v1.2.0\n", None),
        ("metadata: {version: 1.10}\n", None),
        ("", None),
    ];
    cases.iter().for_each(|(lines, expected)| assert_eq!(version(lines).as_deref(), *expected, "{lines}"));
}

/// Every short text over the characters that YAML gives a meaning, inside of a frontmatter: none may panic.
#[test]
fn no_text_makes_the_parser_panic() {
    const PIECES: [&str; 16] =
        ["a", ": ", "- ", "[", "]", "{", "}", "\"", "'", "&x ", "*x", "!t ", "|\n ", "#", "\n", "\t"];
    let depth = 4;
    for number in 0..PIECES.len().pow(depth) {
        let pieces = (0..depth).map(|digit| PIECES[number / PIECES.len().pow(digit) % PIECES.len()]);
        let text = format!("---\nname: a\ndescription: {}\n---\n", pieces.collect::<String>());
        if let Ok(skill_md) = parse_skill_md(text.as_bytes()) {
            assert!(skill_md.frontmatter.is_object());
            assert_eq!(describe_skill_md(text.as_bytes()).as_deref(), Ok(skill_md.description.as_str()), "{text}");
        }
    }
}

#[test]
fn clients_show_descriptions_that_no_publisher_could_publish() {
    let long = "x".repeat(2000);
    let told = |frontmatter: &str| {
        let described = describe_skill_md(format!("---\n{frontmatter}\n---\nbody\n").as_bytes());
        described.map_err(|finding| finding.code)
    };
    for (frontmatter, expected) in [
        ("description: Plain.", Ok("Plain.")),
        ("name: a\ndescription: >\n  Two\n  lines.", Ok("Two lines.")),
        ("description: \" Quoted # not a comment \"", Ok("Quoted # not a comment")),
        (&format!("description: {long}"), Ok(&*long)),
        ("description: Use when: it fits\nallowed-tools: Read", Ok("Use when: it fits")),
        ("description: `code` first", Ok("`code` first")),
        ("description: Good.\nother: a: b", Ok("Good.")),
        ("name: a", Err("description_missing")),
        ("description: ''", Err("description_missing")),
        ("description: [a, b]", Err("description_type")),
        ("description: &a b", Ok("&a b")),
        ("description: a\ndescription: b", Err("yaml_duplicate_key")),
        ("description: \"a\\e[2J\"", Err("control_character")),
        ("description: \"a\\u202Eb\"", Err("hidden_unicode")),
        ("description: *a\n  b: c: d", Err("yaml_anchor")),
    ] {
        assert_eq!(told(frontmatter), expected.map(str::to_owned).map_err(str::to_owned), "{frontmatter}");
    }
    assert_eq!(describe_skill_md(b"no frontmatter").unwrap_err().code, "frontmatter_missing");
}
