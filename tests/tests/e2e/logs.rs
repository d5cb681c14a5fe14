//! No log line has a secret or a piece of a package in it, at any level.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use skillhub_package::sha256;
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
                let names = [
                    "q",
                    "limit",
                    "cursor",
                    "scope",
                    "organizationId",
                    "namespace",
                    "coordinate",
                    "canonicalSlug",
                    "location",
                ];
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

/// The paths of the protocols of other people's clients, of which the registry has no description: as the sources give them to
/// routers.
fn other_protocols() -> BTreeSet<String> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../functions/compat/src");
    let files = ["clawhub", "discovery", "mcp"].map(|protocol| format!("{source}/{protocol}/mod.rs"));
    let texts = files.map(|file| std::fs::read_to_string(file).unwrap());
    let routes = texts.iter().flat_map(|text| text.split(".route(").skip(1)).map(|rest| rest.trim_start());
    routes.map(|rest| rest.strip_prefix('"').unwrap().split('"').next().unwrap().to_owned()).collect()
}

/// Sends canaries in every place of each of these paths, by every method that any of them has, with a good token and with one
/// that is a canary itself; says how many requests that was.
fn through_other_protocols(http: &Http, anonymous: &Http, wrong: &[String]) -> usize {
    let routes = other_protocols();
    assert!(routes.len() > 40, "{routes:?}");
    let names = ["slug", "ownerHandle", "version", "tag", "path", "hash", "q", "prefix", "mode", "location"];
    // Each of these ends a request before anything else of it is looked at.
    let early = ["limit", "cursor", "sort"];
    let body = json!({
        "slug": WORD, "displayName": MAIL, "changelog": MAIL, "ownerHandle": WORD, "version": WORD, "reason": MAIL, "tags": [MAIL],
        "path": MAIL, "size": 1, "sha256": WORD, "event": MAIL, "roots": [WORD],
        "files": [{ "path": WORD, "size": 1, "sha256": WORD, "uploadTicket": WORD }],
        "jsonrpc": "2.0", "id": WORD, "method": MAIL, "params": { "uri": WORD, "cursor": MAIL },
    });
    let (body, mut sent) = (body.to_string(), 0);
    for (path, method) in routes.iter().flat_map(|path| ["GET", "POST", "DELETE"].map(|method| (path, method))) {
        for (canary, names) in [(WORD, &names[..]), ("canary.person%40mail.example", &early[..])] {
            let filled = |part: &str| match part {
                "{owner}" => format!("@{canary}"),
                part if part.starts_with('{') => canary.to_owned(),
                part => part.to_owned(),
            };
            let path = path.split('/').map(filled).collect::<Vec<_>>().join("/");
            let query = names.iter().map(|name| format!("{name}={canary}")).collect::<Vec<_>>().join("&");
            let path = format!("{path}?{query}");
            let headers = [("user-agent", MAIL), ("referer", WORD), ("mcp-name", WORD), ("cookie", MAIL)];
            let authorization = format!("Bearer {}", wrong[sent % wrong.len()]);
            let refused = [&headers[..], &[("authorization", authorization.as_str())]].concat();
            for answer in [
                http.send(method, &path, &headers, body.as_bytes()),
                anonymous.send(method, &path, &refused, body.as_bytes()),
            ] {
                assert!(answer.status < 500, "{method} {path}: {}", answer.text());
                sent += 1;
            }
        }
    }
    sent
}

/// A form that is read to its end and then refused for the name of a file, which the answer repeats.
fn through_a_form(http: &Http) {
    let payload = json!({ "slug": "form", "version": "1.0.0", "changelog": MAIL });
    let skill = Skill::new("form", MAIL);
    let part = |head: &str, data: &str| format!("--b\r\nContent-Disposition: form-data; {head}\r\n\r\n{data}\r\n");
    let body = [
        part("name=\"payload\"", &payload.to_string()),
        part("name=\"files\"; filename=\"SKILL.md\"", std::str::from_utf8(&skill.files[0].1).unwrap()),
        part(&format!("name=\"files\"; filename=\"{WORD}.exe\""), MAIL),
        String::from("--b--\r\n"),
    ];
    let headers = [("content-type", "multipart/form-data; boundary=b")];
    let answer = http.send("POST", "/api/v1/skills", &headers, body.concat().as_bytes());
    assert_eq!((answer.status, answer.text().contains(WORD)), (422, true), "{}", answer.text());
}

