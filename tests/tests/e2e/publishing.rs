//! Publishing: what gets in, what does not, and that nothing changes afterwards.

use serde_json::{Value, json};
use skillhub_protocol::{UploadSession, UploadState};

use crate::support::{Http, Registry, Skill, archive_of, open_request};

#[test]
fn a_published_version_never_changes() {
    let mut registry = Registry::start();
    let http = registry.http();
    let skill = Skill::new("constant", "one");
    let session = UploadSession::from_json(http.open(&skill.request()).text()).unwrap();
    let upload = session.upload.clone().unwrap();
    assert_eq!(http.put(&upload, &skill.archive()).status, 200);
    let published = http.verdict(&session).published.unwrap();

    registry.wait_for_log("Decided(Published)");
    // The same URL, once staging is free again: stored, seen by the validator, removed, and nothing else.
    assert_eq!(http.put(&upload, &skill.archive()).status, 200);
    registry.wait_for_log("Ended(Published)");
    assert_eq!(http.verdict(&session).published.as_ref(), Some(&published));
    assert_eq!(http.put(&upload, b"other bytes of another length").status, 403);

    // The same content is success with the same ids, other content a conflict.
    let again = http.open(&skill.request());
    assert_eq!(again.status, 200);
    assert_eq!(UploadSession::from_json(again.text()).unwrap().published.as_ref(), Some(&published));
    let other = Skill::new("constant", "two");
    let refused = http.open(&other.request());
    assert_eq!((refused.status, refused.problem().as_str()), (409, "version_exists"));

    // Another version moves the current one, an older number does not.
    for (version, current) in [("2.0.0", "2.0.0"), ("1.0.1", "2.0.0"), ("3.0.0-rc.1", "2.0.0")] {
        let skill = Skill::new("constant", version).version(version);
        assert_eq!(http.publish(&skill.request(), &skill.archive()).state, UploadState::Published);
        assert_eq!(http.list(10)[0].current_version.version.as_str(), current);
    }
    let digest = http.get("/api/resolve?coordinate=constant@1.0.0").json()["sha256"].clone();
    assert_eq!(digest, published.artifact_sha256.to_string());
}

#[test]
fn the_store_refuses_a_second_upload_while_the_first_is_there() {
    let registry = Registry::start();
    let http = registry.http();
    // Both are sent at once: whichever comes second meets either the first's bytes (412) or a place that is free again.
    let skill = Skill::new("raced", "x");
    let session = UploadSession::from_json(http.open(&skill.request()).text()).unwrap();
    let upload = session.upload.clone().unwrap();
    let archive = skill.archive();
    let statuses: Vec<_> = std::thread::scope(|scope| {
        let put = || http.put(&upload, &archive).status;
        let racers: Vec<_> = (0..4).map(|_| scope.spawn(put)).collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).collect()
    });
    assert!(statuses.contains(&200), "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 412].contains(status)), "{statuses:?}");
    assert_eq!(http.verdict(&session).state, UploadState::Published);
    assert_eq!(http.list(10).len(), 1);
}

/// A package that must not get in: its request, its bytes, and the finding that says why.
struct Bad {
    slug: &'static str,
    request: Value,
    archive: Vec<u8>,
    code: &'static str,
    path: &'static str,
}

fn bad(slug: &'static str, code: &'static str, path: &'static str, change: impl FnOnce(&mut Skill, &mut Value)) -> Bad {
    let mut skill = Skill::new(slug, slug);
    let mut manifest = skill.manifest();
    change(&mut skill, &mut manifest);
    let archive = archive_of(&skill.files);
    Bad { slug, request: open_request(&manifest, &archive), archive, code, path }
}

#[test]
fn a_bad_package_is_rejected_with_code_and_place_and_leaves_no_trace() {
    let registry = Registry::start();
    let http = registry.http();
    let cases = [
        bad("no-skill-md", "skill_md_missing", "archive", |skill, _| drop(skill.files.remove(0))),
        bad("other-name", "slug_mismatch", "slug", |skill, manifest| {
            let text =
                String::from_utf8(skill.files[0].1.clone()).unwrap().replace("name: other-name", "name: some-name");
            skill.files[0].1 = text.into_bytes();
            *manifest = skill.manifest();
        }),
        bad("name-differs", "name_mismatch", "manifest.name", |_, manifest| manifest["name"] = json!("Another name")),
        bad("wrong-hash", "manifest_mismatch", "manifest.files[1].sha256", |_, manifest| {
            manifest["files"][1]["sha256"] = json!("0".repeat(64));
        }),
        bad("oversize", "file_too_large", "files[3].size", |skill, manifest| {
            skill.files.push((String::from("scripts/zeros.txt"), vec![b'0'; (1 << 20) + 1]));
            *manifest = skill.manifest();
        }),
        bad("climbs-out", "path_segment", "files[3].path", |skill, _| {
            skill.files.push((String::from("../evil.md"), b"evil".to_vec()));
        }),
    ];
    for case in &cases {
        let session = http.publish(&case.request, &case.archive);
        assert_eq!(session.state, UploadState::Rejected, "{}: {session:?}", case.slug);
        let finding = session.findings.iter().find(|finding| finding.code == case.code);
        let finding = finding.unwrap_or_else(|| panic!("{}: {:?}", case.slug, session.findings));
        assert_eq!(finding.path, case.path, "{}", case.slug);
        assert!(!finding.message.is_empty());
        assert_eq!(session.published, None);
        assert_invisible(&http, case.slug);
    }
    // A rejected number is not used up.
    let good = Skill::new("wrong-hash", "wrong-hash");
    assert_eq!(http.publish(&good.request(), &good.archive()).state, UploadState::Published);
}

