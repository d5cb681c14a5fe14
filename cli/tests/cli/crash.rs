//! A process that is killed at any step leaves the old copy or the new one, whole, and a lock file that can be read; the next run
//! completes what it began. Needs the fail points of the test build.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;

use crate::support::{Sandbox, Shop, Skill, tree};

/// Every place between the first byte that is written and the last.
const PLACES: [&str; 11] = [
    "locked",
    "fetched",
    "cached",
    "file-written",
    "files-written",
    "staged",
    "lock-file-staged",
    "before-swap",
    "after-swap",
    "lock-file-written",
    "set-aside",
];
const SIGKILL: i32 = 9;

struct Project {
    sandbox: Sandbox,
    shop: Shop,
}

impl Project {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let shop = Shop::open(&sandbox);
        shop.sign_in(&sandbox);
        shop.publish(Skill::new("checker", "1.0.0"));
        Self { sandbox, shop }
    }

    /// Runs the command and demands that it is killed at `place`.
    fn killed_at(&self, place: &str, args: &[&str]) {
        let mut command = self.sandbox.command(args);
        let output = command.env("SKILLHUB_FAIL_POINT", place).output().unwrap();
        assert_eq!(output.status.signal(), Some(SIGKILL), "{place}: {args:?} never came there: {output:?}");
    }

    /// The skill's files without the time of its installation; `None` if there is no folder.
    fn skill(&self) -> Option<BTreeMap<String, String>> {
        let folder = self.sandbox.project().join(".agent/skills/checker");
        folder.exists().then(|| {
            let mut files = tree(&folder);
            if let Some(record) = files.get_mut(".astron/metadata.json") {
                *record = without_time(record);
            }
            files
        })
    }

    fn lock(&self) -> Option<String> {
        fs::read_to_string(self.sandbox.project().join("skillhub.lock")).ok()
    }

    fn state(&self) -> State {
        (self.skill(), self.lock())
    }

    /// What is in the project besides the skill, its lock file, and the empty file that is locked.
    fn leftovers(&self) -> Vec<String> {
        let known = [".agent/", ".agent/skills/", ".agent/skills/.skillhub-lock", "skillhub.lock"];
        let files = tree(&self.sandbox.project()).into_keys();
        files.filter(|path| !path.starts_with(".agent/skills/checker/") && !known.contains(&path.as_str())).collect()
    }
}

type State = (Option<BTreeMap<String, String>>, Option<String>);

fn without_time(record: &str) -> String {
    record.lines().filter(|line| !line.contains("installedAt")).collect()
}

/// Demands that a kill at each of `places` leaves a skill and a lock file that are as before or as after.
fn demand(places: &[&str], prepare: impl Fn(&Project), args: &[&str]) {
    let (before, after) = {
        let project = Project::new();
        prepare(&project);
        let before = project.state();
        project.sandbox.run(args).ends(0);
        (before, project.state())
    };
    assert_ne!(before, after);
    for place in places {
        let project = Project::new();
        prepare(&project);
        // The addresses of servers differ between projects.
        let localize = |(skill, lock): &State| {
            let localize = |text: &String| replace_url(text, &project.shop.registry.url());
            let skill =
                skill.as_ref().map(|files| files.iter().map(|(path, text)| (path.clone(), localize(text))).collect());
            (skill, lock.as_ref().map(localize)) as State
        };
        let (before, after) = (localize(&before), localize(&after));
        project.killed_at(place, args);
        let (skill, lock) = project.state();
        assert!(skill == before.0 || skill == after.0, "{place}: half of a skill: {skill:#?}");
        assert!(lock == before.1 || lock == after.1, "{place}: half of a lock file: {lock:?}");
        project.sandbox.run(args);
        assert_eq!(project.state(), after, "{place}: the next run does not complete it");
        assert_eq!(project.leftovers(), Vec::<String>::new(), "{place}");
    }
}

/// The text with every address on this machine replaced by `url`.
fn replace_url(text: &str, url: &str) -> String {
    let mut parts = text.split("http://127.0.0.1:");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(url);
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}

#[test]
fn a_first_installation_is_there_or_not() {
    demand(&PLACES[..10], |_| {}, &["install", "@team/checker"]);
}

#[test]
fn an_update_is_the_old_copy_or_the_new_one() {
    let prepare = |project: &Project| {
        project.sandbox.run(&["install", "@team/checker"]).ends(0);
        project.shop.publish(Skill::with("checker", "1.1.0", &[("references/more.md", "more")]));
    };
    demand(&PLACES[..10], prepare, &["update"]);
}

#[test]
fn a_restored_skill_is_there_or_not() {
    let prepare = |project: &Project| {
        project.sandbox.run(&["install", "@team/checker"]).ends(0);
        fs::remove_dir_all(project.sandbox.project().join(".agent")).unwrap();
    };
    demand(&["locked", "file-written", "files-written", "staged", "before-swap", "after-swap"], prepare, &["install"]);
}

#[test]
fn a_removal_is_done_or_not() {
    let prepare = |project: &Project| {
        project.sandbox.run(&["install", "@team/checker"]).ends(0);
    };
    for place in ["locked", "set-aside", "lock-file-written"] {
        let project = Project::new();
        prepare(&project);
        let before = project.state();
        project.killed_at(place, &["remove", "checker"]);
        let (skill, lock) = project.state();
        assert!(skill.is_none() || skill == before.0, "{place}: {skill:#?}");
        assert!(lock.is_some());
        project.sandbox.run(&["remove", "checker"]);
        assert_eq!(project.state().0, None, "{place}");
        assert!(!project.lock().unwrap().contains("checker"), "{place}");
        project.sandbox.run(&["install", "@team/checker"]).ends(0);
        assert_eq!(project.leftovers(), Vec::<String>::new(), "{place}");
    }
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    for place in ["file-written", "staged", "lock-file-staged"] {
        let project = Project::new();
        project.sandbox.run(&["install", "@team/checker"]).ends(0);
        project.shop.publish(Skill::new("checker", "1.1.0"));
        let before = tree(&project.sandbox.project());
        let mut command = project.sandbox.command(&["update"]);
        let output = command.env("SKILLHUB_INTERRUPT_POINT", place).output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{place}: {output:?}");
        assert_eq!(tree(&project.sandbox.project()), before, "{place}");
    }
}
