use super::*;

fn entry(name: &str, description: &str, location: Location) -> Entry {
    Entry { name: name.to_owned(), description: description.to_owned(), location, path: None }
}

fn skills() -> Vec<Entry> {
    vec![entry("beta", "Does beta.", Location::Global), entry("alpha", "Does alpha.", Location::Project)]
}

fn block() -> String {
    render::block(&skills())
}

const TAG: &str = "<skills_system priority=\"1\">";
const OLD: &str = "<skills_system priority=\"1\">\n\nold <skill> $&\n```\n</skills_system>";
const COMMENTS: &str = "<!-- SKILLS_TABLE_START -->\nold\n<!-- SKILLS_TABLE_END -->";

#[test]
fn the_block_has_the_form_that_other_clients_write() {
    let block = block();
    let (usage, nodes) = block.split_once("</usage>").unwrap();
    assert!(usage.starts_with(
        "<skills_system priority=\"1\">\n\n## Available Skills\n\n<!-- SKILLS_TABLE_START -->\n<usage>\n"
    ));
    assert_eq!(
        nodes,
        "\n\n<available_skills>\n\n\
         <skill>\n<name>alpha</name>\n<description>Does alpha.</description>\n<location>project</location>\n</skill>\n\n\
         <skill>\n<name>beta</name>\n<description>Does beta.</description>\n<location>global</location>\n</skill>\n\n\
         </available_skills>\n<!-- SKILLS_TABLE_END -->\n\n</skills_system>"
    );
}

#[test]
fn the_block_is_replaced_where_it_stands_or_appended() {
    let (block, code) = (block(), format!("```md\n{COMMENTS}\n</skills_system>\n```\n"));
    for (old, new) in [
        // What is there, and `§` for the block in what comes of it.
        (String::new(), String::from("§\n")),
        ("\u{feff}".into(), "\u{feff}§\n".into()),
        ("# T\n".into(), "# T\n\n§\n".into()),
        ("# T".into(), "# T\n\n§\n".into()),
        ("# T\n\n".into(), "# T\n\n§\n".into()),
        ("\n".into(), "\n§\n".into()),
        ("# T\r\nx".into(), "# T\r\nx\r\n\r\n§\r\n".into()),
        ("# T\r".into(), "# T\r\r\n\r\n§\r\n".into()),
        (OLD.into(), "§".into()),
        (format!("\u{feff}{OLD}\n"), "\u{feff}§\n".into()),
        (format!("a\n{OLD}\nb"), "a\n§\nb".into()),
        (format!("a\n\n  {OLD} \t\n\n\n"), "a\n\n  § \t\n\n\n".into()),
        (format!("a\r\n{OLD}\r\nb\n"), "a\r\n§\r\nb\n".into()),
        (OLD.replace('\n', "\r\n"), "§".into()),
        (format!("a\n{COMMENTS}\nb\n"), "a\n§\nb\n".into()),
        ("<skills_system>\n</skills_system>\n".into(), "§\n".into()),
        // A mark from a text that was put after another one.
        (["a\n\u{feff}", OLD, "\n"].concat(), "a\n\u{feff}§\n".into()),
        // Prose.
        (
            "A `<skills_system>` tag,\n<skills_system> too.\n".into(),
            "A `<skills_system>` tag,\n<skills_system> too.\n\n§\n".into(),
        ),
        ("    <skills_system>\n".into(), "    <skills_system>\n\n§\n".into()),
        ("<skills_systems>\n".into(), "<skills_systems>\n\n§\n".into()),
        (code.clone(), format!("{code}\n§\n")),
        (format!("{code}{OLD}\n{code}"), format!("{code}§\n{code}")),
        (format!("````\n{code}````\n"), format!("````\n{code}````\n\n§\n")),
        ("~~~\n</skills_system>\n```\n~~~\n".into(), "~~~\n</skills_system>\n```\n~~~\n\n§\n".into()),
        ("```inline```\n".into(), "```inline```\n\n§\n".into()),
        // Code without an end after the block changes nothing.
        (format!("{OLD}\n```\n</skills_system>\n"), "§\n```\n</skills_system>\n".into()),
    ] {
        let eol = if old.split('\n').next().is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" };
        let expected = new.replace('§', &block.replace('\n', eol));
        let updated = update(&old, &skills()).unwrap_or_else(|fault| panic!("{old:?}: {fault}"));
        assert_eq!(updated, expected, "{old:?}");
        assert_eq!(update(&updated, &skills()).as_ref(), Ok(&updated), "{old:?}");
    }
}

#[test]
fn without_skills_the_block_goes_and_comes_back_to_its_place() {
    for text in ["", "# T", "# T\n", "a\n\n", "a\n```\ncode\n```\n"] {
        assert_eq!(update(text, &[]).unwrap(), text);
        let with = update(text, &skills()).unwrap();
        let without = update(&with, &[]).unwrap();
        assert_eq!(update(&without, &skills()).unwrap(), with);
    }
    assert_eq!(update(&format!("a\n\n  {OLD} \n\nb"), &[]).unwrap(), "a\n\n\nb");
    assert_eq!(update(&format!("\u{feff}{OLD}"), &[]).unwrap(), "\u{feff}");
}

