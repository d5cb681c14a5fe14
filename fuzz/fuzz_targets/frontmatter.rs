//! The frontmatter of `SKILL.md`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillhub_package::{MAX_FINDINGS, SkillMd, describe_skill_md, parse_skill_md};
use skillhub_protocol::Finding;

fuzz_target!(|text: &[u8]| {
    // The same text with its fences, which are hard to guess.
    for text in [text, &[b"---\nname: a\ndescription: b\n", text, b"\n---\n"].concat()] {
        let described = describe_skill_md(text);
        match parse_skill_md(text) {
            Ok(skill_md) => {
                assert_eq!(described.as_deref(), Ok(skill_md.description.as_str()));
                reads_the_same_as_json(&skill_md);
            }
            Err(findings) => {
                assert!((1..=MAX_FINDINGS).contains(&findings.len()) && findings.iter().all(Finding::is_error));
            }
        }
    }
});

/// JSON is YAML, but for characters that YAML wants escaped and keys of more than 1,024 characters: the tree, written as JSON, is
/// read as the same tree.
fn reads_the_same_as_json(skill_md: &SkillMd) {
    assert!(skill_md.frontmatter.is_object());
    let json: String = skill_md.frontmatter.to_string().chars().map(escaped).collect();
    if json.len() <= 1024 {
        match parse_skill_md(format!("---\n{json}\n---\n").as_bytes()) {
            Ok(again) => assert_eq!(&again, skill_md),
            Err(findings) => panic!("{json}\n{}", findings[0]),
        }
    }
}

fn escaped(c: char) -> String {
    if matches!(c, ' '..='~') { c.to_string() } else { format!("\\U{:08x}", u32::from(c)) }
}
