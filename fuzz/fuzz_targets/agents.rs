//! The block of skills in `AGENTS.md`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillhub_cli::agents::{Entry, Location, update};

const BEGIN: &str = "<skills_system priority=\"1\">";
const END: &str = "</skills_system>";

fuzz_target!(|input: (&str, &str, &str)| {
    let (before, description, after) = input;
    let entry = |name: &str, location| Entry {
        name: name.to_owned(),
        description: description.to_owned(),
        location,
        path: None,
    };
    let skills = [entry(before, Location::Global), entry("a", Location::Project)];
    let between = format!("{before}\n{BEGIN}\n{description}\n{END}\n{after}");
    for text in [before, &between] {
        for skills in [&skills[..], &[]] {
            let Ok(updated) = update(text, skills) else { continue };
            assert_eq!(update(&updated, skills).as_ref(), Ok(&updated));
        }
    }
    if let Ok(updated) = update(before, &skills) {
        keeps_the_ends(before, &updated);
    }
    // Where nothing else is found, the block is the one between the two.
    if is_prose(before) && is_prose(after) && is_prose(description) {
        let updated = update(&between, &skills).expect("one block");
        let rest = updated.strip_prefix(before).and_then(|rest| rest.strip_prefix('\n')).expect("what is before stays");
        let block = rest.strip_suffix(after).and_then(|rest| rest.strip_suffix('\n')).expect("what is after stays");
        assert!(block.starts_with(BEGIN) && block.ends_with(END));
        assert_eq!(block.matches("<skill>").count(), 2);
        assert_eq!(update(&between, &[]).as_deref(), Ok(format!("{before}\n{after}").as_str()));
    }
});

fn is_prose(text: &str) -> bool {
    !text.contains(['<', '`', '~'])
}

/// The bytes before the first marker and after the last one.
fn keeps_the_ends(text: &str, updated: &str) {
    let first = ["<skills_system", "<!-- SKILLS"].iter().filter_map(|marker| text.find(marker)).min();
    assert!(updated.starts_with(&text[..first.unwrap_or(text.len())]));
    let last = [END, "END -->"].iter().filter_map(|marker| text.rfind(marker).map(|at| at + marker.len())).max();
    if let Some(last) = last.filter(|_| !updated.starts_with(text)) {
        assert!(updated.ends_with(&text[last..]));
    }
}
