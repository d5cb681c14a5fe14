//! Listing what is installed and what the registry has.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Response, Sandbox, Server};

fn skill(id: char, namespace: &str, slug: &str, description: &str) -> Value {
    let id = id.to_string().repeat(24);
    json!({
        "id": format!("c{id}"), "namespace": namespace, "slug": slug, "name": slug, "description": description,
        "scope": "public", "organizationId": null, "currentVersion": {
            "id": "v1", "version": "1.0.0", "sha256": "a".repeat(64), "sizeBytes": 9, "publishedAt": "2026-07-23T00:05:00.000Z",
        },
    })
}

#[test]
fn all_pages_of_the_registry_are_listed() {
    let sandbox = Sandbox::new();
    let cursor = format!("c{}", "a".repeat(24));
    let expected = format!("/api/skills?limit=100&cursor={cursor}");
    let server = Server::plain(move |request| {
        let page = match request.target.as_str() {
            "/api/skills?limit=100" => {
                json!({"schemaVersion": 1, "skills": [skill('a', "@global", "first", "One.")], "nextCursor": cursor})
            }
            target => {
                assert_eq!(target, expected);
                json!({"schemaVersion": 1, "skills": [skill('b', "@team", "second", "T\u{202e}wo \u{1b}[2J")], "nextCursor": null})
            }
        };
        Response::json(200, &page)
    });
    let ran = sandbox.run(&["list", "--remote", "--registry", &server.url()]).ends(0).says(&["2 skills"]);
    assert_eq!(ran.stdout, "@global/first  1.0.0  One.\n@team/second   1.0.0  T\\u{202e}wo \\u{1b}[2J\n");
    let ran = sandbox.run(&["list", "--remote", "--json", "--quiet", "--registry", &server.url()]).ends(0);
    assert_eq!(ran.json()[1]["description"], "T\u{202e}wo \u{1b}[2J");
    assert!(!ran.stdout.contains('\u{202e}'));
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_list_that_does_not_end_is_refused() {
    let sandbox = Sandbox::new();
    let cursor = format!("c{}", "a".repeat(24));
    let server =
        Server::plain(move |_| Response::json(200, &json!({"schemaVersion": 1, "skills": [], "nextCursor": cursor})));
    sandbox.run(&["list", "--remote", "--registry", &server.url()]).ends(1).says(&["does not end"]);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn installed_skills_are_listed_in_the_order_in_which_clients_look() {
    let sandbox = Sandbox::new();
    let skill_md = |name: &str| format!("---\nname: {name}\ndescription: Does {name}.\n---\n");
    sandbox.write(".claude/skills/beta/SKILL.md", skill_md("beta"));
    sandbox.write("../home/.agent/skills/beta/SKILL.md", skill_md("beta"));
    sandbox.write(".agent/skills/zeta/SKILL.md", "no frontmatter");
    sandbox.write(".agent/skills/alpha/SKILL.md", skill_md("alpha"));
    sandbox.write(".agent/skills/.hidden/SKILL.md", skill_md("hidden"));
    sandbox.write(".agent/skills/not-a-skill/README.md", "");
    let record = json!({
        "source": "skillhub", "sourceType": "registry", "registryUrl": "https://skills.example.com", "namespace": "@team",
        "skillSlug": "alpha", "version": "1.2.0", "installedAt": "2026-03-11T10:00:00Z", "sha256": "a".repeat(64),
    });
    sandbox.write(".agent/skills/alpha/.astron/metadata.json", record.to_string());
    let ran = sandbox.run(&["list"]).ends(0).says(&["warning: ", "zeta", "4 skills"]);
    let lines: Vec<Vec<&str>> =
        ran.stdout.lines().map(|line| line.split("  ").filter(|s| !s.is_empty()).collect()).collect();
    let trimmed: Vec<Vec<&str>> = lines.iter().map(|line| line.iter().map(|cell| cell.trim()).collect()).collect();
    assert_eq!(
        trimmed,
        [
            vec!["alpha", "@team/alpha@1.2.0", "project", "Does alpha."],
            vec!["zeta", "-", "project"],
            vec!["beta", "-", "global", "Does beta."],
            vec!["beta", "-", "project, shadowed", "Does beta."],
        ]
    );
    fs::write(sandbox.project().join(".agent/skills/alpha/.astron/metadata.json"), "{").unwrap();
    sandbox.run(&["list"]).ends(0).says(&["metadata.json"]);
}
