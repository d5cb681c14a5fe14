//! Which skill and which version a name means, in every spelling that clients have.

use serde_json::Value;
use skillhub_package::sha256;
use skillhub_protocol::Sha256;
use skillhub_tests::in_process::InProcess;
use skillhub_tests::skill::Skill;

use crate::support::{publish_in, send, text};

/// `hello` with three versions in `@global`, and one skill of that name in an organization and in the owner's own namespace.
async fn shelf() -> InProcess {
    let registry = InProcess::start().await;
    registry.found_namespace(&registry.owner, "@team", "organization").await;
    for (version, tags) in [("1.0.0", &["old"][..]), ("1.2.0", &[]), ("1.3.0", &[])] {
        publish_in(&registry, "@global", &Skill::new("hello", version).version(version), tags).await;
    }
    publish_in(&registry, "@team", &Skill::new("hello", "team").version("7.0.0"), &[]).await;
    publish_in(&registry, "@owner", &Skill::new("own", "own").version("8.0.0"), &[]).await;
    publish_in(&registry, "@global", &Skill::new("shared", "shared").version("9.0.0"), &[]).await;
    registry
}

#[tokio::test]
async fn a_name_means_one_skill_and_version_in_every_spelling() {
    let registry = shelf().await;
    // What is asked for, the slug that the client shall ask with from then on, and the latest version that it is told.
    let cases = [
        ("hello", "hello", "1.3.0"),
        ("Hello", "hello", "1.3.0"),
        ("hello%401.2.0", "hello@1.2.0", "1.2.0"),
        ("hello@1.2.0", "hello@1.2.0", "1.2.0"),
        ("hello%40old", "hello@old", "1.0.0"),
        ("hello%40latest", "hello", "1.3.0"),
        ("team--hello", "team--hello", "7.0.0"),
        ("team--hello%407.0.0", "team--hello@7.0.0", "7.0.0"),
        ("%40team%2Fhello", "team--hello", "7.0.0"),
        ("hello?ownerHandle=team", "hello", "7.0.0"),
        ("hello?ownerHandle=%40Team", "hello", "7.0.0"),
        ("hello?ownerHandle=global", "hello", "1.3.0"),
        ("hello?ownerHandle=", "hello", "1.3.0"),
        ("team--hello?ownerHandle=team", "team--hello", "7.0.0"),
        // The caller's own handle says nothing, but where the caller has such a skill.
        ("shared?ownerHandle=owner", "shared", "9.0.0"),
        ("team--hello?ownerHandle=owner", "team--hello", "7.0.0"),
        ("own?ownerHandle=owner", "own", "8.0.0"),
        ("owner--own?ownerHandle=owner", "owner--own", "8.0.0"),
    ];
    for (asked, spelling, version) in cases {
        let answer =
            send(&registry, Some(&registry.owner), "GET", &format!("/api/v1/skills/{asked}"), &Value::Null).await;
        assert_eq!(answer.status, 200, "{asked}: {answer:?}");
        let json = answer.json();
        let told = (json["skill"]["slug"].as_str(), json["latestVersion"]["version"].as_str());
        assert_eq!(told, (Some(spelling), Some(version)), "{asked}");
    }
    for (asked, status) in [
        ("own", 404),
        ("hello%409.9.9", 404),
        ("hello%40none", 404),
        ("hello?ownerHandle=nobody", 404),
        ("hello?ownerHandle=../x", 404),
        ("team--hello?ownerHandle=global", 400),
        ("global--hello", 404),
        ("a--b--c", 404),
    ] {
        let answer =
            send(&registry, Some(&registry.owner), "GET", &format!("/api/v1/skills/{asked}"), &Value::Null).await;
        assert_eq!(answer.status, status, "{asked}: {answer:?}");
        assert!(status == 400 || text(&answer) == "Skill not found", "{asked}: {answer:?}");
    }
}

/// As clients compute it; these paths are in the order of every language.
fn fingerprint(skill: &Skill) -> Sha256 {
    let mut files: Vec<_> = skill.files.iter().collect();
    files.sort_by_key(|(path, _)| path.to_lowercase());
    let lines: Vec<_> = files.iter().map(|(path, data)| format!("{path}:{}", sha256(data))).collect();
    sha256(lines.join("\n").as_bytes())
}