/// Publishes file by file, as `clawhub` does, and gives the tickets: whoever has one and its maker's token can upload with it.
fn by_tickets(http: &Http, skill: &Skill) -> Vec<String> {
    let (mut files, mut tickets) = (Vec::new(), Vec::new());
    for (path, data) in &skill.files {
        let mut file =
            json!({ "path": path, "size": data.len(), "sha256": sha256(data).to_string(), "contentType": MAIL });
        let opened = http.send("POST", "/api/v1/skills/-/upload-url", &[], file.to_string().as_bytes()).json();
        let url = opened["uploadUrl"].as_str().unwrap();
        let uploaded = http.send("POST", &url[url.find("/api/").unwrap()..], &[], data);
        assert_eq!(uploaded.status, 200, "{}", uploaded.text());
        file["storageId"] = uploaded.json()["storageId"].clone();
        file["uploadTicket"] = opened["uploadTicket"].clone();
        tickets.push(opened["uploadTicket"].as_str().unwrap().to_owned());
        files.push(file);
    }
    let payload = json!({
        "slug": skill.name, "displayName": MAIL, "version": skill.version, "changelog": WORD, "acceptLicenseTerms": true,
        "tags": ["latest"], "files": files,
    });
    let answer = http.send("POST", "/api/v1/skills", &[], payload.to_string().as_bytes());
    assert_eq!((answer.status, &answer.json()["publicationStatus"]), (200, &json!("published")), "{}", answer.text());
    tickets
}

/// What succeeds by the protocols of others, with canaries wherever a text is free.
fn through_their_success(http: &Http) -> Vec<String> {
    let mut secrets = by_tickets(http, &Skill::new("chest", &format!("{WORD} {MAIL}")));
    let reason = json!({ "reason": format!("{MAIL} asked, {WORD}") }).to_string();
    let event = json!({ "event": "install", "slug": WORD, "label": MAIL }).to_string();
    let message = |method: &str| {
        let params = json!({ "uri": "skill://global/chest/SKILL.md", "_meta": { "progressToken": MAIL } });
        json!({ "jsonrpc": "2.0", "id": WORD, "method": method, "params": params }).to_string()
    };
    let (read, list) = (message("resources/read"), message("skills/list"));
    for (method, path, body, status) in [
        ("GET", "/api/v1/whoami", "", 200),
        ("GET", "/api/v1/search?q=chest", "", 200),
        ("GET", "/api/v1/skills/chest", "", 200),
        ("GET", "/api/v1/skills/chest/file?path=SKILL.md", "", 200),
        ("GET", "/api/v1/download?slug=chest", "", 302),
        ("DELETE", "/api/v1/skills/chest/versions/1.0.0", reason.as_str(), 200),
        ("POST", "/api/v1/skills/chest/versions/1.0.0/restore", reason.as_str(), 200),
        ("DELETE", "/api/v1/skills/chest", reason.as_str(), 200),
        ("POST", "/api/v1/skills/chest/undelete", reason.as_str(), 200),
        ("POST", "/api/v1/stars/chest", reason.as_str(), 200),
        ("POST", "/api/cli/telemetry/install", event.as_str(), 200),
        ("GET", "/@global/chest/.well-known/agent-skills/index.json", "", 200),
        ("GET", "/@global/chest/.well-known/agent-skills/chest@1.0.0.zip", "", 302),
        ("GET", "/@global/chest/.well-known/skills/chest/SKILL.md", "", 200),
        ("POST", "/mcp", read.as_str(), 200),
        ("POST", "/mcp", list.as_str(), 200),
    ] {
        let answer = http.send(method, path, &[], body.as_bytes());
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        secrets.extend(answer.headers.get("location").cloned());
    }
    assert_eq!(secrets.len(), 3 + 2, "a ticket for each file, and two presigned URLs");
    secrets
}

#[test]
fn canaries_sent_through_every_route_are_in_no_log() {
    let registry = Registry::start();
    let http = registry.http();
    let mut secrets = through_success(&http);
    secrets.extend(through_their_success(&http));
    through_a_form(&http);
    let wrong = [WORD.to_owned(), JWT.to_owned(), format!("sk_{}", "C4".repeat(22).split_at(43).0)];
    let mut sent = through_every_route(&http);
    sent += through_other_protocols(&http, &registry.anonymous(), &wrong);
    for token in &wrong {
        let body = json!({ "reason": MAIL }).to_string();
        for scheme in ["Bearer", "bearer", "Basic"] {
            let authorization = format!("{scheme} {token}");
            registry.anonymous().send("POST", "/api/tokens", &[("authorization", &authorization)], body.as_bytes());
            sent += 1;
        }
    }
    assert!(sent > 500, "{sent}");
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
