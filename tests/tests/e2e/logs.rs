//! No log line has a secret or a piece of a package in it, at any level.

use serde_json::{Value, json};
use skillhub_protocol::{DownloadResponse, UploadSession};

use crate::support::{Http, Registry, Skill};

#[test]
fn no_log_contains_a_token_a_presigned_query_or_package_content() {
    let registry = Registry::start();
    let http = registry.http();
    let canary = "canary-7f3a91";
    let good = Skill::new("quiet", canary);
    let session = UploadSession::from_json(http.open(&good.request()).text()).unwrap();
    let upload = session.upload.clone().unwrap();
    http.put(&upload, &good.archive());
    let published = http.verdict(&session).published.unwrap();
    let mut bad = Skill::new("loud", canary);
    bad.files[0].1 = format!("---\nname: loud\ndescription: {canary}: {canary}\n---\n").into_bytes();
    let mut manifest = bad.manifest();
    manifest["description"] = "x".into();
    http.publish(&crate::support::open_request(&manifest, &bad.archive()), &bad.archive());

    let path = format!("/api/skills/{}/versions/{}/download", published.skill_id, published.version_id);
    let download = DownloadResponse::from_json(http.get(&path).text()).unwrap().url;
    http.fetch(download.expose());
    http.fetch(&download.expose().replace("X-Amz-Expires=300", "X-Amz-Expires=301"));
    let stranger = format!("sk_{}", "Z9".repeat(22).split_at(43).0);
    let authorization = format!("Bearer {stranger}");
    http.send("GET", &format!("/api/skills?cursor={canary}"), &[], &[]);
    registry.anonymous().send("GET", "/api/whoami", &[("authorization", &authorization)], &[]);
    let run = registry.command().run(&["install", "quiet"]);
    assert_eq!(run.code, Some(0), "{run:?}");

    let token = registry.token();
    let (_, mut lines) = registry.interrupt();
    lines.extend([run.stdout, run.stderr]);
    assert!(lines.iter().any(|line| line.contains("/api/skills/{skillId}")), "the log is empty");
    let url = |secret: &skillhub_protocol::HttpsUrl| {
        secret.expose().split_once("X-Amz-Signature=").unwrap().1[..64].to_owned()
    };
    let secrets = [token, stranger, canary.to_owned(), "X-Amz-Signature".to_owned(), url(&download), url(&upload.url)];
    for line in &lines {
        for secret in &secrets {
            assert!(!line.contains(secret.as_str()), "{secret} stands in the log: {line}");
        }
    }
}

const WORD: &str = "canary-b81c44";
const MAIL: &str = "canary.person@mail.example";
/// Of the form of a JWT: header, claims with an address, signature.
const JWT: &str = "eyJhbGciOiJSUzI1NiJ9.eyJlbWFpbCI6ImNhbmFyeS5wZXJzb25AbWFpbC5leGFtcGxlIn0.Y2FuYXJ5LXNpZ25hdHVyZQ";

/// Sends canaries in every place of every route that the registry's own description names; says how many requests that was.
fn through_every_route(http: &Http) -> usize {
    let document = http.get("/openapi.json").json();
    let mut sent = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        let operations = operations.as_object().unwrap().keys();
        for method in operations.filter(|name| ["get", "put", "post", "patch", "delete"].contains(&name.as_str())) {
            for canary in [WORD, "canary.person%40mail.example"] {
                let parts = path.split('/').map(|part| if part.starts_with('{') { canary } else { part });
                let path = parts.collect::<Vec<_>>().join("/");
                let names =
                    ["q", "limit", "cursor", "scope", "organizationId", "namespace", "coordinate", "canonicalSlug"];
                let query = names.map(|name| format!("{name}={canary}")).join("&");
                let body = json!({
                    "reason": MAIL, "name": MAIL, "namespace": WORD, "kind": WORD, "role": MAIL, "scope": WORD, "scopes": [MAIL],
                    "version": WORD, "expiresAt": MAIL, "tags": [MAIL], "package": WORD, "manifest": { "name": MAIL },
                });
                let headers = [("idempotency-key", WORD), ("user-agent", MAIL), ("referer", WORD), ("cookie", MAIL)];
                let answer = http.send(
                    &method.to_uppercase(),
                    &format!("{path}?{query}"),
                    &headers,
                    body.to_string().as_bytes(),
                );
                assert!(answer.status < 500, "{method} {path}: {}", answer.text());
                sent += 1;
            }
        }
    }
    sent
}

/// What succeeds, with canaries wherever a text is free.
fn through_success(http: &Http) -> Vec<String> {
    let skill = Skill::new("cage", &format!("{WORD} {MAIL}"));
    let published = http.publish(&skill.request(), &skill.archive()).published.unwrap();
    let version = format!("/api/skills/{}/versions/{}", published.skill_id, published.version_id);
    let reason = json!({ "reason": format!("{MAIL} asked, {WORD}") }).to_string();
    let token = json!({ "name": MAIL, "scopes": ["read"] }).to_string();
    let requests = [
        ("POST", format!("{version}/yank"), reason.as_str(), 204),
        ("POST", format!("{version}/unyank"), reason.as_str(), 204),
        ("POST", String::from("/api/tokens"), token.as_str(), 201),
        ("GET", String::from("/api/tokens"), "", 200),
        ("GET", String::from("/api/namespaces/global/audit"), "", 200),
        ("GET", version.clone(), "", 200),
        ("GET", format!("{version}/download"), "", 200),
        ("GET", format!("/api/search?q={WORD}"), "", 200),
    ];
    let mut secrets = Vec::new();
    for (method, path, body, status) in requests {
        let answer = http.send(method, &path, &[], body.as_bytes());
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        let Ok(json) = serde_json::from_slice::<Value>(&answer.body) else { continue };
        secrets.extend(["token", "url"].iter().filter_map(|name| json[*name].as_str()).map(str::to_owned));
    }
    assert_eq!(secrets.len(), 2, "a token and a presigned URL");
    secrets
}

#[test]
fn canaries_sent_through_every_route_are_in_no_log() {
    let registry = Registry::start();
    let http = registry.http();
    let mut secrets = through_success(&http);
    let wrong = [WORD.to_owned(), JWT.to_owned(), format!("sk_{}", "C4".repeat(22).split_at(43).0)];
    let mut sent = through_every_route(&http);
    for token in &wrong {
        let body = json!({ "reason": MAIL }).to_string();
        for scheme in ["Bearer", "bearer", "Basic"] {
            let authorization = format!("{scheme} {token}");
            registry.anonymous().send("POST", "/api/tokens", &[("authorization", &authorization)], body.as_bytes());
            sent += 1;
        }
    }
    assert!(sent > 60, "{sent}");
    secrets.extend(wrong);
    secrets.extend([registry.token(), MAIL.to_owned(), String::from("X-Amz-"), String::from("Signature=")]);
    secrets.push(String::from("canary.person%40mail.example"));
    let (_, lines) = registry.interrupt();
    assert!(lines.len() >= sent, "every request has its line: {} {sent}", lines.len());
    for line in &lines {
        for secret in &secrets {
            assert!(!line.contains(secret.as_str()), "{secret} stands in the log: {line}");
        }
    }
}