fn assert_invisible(http: &Http, slug: &str) {
    assert!(http.list(100).iter().all(|skill| skill.slug.as_str() != slug), "{slug}");
    for coordinate in [slug.to_owned(), format!("{slug}@1.0.0")] {
        assert_eq!(http.get(&format!("/api/resolve?coordinate={coordinate}")).status, 404, "{coordinate}");
    }
}

#[test]
fn what_cannot_be_published_is_refused_before_any_byte_is_uploaded() {
    let registry = Registry::start();
    let http = registry.http();
    let good = Skill::new("good", "x");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut request = good.request();
        change(&mut request);
        request
    };
    let cases = [
        (changed(&|r| r["namespace"] = json!("@nobody")), 403, "forbidden", "namespace"),
        (changed(&|r| r["namespace"] = json!("global")), 400, "invalid_request", "namespace"),
        (
            changed(&|r| r["manifest"]["schemaVersion"] = json!(2)),
            400,
            "unsupported_schema_version",
            "manifest.schemaVersion",
        ),
        (changed(&|r| r["manifest"]["slug"] = json!("a--b")), 422, "slug_double_hyphen", "manifest.slug"),
        (changed(&|r| r["manifest"]["slug"] = json!("con")), 400, "invalid_request", "manifest.slug"),
        (changed(&|r| r["manifest"]["version"] = json!("v1")), 422, "version_invalid", "manifest.version"),
        (changed(&|r| r["manifest"]["version"] = json!("1.0.0+build")), 422, "version_invalid", "manifest.version"),
        (changed(&|r| r["manifest"]["files"] = json!([])), 400, "invalid_request", "manifest.files"),
        (changed(&|r| r["package"]["sizeBytes"] = json!(12 << 20)), 422, "package_too_large", "package.sizeBytes"),
        (changed(&|r| r["package"]["sha256"] = json!("x")), 400, "invalid_request", "package.sha256"),
        (changed(&|r| r["tags"] = json!(["latest"])), 400, "invalid_request", "tags[0]"),
        (changed(&|r| r["scope"] = json!("organization")), 400, "invalid_request", "scope"),
    ];
    for (request, status, code, path) in cases {
        let answer = http.open(&request);
        assert_eq!(answer.status, status, "{request} {}", answer.text());
        let error = &answer.json()["errors"][0];
        assert_eq!((error["code"].as_str(), error["path"].as_str()), (Some(code), Some(path)), "{request}");
    }
    for body in [&b""[..], b"{", b"[]", b"\xff", "\"\\ud800\"".as_bytes()] {
        let answer = http.send("POST", "/api/uploads", &[], body);
        assert_eq!((answer.status, answer.problem().as_str()), (400, "invalid_request"));
    }
    let answer = http.send("POST", "/api/uploads", &[], &vec![b' '; (256 << 10) + 1]);
    assert_eq!((answer.status, answer.problem().as_str()), (413, "payload_too_large"));
}

#[test]
fn a_session_can_be_repeated_and_canceled_but_not_reused() {
    let registry = Registry::start();
    let http = registry.http();
    let skill = Skill::new("waiting", "x");
    let first = UploadSession::from_json(http.open(&skill.request()).text()).unwrap();
    let again = http.open(&skill.request());
    assert_eq!((again.status, UploadSession::from_json(again.text()).unwrap().id), (200, first.id.clone()));

    let key = [("idempotency-key", "k1")];
    let keyed = |skill: &Skill| http.send("POST", "/api/uploads", &key, skill.request().to_string().as_bytes());
    let other = Skill::new("keyed", "y");
    let created = UploadSession::from_json(keyed(&other).text()).unwrap();
    assert_eq!(UploadSession::from_json(keyed(&other).text()).unwrap().id, created.id);
    assert_eq!(keyed(&Skill::new("keyed", "z")).problem(), "idempotency_mismatch");

    let path = format!("/api/uploads/{}", first.id);
    let canceled = http.send("DELETE", &path, &[], &[]);
    assert_eq!(UploadSession::from_json(canceled.text()).unwrap().state, UploadState::Canceled);
    assert_eq!(http.send("DELETE", &path, &[], &[]).status, 200);
    let next = UploadSession::from_json(http.open(&skill.request()).text()).unwrap();
    assert_ne!(next.id, first.id);
    let open: Vec<String> = serde_json::from_value(http.get("/api/uploads").json()["uploads"].clone()).unwrap();
    assert_eq!(open, [created.id.to_string(), next.id.to_string()]);

    http.put(next.upload.as_ref().unwrap(), &skill.archive());
    assert_eq!(http.verdict(&next).state, UploadState::Published);
    let closed = http.send("DELETE", &format!("/api/uploads/{}", next.id), &[], &[]);
    assert_eq!((closed.status, closed.problem().as_str()), (409, "session_closed"));
}

#[test]
fn equal_content_published_by_many_at_once_is_one_version() {
    let registry = Registry::start();
    let http = registry.http();
    let skill = Skill::new("crowded", "x");
    let (request, archive) = (skill.request(), skill.archive());
    let ids: Vec<_> = std::thread::scope(|scope| {
        let publish = || {
            let answer = http.open(&request);
            assert!(matches!(answer.status, 200 | 201), "{}", answer.text());
            let opened = UploadSession::from_json(answer.text()).unwrap();
            if let Some(upload) = &opened.upload {
                assert!([200, 412].contains(&http.put(upload, &archive).status));
            }
            let ended = if opened.published.is_some() { opened } else { http.verdict(&opened) };
            ended.published.unwrap().version_id
        };
        let publishers: Vec<_> = (0..8).map(|_| scope.spawn(publish)).collect();
        publishers.into_iter().map(|publisher| publisher.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(http.list(10).len(), 1);
}