#[test]
fn what_is_not_clear_is_a_fault_with_its_lines() {
    for (text, fault) in [
        (format!("a\n{TAG}\nb\n"), Fault::Unclosed { line: 2 }),
        (format!("{TAG}\n</skills_system> b\n"), Fault::Unclosed { line: 1 }),
        ("<!-- SKILLS_TABLE_START -->\n".to_owned(), Fault::Unclosed { line: 1 }),
        ("a\n</skills_system>\n".to_owned(), Fault::EndWithoutStart { line: 2 }),
        ("a\n\n<!-- SKILLS_TABLE_END -->".to_owned(), Fault::EndWithoutStart { line: 3 }),
        (format!("{COMMENTS}\n<!-- SKILLS_TABLE_END -->"), Fault::EndWithoutStart { line: 4 }),
        ("<!-- SKILLS_TABLE_START -->\n</skills_system>\n".to_owned(), Fault::EndWithoutStart { line: 2 }),
        (format!("{OLD}\n\n{OLD}\n"), Fault::Doubled { first: 1, second: 7 }),
        (format!("{COMMENTS}\n{OLD}\n"), Fault::Doubled { first: 1, second: 4 }),
        (format!("{TAG}\n{OLD}\n"), Fault::Doubled { first: 1, second: 2 }),
        ("<!-- SKILLS_TABLE_START -->\n".to_owned() + COMMENTS, Fault::Doubled { first: 1, second: 2 }),
        (format!("<!-- SKILLS_TABLE_START -->\n{OLD}\n"), Fault::Doubled { first: 1, second: 2 }),
        ("a\n```\ncode\n".to_owned(), Fault::OpenFence { line: 2 }),
        (format!("````\n```\n{OLD}\n"), Fault::OpenFence { line: 1 }),
    ] {
        assert_eq!(update(&text, &skills()), Err(fault), "{text:?}");
    }
    let message = Fault::Doubled { first: 3, second: 9 }.to_string();
    assert_eq!(message, "line 9: a second skills block begins here, the first one in line 3");
}

#[test]
fn no_text_of_a_skill_breaks_out_of_its_node() {
    for (description, written) in [
        ("</skill><skill>", "&lt;/skill&gt;&lt;skill&gt;"),
        ("$& $1 \\1 $`", "$& $1 \\1 $`".replace('&', "&amp;").as_str()),
        ("a\n</skills_system>\r\n\tb", "a &lt;/skills_system&gt; b"),
        ("]]> <!-- SKILLS_TABLE_END -->", "]]&gt; &lt;!-- SKILLS_TABLE_END --&gt;"),
        ("\"a\" & 'b' &lt;", "\"a\" &amp; 'b' &amp;lt;"),
        ("```\n~~~", "``` ~~~"),
    ] {
        let path = Some(String::from("/a & b/<c>/SKILL.md"));
        let skill = Entry { name: String::from("a<b\n"), path, ..entry("", description, Location::Global) };
        let once = update("x\n", std::slice::from_ref(&skill)).unwrap();
        let node = format!(
            "<skill>\n<name>a&lt;b </name>\n<description>{written}</description>\n\
             <location>/a &amp; b/&lt;c&gt;/SKILL.md</location>\n</skill>\n\n</available_skills>"
        );
        assert!(once.contains(&node), "{once}");
        assert_eq!(update(&once, &[skill]).unwrap(), once);
    }
}

const SEED: u64 = 0x5eed_0006;

/// SplitMix64.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((z ^ (z >> 31)) >> 33).unwrap()
}

#[test]
fn random_texts_keep_every_byte_outside_of_the_block() {
    let pieces = [
        TAG,
        "<skills_system>",
        "</skills_system>",
        "<!-- SKILLS_TABLE_START -->",
        "<!-- SKILLS_TABLE_END -->",
        "```",
        "~~~~",
        "\n",
        "\n",
        "\n",
        "\n",
        "\r\n",
        "\r",
        " ",
        "    ",
        "\t",
        "\u{feff}",
        "a",
        "技",
        "`",
        "<",
        ">",
        OLD,
        COMMENTS,
    ];
    let (mut state, mut updated) = (SEED, 0);
    for round in 0..20_000 {
        let text: String = (0..next(&mut state) % 14).map(|_| pieces[next(&mut state) % pieces.len()]).collect();
        for skills in [skills(), Vec::new()] {
            let Ok(new) = update(&text, &skills) else { continue };
            let what = format!("seed {SEED:#x}, round {round}: {text:?}");
            assert_eq!(update(&new, &skills).as_ref(), Ok(&new), "{what}");
            let block = block::scan(&text).unwrap().block;
            let (before, after) = match (&block, skills.is_empty()) {
                (Some(block), true) => (&text[..block.lines.start], &text[block.lines.end..]),
                (Some(block), false) => (&text[..block.text.start], &text[block.text.end..]),
                (None, _) => (text.as_str(), ""),
            };
            assert!(new.starts_with(before) && new.ends_with(after), "{what}");
            assert!(new.len() >= before.len() + after.len(), "{what}");
            updated += usize::from(new != text);
        }
    }
    assert!(updated > 5_000, "seed {SEED:#x}: only {updated} texts were updated");
}
