//! What happens on a terminal only: questions and colours.

use crate::support::{Sandbox, Shop, Skill, Terminal, tree};

/// A project whose folder `checker` holds `@team/checker`, where there is another skill of that name.
fn conflict() -> (Sandbox, Shop) {
    let sandbox = Sandbox::new();
    let shop = Shop::open(&sandbox);
    shop.sign_in(&sandbox);
    shop.publish(Skill::new("checker", "1.0.0"));
    shop.publish(Skill::new("checker", "2.0.0").of("@other"));
    sandbox.run(&["install", "@team/checker"]).ends(0);
    (sandbox, shop)
}

const QUESTION: &str = "into another [d]irectory, or [c]ancel? [n/d/C] ";

fn asked(sandbox: &Sandbox) -> Terminal {
    let mut terminal = Terminal::run(sandbox.command(&["install", "@other/checker"]));
    terminal.shows("\u{1b}[1;33mwarning:");
    terminal.shows("holds another skill");
    terminal.shows("installed: @team/checker@1.0.0");
    terminal.shows("wanted:    @other/checker@2.0.0");
    terminal.shows(QUESTION);
    terminal
}

#[test]
fn a_conflict_is_settled_by_another_name() {
    let (sandbox, _shop) = conflict();
    let before = tree(&sandbox.project().join(".agent/skills/checker"));
    let mut terminal = asked(&sandbox);
    terminal.types("what?");
    terminal.shows(QUESTION);
    terminal.types("n");
    terminal.shows("name [other-checker]: ");
    terminal.types("");
    let (code, shown) = terminal.ends();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("installed @other/checker@2.0.0 in "), "{shown}");
    assert!(sandbox.project().join(".agent/skills/other-checker/SKILL.md").exists());
    assert_eq!(tree(&sandbox.project().join(".agent/skills/checker")), before);
    // It is the alias that updates go on with.
    sandbox.run(&["update", "--locked"]).ends(0);
}

#[test]
fn a_conflict_is_settled_by_another_folder() {
    let (sandbox, _shop) = conflict();
    let mut terminal = asked(&sandbox);
    terminal.types("d");
    terminal.shows("directory: ");
    terminal.types("else/where");
    let (code, shown) = terminal.ends();
    assert_eq!(code, 0, "{shown}");
    assert!(sandbox.project().join("else/where/checker/SKILL.md").exists());
}

#[test]
fn a_conflict_that_nobody_settles_fails_and_says_how_to() {
    for answer in ["c", "", "\u{4}"] {
        let (sandbox, _shop) = conflict();
        let before = tree(&sandbox.project());
        let mut terminal = asked(&sandbox);
        terminal.types(answer);
        let (code, shown) = terminal.ends();
        assert_eq!(code, 5, "{answer:?}: {shown}");
        assert!(shown.contains("[directory_conflict]") && shown.contains("--as other-checker"), "{answer:?}: {shown}");
        assert_eq!(tree(&sandbox.project()), before, "{answer:?}");
    }
}

#[test]
fn without_colours_the_same_is_asked() {
    let (mut sandbox, _shop) = conflict();
    sandbox.set("NO_COLOR", "1");
    let mut terminal = Terminal::run(sandbox.command(&["install", "@other/checker"]));
    terminal.shows("warning: ");
    terminal.shows(QUESTION);
    terminal.types("c");
    let (code, shown) = terminal.ends();
    assert_eq!(code, 5);
    assert!(shown.contains("error: ") && !shown.contains("\u{1b}[1;31m"), "{shown}");
    // With --json nobody is asked.
    let (code, shown) = Terminal::run(sandbox.command(&["install", "@other/checker", "--json"])).ends();
    assert_eq!(code, 5);
    assert!(!shown.contains("[n/d/C]"), "{shown}");
}
