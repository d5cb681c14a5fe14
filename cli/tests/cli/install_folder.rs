//! What installing does to the folder that holds skills.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Answers, Ran, Sandbox, Server, Shop, Skill, Tls, tree};

/// A registry that offers one version, and a project.
struct Offer {
    sandbox: Sandbox,
    registry: Server,
    store: Server,
    ca: String,
}

impl Offer {
    fn new(skill: &Skill) -> Self {
        let tls = Tls::new();
        let sandbox = Sandbox::new();
        let ca = sandbox.write("../ca.pem", &tls.ca_pem).to_str().unwrap().to_owned();
        let (registry, store) = Answers::of(skill).serve(&tls);
        Self { sandbox, registry, store, ca }
    }

    fn install(&self, args: &[&str]) -> Ran {
        let url = self.registry.url();
        self.sandbox.run(&[&["install", "@team/checker", "--registry", &url, "--ca", &self.ca], args].concat())
    }

    fn folder(&self) -> PathBuf {
        self.sandbox.project().join(".agent/skills")
    }

    fn skill(&self) -> PathBuf {
        self.folder().join("checker")
    }
}

#[test]
fn a_skill_is_installed_with_its_record_and_installed_once() {
    let skill = Skill::new("checker", "1.0.0");
    let offer = Offer::new(&skill);
    let ran = offer.install(&[]).ends(0);
    assert_eq!(ran.stdout, format!("installed @team/checker@1.0.0 in {}\n", offer.skill().display()));
    let files = tree(&offer.skill());
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            ".astron/",
            ".astron/manifest.json",
            ".astron/metadata.json",
            "SKILL.md",
            "references/",
            "references/notes.md",
            "scripts/",
            "scripts/run.sh",
        ]
    );
    let record: Value = serde_json::from_str(&files[".astron/metadata.json"]).unwrap();
    assert_eq!(record["registryUrl"], offer.registry.url());
    assert_eq!(record["sha256"], skillhub_package::sha256(&skill.archive).to_string());
    assert_eq!(record["installedAt"].as_str().unwrap().len(), "2026-03-11T10:00:00Z".len());
    assert_eq!(
        files[".astron/manifest.json"].parse::<Value>().unwrap(),
        serde_json::to_value(&skill.manifest).unwrap()
    );

    let ran = offer.install(&["--json"]).ends(0);
    assert_eq!(ran.json()[0]["outcome"], "already_installed");
    assert_eq!(offer.store.requests().len(), 1, "nothing is downloaded again");
    assert_eq!(tree(&offer.skill()), files);
}

#[cfg(unix)]
#[test]
fn scripts_may_be_run_and_nothing_else() {
    use std::os::unix::fs::PermissionsExt;
    let offer = Offer::new(&Skill::new("checker", "1.0.0"));
    offer.install(&[]).ends(0);
    for (path, mode) in
        [("", 0o755), ("scripts", 0o755), ("scripts/run.sh", 0o755), ("SKILL.md", 0o644), (".astron", 0o755)]
    {
        let metadata = fs::metadata(offer.skill().join(path)).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o7777, mode, "{path:?}");
    }
}

#[test]
fn the_four_folders_and_any_other() {
    let offer = Offer::new(&Skill::new("checker", "1.0.0"));
    let (project, home) = (offer.sandbox.project(), offer.sandbox.home());
    for (args, folder) in [
        (vec!["--global"], home.join(".agent/skills")),
        (vec!["--claude"], project.join(".claude/skills")),
        (vec!["--global", "--claude"], home.join(".claude/skills")),
        (vec!["--dir", "else/where"], project.join("else/where")),
    ] {
        offer.install(&args).ends(0);
        assert!(folder.join("checker/SKILL.md").is_file(), "{args:?}");
    }
    offer.install(&["--as", "my-checker"]).ends(0);
    assert!(offer.folder().join("my-checker/SKILL.md").is_file());
    offer.install(&["--as", "../x"]).ends(2);
    offer.install(&["@team/other", "--as", "x"]).ends(2).says(&["`--as` names one folder"]);
}

#[test]
fn an_update_replaces_all_of_the_old_copy() {
    let offer = Offer::new(&Skill::new("checker", "1.1.0"));
    offer.install(&[]).ends(0);
    // As if an older version with one more file had been installed.
    let manifest = fs::read_to_string(offer.skill().join(".astron/manifest.json")).unwrap();
    let mut manifest: Value = manifest.parse().unwrap();
    let entry = |text: &str| serde_json::json!({"path": "old.md", "sizeBytes": text.len(), "sha256": skillhub_package::sha256(text.as_bytes())});
    manifest["files"].as_array_mut().unwrap().insert(1, entry("old"));
    offer.sandbox.write(".agent/skills/checker/.astron/manifest.json", manifest.to_string());
    offer.sandbox.write(".agent/skills/checker/old.md", "old");
    let record = fs::read_to_string(offer.skill().join(".astron/metadata.json")).unwrap();
    offer.sandbox.write(".agent/skills/checker/.astron/metadata.json", record.replace("1.1.0", "1.0.0"));
    offer.install(&[]).ends(0);
    assert!(!offer.skill().join("old.md").exists());
}

