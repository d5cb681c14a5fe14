//! The command against the registry: what happens after a publication, who may do it, and what a project gets back.

use std::fs;

use serde_json::Value;

use crate::support::{Registry, Skill};

/// Runs the command, demands success, and gives what it printed.
macro_rules! ok {
    ($command:expr, $($arg:expr),+) => {{
        let args = [$($arg),+];
        let run = $command.run(&args);
        assert_eq!(run.code, Some(0), "{args:?}: {run:?}");
        run.stdout
    }};
}

/// Demands that it fails with this code and says this.
macro_rules! fails {
    ($command:expr, $code:expr, $said:expr, $($arg:expr),+) => {{
        let args = [$($arg),+];
        let run = $command.run(&args);
        assert_eq!(run.code, Some($code), "{args:?}: {run:?}");
        assert!(run.stderr.contains($said), "{args:?}: {run:?}");
        assert!(run.stderr.contains("hint"), "{args:?}: {run:?}");
    }};
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// Two versions of a skill in `@global`.
fn published(registry: &Registry) {
    for version in ["1.0.0", "1.1.0"] {
        let skill = Skill::new("walker", version).version(version);
        registry.http().publish(&skill.request(), &skill.archive());
    }
}

#[test]
fn versions_are_tagged_yanked_and_blocked() {
    let registry = Registry::start();
    published(&registry);
    let command = registry.command();
    assert!(ok!(command, "search", "walk").contains("@global/walker  1.1.0"));
    assert!(ok!(command, "info", "walker").contains("latest=1.1.0"));
    ok!(command, "tag", "set", "walker@1.0.0", "beta");
    assert_eq!(ok!(command, "tag", "list", "walker"), "latest  1.1.0\nbeta    1.0.0\n");
    fails!(command, 5, "[conflict]", "tag", "set", "walker@9.9.9", "beta");
    assert!(ok!(command, "install", "walker@beta").contains("walker@1.0.0"));

    ok!(command, "yank", "walker@1.1.0", "--reason", "breaks things");
    assert!(ok!(command, "install", "walker", "--claude").contains("walker@1.0.0"));
    assert!(ok!(command, "install", "walker@1.1.0", "--as", "exact").contains("walker@1.1.0"));
    let versions = ok!(command, "versions", "walker");
    assert!(versions.contains("1.1.0  yanked") && versions.contains("breaks things"), "{versions}");
    ok!(command, "unyank", "walker@1.1.0", "--reason", "it was not that");
    assert!(ok!(command, "update", "walker", "--claude").contains("walker@1.1.0"));

    ok!(command, "block", "walker@1.1.0", "--reason", "steals keys");
    fs::remove_dir_all(command.project().join("cache")).unwrap();
    let run = command.run(&["install", "walker@1.1.0", "--as", "blocked"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("[blocked]"), "{run:?}");
    let verified = command.run(&["verify", "exact", "--remote"]);
    assert_eq!(verified.code, Some(1), "{verified:?}");
    assert!(verified.stdout.contains("blocked @global/walker@1.1.0"), "{verified:?}");
    ok!(command, "tag", "remove", "walker", "beta");
    assert_eq!(ok!(command, "tag", "list", "walker"), "latest  1.0.0\n");
    let audit = json(&ok!(command, "audit", "@global", "--json"));
    let actions: Vec<_> = audit.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    for action in ["publish", "yank", "unyank", "block"] {
        assert!(actions.contains(&action), "{action}: {actions:?}");
    }
}

#[test]
fn namespaces_members_maintainers_and_tokens() {
    let registry = Registry::start();
    published(&registry);
    let command = registry.command();
    let me = json(&ok!(command, "whoami", "--json"));
    let handle = format!("@{}", me["handle"].as_str().unwrap());
    assert!(ok!(command, "namespace", "list").contains("@global"));
    ok!(command, "namespace", "create", "@crew");
    fails!(command, 5, "[conflict]", "namespace", "create", "@crew");
    assert_eq!(ok!(command, "namespace", "show", "@crew"), format!("{handle}  owner\n"));
    fails!(command, 1, "[not_found]", "namespace", "show", "@nobodys");
    fails!(command, 1, "[not_found]", "namespace", "add", "@crew", "nobody-here");
    fails!(command, 5, "[conflict]", "namespace", "remove", "@crew", handle.as_str());
    assert_eq!(ok!(command, "maintainer", "list", "walker"), format!("{handle}\n"));

    let made = json(&ok!(command, "token", "create", "ci", "--scope", "read", "--expires", "1", "--json"));
    let (token, id) = (made["token"].as_str().unwrap(), made["id"].as_str().unwrap());
    assert!(ok!(command, "token", "list").contains(id));
    let url = registry.local_json()["registry"].as_str().unwrap().to_owned();
    let login = command.run_remote(&["login", "--registry", &url, "--token", token]);
    assert_eq!(login.code, Some(0), "{login:?}");
    let denied = command.run_remote(&["namespace", "create", "@denied"]);
    assert_eq!(denied.code, Some(3), "{denied:?}");
    assert!(denied.stderr.contains("[forbidden]"), "{denied:?}");
    ok!(command, "token", "revoke", id);
    let revoked = command.run_remote(&["whoami"]);
    assert_eq!(revoked.code, Some(3), "{revoked:?}");
    assert!(revoked.stderr.contains("[unauthenticated]"), "{revoked:?}");
}

#[test]
fn a_project_gets_back_exactly_what_its_lock_file_names() {
    let registry = Registry::start();
    published(&registry);
    let command = registry.command();
    ok!(command, "install", "walker@1.0.0");
    ok!(command, "install", "walker", "--claude");
    let lock = fs::read_to_string(command.project().join("skillhub.lock")).unwrap();
    let wipe = || {
        fs::remove_dir_all(command.project().join(".agent")).unwrap();
        fs::remove_dir_all(command.project().join(".claude")).unwrap();
    };
    wipe();
    // From the registry, and from the cache.
    fs::remove_dir_all(command.project().join("cache")).unwrap();
    let told = ok!(command, "install", "--locked");
    assert!(told.contains("walker@1.0.0") && told.contains("walker@1.1.0"), "{told}");
    wipe();
    assert_eq!(ok!(command, "install"), told);
    assert_eq!(fs::read_to_string(command.project().join("skillhub.lock")).unwrap(), lock);
    assert_eq!(ok!(command, "verify", "--remote").matches("unchanged").count(), 2);
    assert!(ok!(command, "list", "--outdated").contains("walker@1.0.0  1.1.0"));
    assert!(ok!(command, "sync").contains("1 skill"));
    assert!(ok!(command, "read", "walker").contains("Base directory: "));
    ok!(command, "doctor");
    ok!(command, "remove", "walker");
    assert_eq!(ok!(command, "status"), "");
}

#[test]
fn a_publication_is_rehearsed_and_then_done() {
    let registry = Registry::start();
    let command = registry.command();
    Skill::new("dancer", "x").write_below(command.project());
    assert_eq!(ok!(command, "publish", "dancer", "--dry-run"), "would publish @global/dancer@0.1.0\n");
    assert!(registry.http().list(10).is_empty());
    let first = json(&ok!(command, "publish", "dancer", "--json"));
    let again = json(&ok!(command, "publish", "dancer", "--json"));
    assert_eq!(again["outcome"], "already_published");
    assert_eq!((&first["skillId"], &first["versionId"]), (&again["skillId"], &again["versionId"]));
    fails!(command, 3, "phase: open", "publish", "dancer", "--namespace", "@nobodys");
}
