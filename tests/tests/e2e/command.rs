//! The command against the registry: the README's path, and its exit codes.

use std::path::Path;

use serde_json::Value;

use crate::support::{Registry, Skill};

#[test]
fn first_start_publishes_the_examples_and_one_command_installs_one() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/skills");
    let registry = Registry::start_with_examples(&examples);
    let command = registry.command();
    let run = command.run(&["install", "hello-skill"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let installed = command.project().join(".agent/skills/hello-skill");
    assert_eq!(
        std::fs::read(installed.join("SKILL.md")).unwrap(),
        std::fs::read(examples.join("hello-skill/SKILL.md")).unwrap()
    );
    let record: Value =
        serde_json::from_slice(&std::fs::read(installed.join(".astron/metadata.json")).unwrap()).unwrap();
    assert_eq!((&record["namespace"], &record["skillSlug"]), (&"@global".into(), &"hello-skill".into()));

    let list = command.run(&["list", "--remote", "--json"]);
    let list: Value = serde_json::from_str(&list.stdout).unwrap_or_else(|e| panic!("{e}: {list:?}"));
    assert_eq!(list.as_array().or_else(|| list["skills"].as_array()).unwrap().len(), 3, "{list}");

    // A later start leaves things as they are: nothing is published again.
    let registry = registry.crash_and_restart();
    assert_eq!(registry.http().list(100).len(), 3);
    let again = registry.command().run(&["install", "hello-skill@0.1.0"]);
    assert_eq!(again.code, Some(0), "{again:?}");
}

#[test]
fn publish_all_gives_each_skill_its_own_verdict() {
    let registry = Registry::start();
    let command = registry.command();
    let skills = command.project().join("skills");
    for i in 0..5 {
        Skill::new(&format!("fine-{i}"), "x").write_below(&skills);
    }
    let mut broken = Skill::new("broken", "x");
    broken.files[0].1 = b"---\nname: broken\ndescription: one: two\n---\n".to_vec();
    broken.write_below(&skills);
    Skill::new("twice", "same").write_below(&skills.join("a"));
    Skill::new("twice", "same").write_below(&skills.join("b"));
    Skill::new("claimed", "one").write_below(&skills.join("a"));
    Skill::new("claimed", "another").write_below(&skills.join("b"));
    Skill::new("hidden", "x").write_below(&skills.join(".hidden"));

    let run = command.run(&["publish", "--all", "skills"]);
    // The code of the first failure: two folders in conflict.
    assert_eq!(run.code, Some(5), "{run:?}");
    let output = format!("{}{}", run.stdout, run.stderr);
    for expected in ["yaml_invalid", "duplicate_in_batch", "a/claimed", "b/claimed"] {
        assert!(output.contains(expected), "{expected}: {output}");
    }
    let mut published: Vec<_> = registry.http().list(100).iter().map(|skill| skill.slug.to_string()).collect();
    published.sort();
    assert_eq!(published, ["fine-0", "fine-1", "fine-2", "fine-3", "fine-4", "twice"]);
}

#[test]
fn a_changed_skill_gets_the_next_patch_and_an_unchanged_one_keeps_its_version() {
    let registry = Registry::start();
    let command = registry.command();
    let versions = |skill: &Skill| {
        skill.write_below(command.project());
        let run = command.run(&["publish", &skill.name]);
        assert_eq!(run.code, Some(0), "{run:?}");
        registry.http().list(10)[0].current_version.version.to_string()
    };
    let one = Skill::new("growing", "one");
    assert_eq!(versions(&one), "0.1.0");
    assert_eq!(versions(&one), "0.1.0");
    assert_eq!(versions(&Skill::new("growing", "two")), "0.1.1");
}

#[test]
fn failures_have_their_exit_codes_and_say_what_to_do() {
    let registry = Registry::start();
    let command = registry.command();
    Skill::new("mine", "x").write_below(command.project());
    let cases: [(&[&str], i32, &str); 5] = [
        (&["install", "nothing-here"], 1, "nothing-here"),
        (&["install", "Not A Coordinate"], 2, "lowercase"),
        (&["publish", "mine", "--namespace", "@nobody"], 3, "@nobody"),
        (&["publish", "no-such-folder"], 1, "no-such-folder"),
        (&["frobnicate"], 2, "frobnicate"),
    ];
    for (args, code, said) in cases {
        let run = command.run(args);
        assert_eq!(run.code, Some(code), "{run:?}");
        assert!(run.stderr.contains(said), "{run:?}");
        assert_eq!(run.stdout, "");
    }
}

#[test]
#[cfg(unix)]
fn a_second_instance_is_refused_and_an_interrupt_ends_the_first_cleanly() {
    let registry = Registry::start();
    let second = registry.second_instance();
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(second.stderr.contains("is in use by process"), "{second:?}");
    let (code, output) = registry.interrupt();
    assert_eq!(code, Some(0), "{output:?}");
}