#[test]
fn local_changes_are_not_lost_by_accident() {
    let offer = Offer::new(&Skill::new("checker", "1.0.0"));
    offer.install(&[]).ends(0);
    let fresh = tree(&offer.skill());
    offer.sandbox.write(".agent/skills/checker/SKILL.md", "mine");
    offer.sandbox.write(".agent/skills/checker/references/mine.md", "mine");
    fs::remove_file(offer.skill().join("scripts/run.sh")).unwrap();
    let edited = tree(&offer.skill());
    offer.install(&[]).ends(5).says(&[
        "[local_changes]",
        "modified: SKILL.md",
        "deleted:  scripts/run.sh",
        "added:    references/mine.md",
        "--force",
    ]);
    assert_eq!(tree(&offer.skill()), edited);
    offer.install(&["--force"]).ends(0);
    let mut after = tree(&offer.skill());
    after.insert(String::from(".astron/metadata.json"), fresh[".astron/metadata.json"].clone());
    assert_eq!(after, fresh);

    fs::remove_file(offer.skill().join(".astron/manifest.json")).unwrap();
    offer.install(&[]).ends(5).says(&["[local_changes]", "manifest.json is missing"]);
}

#[test]
fn what_others_put_there_is_never_overwritten() {
    let offer = Offer::new(&Skill::new("checker", "1.0.0"));
    offer.sandbox.write(".agent/skills/checker/SKILL.md", "by hand");
    for args in [&[][..], &["--force"]] {
        offer.install(args).ends(5).says(&["[directory_conflict]", "did not install", "--as NAME", "--dir D"]);
    }
    assert_eq!(tree(&offer.skill()).len(), 1);
}

#[test]
fn the_same_slug_of_another_namespace_is_a_conflict() {
    let offer = Offer::new(&Skill::new("checker", "1.0.0"));
    offer.install(&[]).ends(0);
    let record = fs::read_to_string(offer.skill().join(".astron/metadata.json")).unwrap();
    offer.sandbox.write(".agent/skills/checker/.astron/metadata.json", record.replace("@team", "@other-team"));
    let before = tree(&offer.skill());
    for args in [&[][..], &["--force"]] {
        offer.install(args).ends(5).says(&[
            "[directory_conflict]",
            "installed: @other-team/checker@1.0.0 from http",
            "wanted:    @team/checker@1.0.0 from http",
            "`--as team-checker`",
            "`--dir D`",
        ]);
    }
    assert_eq!(tree(&offer.skill()), before);
    offer.install(&["--as", "team-checker"]).ends(0);
}

#[test]
fn the_cache_is_verified_on_use_and_nobody_elses_to_read() {
    let skill = Skill::new("checker", "1.0.0");
    let offer = Offer::new(&skill);
    offer.install(&[]).ends(0);
    let cache = offer.sandbox.home().join(".cache/skillhub/packages");
    let cached = cache.join(format!("{}.zip", skill.digest));
    assert_eq!(fs::read(&cached).unwrap(), skill.archive);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&cache).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(&cached).unwrap().permissions().mode() & 0o777, 0o600);
    }
    fs::remove_dir_all(offer.skill()).unwrap();
    offer.install(&[]).ends(0);
    assert_eq!(offer.store.requests().len(), 1, "it came out of the cache");
    let fresh = tree(&offer.skill());

    fs::write(&cached, "spoiled").unwrap();
    fs::remove_dir_all(offer.skill()).unwrap();
    offer.install(&[]).ends(0);
    assert_eq!(offer.store.requests().len(), 2, "what is spoiled is downloaded again");
    assert_eq!(fs::read(&cached).unwrap(), skill.archive);
    assert_eq!(tree(&offer.skill())["SKILL.md"], fresh["SKILL.md"]);
}