#[tokio::test]
async fn a_content_is_known_again_and_a_pin_holds() {
    let registry = shelf().await;
    // The same content under two numbers.
    publish_in(&registry, "@global", &Skill::new("twice", "x").version("2.0.0"), &[]).await;
    publish_in(&registry, "@global", &Skill::new("twice", "x").version("1.0.0"), &[]).await;
    let [one, two, three] = ["1.0.0", "1.2.0", "1.3.0"].map(|v| fingerprint(&Skill::new("hello", v)));
    let twice = fingerprint(&Skill::new("twice", "x"));
    let edited = sha256(b"edited");
    let cases = [
        ("hello", one, Some("1.0.0"), "1.3.0"),
        ("hello", three, Some("1.3.0"), "1.3.0"),
        ("hello", edited, None, "1.3.0"),
        ("hello@1.2.0", two, Some("1.2.0"), "1.2.0"),
        ("hello@1.2.0", edited, None, "1.2.0"),
        ("hello@old", one, Some("1.0.0"), "1.0.0"),
        ("team--hello", one, None, "7.0.0"),
        ("twice", twice, Some("2.0.0"), "2.0.0"),
        ("twice@1.0.0", twice, Some("1.0.0"), "1.0.0"),
    ];
    for (slug, hash, matched, latest) in cases {
        let path = format!("/api/v1/resolve?slug={}&hash={hash}", slug.replace('@', "%40"));
        let json = send(&registry, Some(&registry.owner), "GET", &path, &Value::Null).await.json();
        assert_eq!(json["match"]["version"].as_str(), matched, "{slug}: {json}");
        assert_eq!(json["match"].is_null(), matched.is_none(), "{slug}: {json}");
        assert_eq!(json["latestVersion"]["version"], latest, "{slug}");
    }
    registry.settled().await;
}

#[tokio::test]
async fn a_download_leads_to_the_artifact_of_the_version_that_was_named() {
    let registry = shelf().await;
    let team = Some(&registry.owner);
    for (query, expected) in [
        ("slug=hello", Ok("hello-1.3.0.zip")),
        ("slug=hello&version=1.2.0", Ok("hello-1.2.0.zip")),
        ("slug=hello&version=v1.2.0", Ok("hello-1.2.0.zip")),
        ("slug=hello&tag=old", Ok("hello-1.0.0.zip")),
        ("slug=hello%401.2.0&version=1.2.0", Ok("hello-1.2.0.zip")),
        ("slug=hello%40old&version=1.0.0", Ok("hello-1.0.0.zip")),
        ("slug=hello&ownerHandle=team&version=7.0.0", Ok("hello-7.0.0.zip")),
        ("slug=hello&owner=team", Ok("hello-7.0.0.zip")),
        ("slug=team--hello&ownerHandle=team&version=7.0.0", Ok("hello-7.0.0.zip")),
        ("slug=hello%401.2.0&version=1.3.0", Err(400)),
        ("slug=hello&version=9.9.9", Err(404)),
        ("slug=hello&version=nonsense", Err(404)),
    ] {
        let answer = send(&registry, team, "GET", &format!("/api/v1/download?{query}"), &Value::Null).await;
        match expected {
            Ok(name) => {
                assert_eq!(answer.status, 302, "{query}: {answer:?}");
                let location = &answer.headers["location"];
                assert!(location.starts_with("https://") && location.contains(name), "{query}: {location}");
                assert_eq!(answer.headers["cache-control"], "no-store");
            }
            Err(status) => assert_eq!(answer.status, status, "{query}: {answer:?}"),
        }
    }
    for (query, expected) in [
        ("path=SKILL.md", "Says 1.3.0 when asked"),
        ("path=SKILL.md&version=1.2.0", "Says 1.2.0 when asked"),
        ("path=scripts/say.sh&tag=old", "echo 1.0.0"),
        ("path=SKILL.md&ownerHandle=team", "Says team when asked"),
    ] {
        let answer = send(&registry, team, "GET", &format!("/api/v1/skills/hello/file?{query}"), &Value::Null).await;
        assert!(answer.status == 200 && text(&answer).contains(expected), "{query}: {answer:?}");
    }
}
