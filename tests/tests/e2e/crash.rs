//! `kill -9` loses nothing that was acknowledged and leaves nothing half done.

use std::collections::BTreeMap;

use crate::support::{Registry, Skill};

const SKILLS: usize = 24;

#[test]
fn a_batch_that_a_crash_has_cut_is_whole_after_running_it_again() {
    // Early, in the middle and late: what is in flight differs each time.
    for published_before in [1, 9, 20] {
        let mut registry = Registry::start();
        let command = registry.command();
        for i in 0..SKILLS {
            Skill::new(&format!("skill-{i:02}"), &format!("content {i}"))
                .write_below(&command.project().join("skills"));
        }
        let mut batch = command.spawn(&["publish", "--all", "skills"]);
        for _ in 0..published_before {
            registry.wait_for_log("Decided(Published)");
        }
        let acknowledged: BTreeMap<_, _> = digests(&registry);
        registry = registry.crash_and_restart();
        batch.wait().unwrap();

        let after = digests(&registry);
        assert!(
            acknowledged.iter().all(|(slug, digest)| after.get(slug) == Some(digest)),
            "{acknowledged:?} {after:?}"
        );
        let again = command.run(&["publish", "--all", "skills"]);
        assert_eq!(again.code, Some(0), "{again:?}");
        let skills = registry.http().list(7);
        assert_eq!(skills.len(), SKILLS);
        for skill in &skills {
            assert_eq!(skill.current_version.version.as_str(), "0.1.0", "{skill:?}");
            let installed = command.run(&["install", skill.slug.as_str()]);
            assert_eq!(installed.code, Some(0), "{installed:?}");
        }
    }
}

fn digests(registry: &Registry) -> BTreeMap<String, String> {
    let skills = registry.http().list(100);
    skills.iter().map(|skill| (skill.slug.to_string(), skill.current_version.sha256.to_string())).collect()
}