#[test]
fn many_skills_at_once_into_one_folder_and_one_lock_file() {
    let sandbox = Sandbox::new();
    let shop = Shop::open(&sandbox);
    shop.sign_in(&sandbox);
    let coordinates: Vec<String> = (10..40).map(|i| format!("@team/skill-{i}")).collect();
    (10..40).for_each(|i| shop.publish(Skill::new(&format!("skill-{i}"), "1.0.0")));
    let mut args = vec!["install"];
    args.extend(coordinates.iter().map(String::as_str));
    let ran = sandbox.run(&args).ends(0);
    let told: Vec<&str> = ran.stdout.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(told, coordinates.iter().map(|coordinate| format!("{coordinate}@1.0.0")).collect::<Vec<_>>());
    let lock = fs::read_to_string(sandbox.project().join("skillhub.lock")).unwrap();
    assert_eq!(lock.matches("[[skill]]").count(), 30, "{lock}");

    // Processes that change the same lock file do not lose each other's lines.
    fs::remove_dir_all(sandbox.project().join(".agent")).unwrap();
    fs::remove_file(sandbox.project().join("skillhub.lock")).unwrap();
    let start = |(i, coordinate): (usize, &String)| {
        let target = ["agent", "claude", "agents"][i % 3];
        let mut command = sandbox.command(&["install", coordinate, "--target", target]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = coordinates.iter().take(9).enumerate().map(start).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let lock = fs::read_to_string(sandbox.project().join("skillhub.lock")).unwrap();
    assert_eq!(lock.matches("[[skill]]").count(), 9, "{lock}");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let offer = Offer::new(&Skill::new("checker", "1.0.0"));
    let (project, secret) = (offer.sandbox.project(), offer.sandbox.home().join("secret"));
    fs::create_dir(&secret).unwrap();

    fs::create_dir_all(offer.folder()).unwrap();
    symlink(&secret, offer.skill()).unwrap();
    offer.install(&["--force"]).ends(5).says(&["[directory_conflict]", "a link"]);
    fs::remove_dir_all(project.join(".agent")).unwrap();

    symlink(&secret, project.join(".agent")).unwrap();
    offer.install(&[]).ends(5).says(&["[directory_conflict]", ".agent is a link", "--dir"]);
    fs::remove_file(project.join(".agent")).unwrap();

    fs::create_dir_all(offer.folder()).unwrap();
    symlink(secret.join("made"), offer.folder().join(".skillhub-lock")).unwrap();
    offer.install(&[]).ends(1).says(&[".skillhub-lock is a link"]);
    fs::remove_file(offer.folder().join(".skillhub-lock")).unwrap();

    symlink(secret.join("made"), project.join("skillhub.lock")).unwrap();
    offer.install(&[]).ends(1).says(&["skillhub.lock: it is a link"]);
    assert!(!offer.skill().exists());
    fs::remove_file(project.join("skillhub.lock")).unwrap();
    symlink(secret.join("made"), project.join(".skillhub.lock.new")).unwrap();
    offer.install(&[]).ends(0);
    assert!(tree(&secret).is_empty());
}

#[test]
fn what_a_killed_installation_left_is_repaired() {
    let offer = Offer::new(&Skill::new("checker", "1.0.0"));
    offer.install(&[]).ends(0);
    let complete = tree(&offer.folder());
    offer.sandbox.write(".agent/skills/.skillhub-staging-x1/SKILL.md", "half");
    fs::rename(offer.skill(), offer.folder().join(".skillhub-old-checker")).unwrap();
    let ran = offer.install(&[]).ends(0);
    assert!(ran.stdout.starts_with("already installed"), "the old copy came back: {}", ran.stdout);
    assert_eq!(tree(&offer.folder()), complete);

    offer.sandbox.write(".agent/skills/.skillhub-old-checker/SKILL.md", "older");
    offer.install(&[]).ends(0);
    assert_eq!(tree(&offer.folder()), complete);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_keeps_its_old_copy() {
    let offer = Offer::new(&Skill::new("checker", "1.0.0"));
    offer.install(&[]).ends(0);
    offer.sandbox.write(".agent/skills/checker/SKILL.md", "mine");
    let before = tree(&offer.folder());
    // The shell's limit on file sizes stands for a full disk: it holds for every user.
    let url = offer.registry.url();
    let script = format!(
        "ulimit -f 0; trap '' XFSZ; exec {} install @team/checker --force --registry {url} --ca {}",
        env!("CARGO_BIN_EXE_skillhub"),
        offer.ca
    );
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]).current_dir(offer.sandbox.project()).env("HOME", offer.sandbox.home());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to"), "{output:?}");
    assert_eq!(tree(&offer.folder()), before);
}

#[test]
fn installations_into_one_folder_wait_for_each_other() {
    let offer = Offer::new(&Skill::new("checker", "1.0.0"));
    let url = offer.registry.url();
    let args = ["install", "@team/checker", "--registry", &url, "--ca", &offer.ca];
    let start = |_| offer.sandbox.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let children: Vec<_> = (0..6).map(start).collect();
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    assert_eq!(offer.store.requests().len(), 1, "the others found it installed");
}
