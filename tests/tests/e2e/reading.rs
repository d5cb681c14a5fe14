//! The contract's routes, read with the protocol's own parsers.

use skillhub_protocol::{DownloadResponse, ResolveResponse, SkillResponse, UtcMillis, VersionResponse};

use crate::support::{Registry, Skill};

#[test]
fn every_answer_is_what_the_protocol_parses_and_a_traversal_shows_each_skill_once() {
    let registry = Registry::start();
    let http = registry.http();
    let mut slugs: Vec<_> = (0..9).map(|i| format!("skill-{i}")).collect();
    for slug in &slugs {
        let skill = Skill::new(slug, slug);
        let session = http.publish(&skill.request(), &skill.archive());
        assert_eq!(session.state.as_str(), "PUBLISHED", "{session:?}");
    }
    slugs.sort();
    for limit in [1, 2, 7, 9, 100] {
        let skills = registry.anonymous().list(limit);
        assert!(skills.is_sorted_by(|a, b| a.id < b.id), "limit {limit}");
        let mut seen: Vec<_> = skills.iter().map(|skill| skill.slug.to_string()).collect();
        seen.sort();
        assert_eq!(seen, slugs, "limit {limit}");
    }

    let listed = &http.list(100)[0];
    let detail = http.get(&format!("/api/skills/{}", listed.id));
    let detail = SkillResponse::from_json(detail.text()).unwrap().skill;
    assert_eq!(&detail.summary, listed);
    let version_path = format!("/api/skills/{}/versions/{}", listed.id, listed.current_version.id);
    let version = VersionResponse::from_json(http.get(&version_path).text()).unwrap().version;
    assert_eq!((&version.summary, &version.manifest), (&listed.current_version, &detail.manifest));
    let resolved = http.get(&format!("/api/resolve?coordinate=@global/{}@1.0.0", listed.slug));
    let resolved = ResolveResponse::from_json(resolved.text()).unwrap();
    assert_eq!((&resolved.skill_id, &resolved.version_id), (&listed.id, &listed.current_version.id));
    let canonical = http.get(&format!("/api/resolve?canonicalSlug={}", listed.slug));
    assert_eq!(ResolveResponse::from_json(canonical.text()).unwrap(), resolved);
}

#[test]
fn a_download_is_https_short_lived_and_bound_to_its_path_and_query() {
    let registry = Registry::start();
    let http = registry.http();
    let skill = Skill::new("short-lived", "hello");
    let published = http.publish(&skill.request(), &skill.archive()).published.unwrap();
    let path = format!("/api/skills/{}/versions/{}/download", published.skill_id, published.version_id);

    let before = now();
    let answer = http.get(&path);
    let download = DownloadResponse::from_json(answer.text()).unwrap();
    assert!(download.expires_at > before && download.expires_at <= now().plus_millis(300_000));
    assert_eq!((download.sha256, download.size_bytes), (published.artifact_sha256, published.artifact_size_bytes));

    let url = download.url.expose().to_owned();
    let file = http.fetch(&url);
    assert_eq!((file.status, skillhub_package::sha256(&file.body)), (200, published.artifact_sha256));
    assert_eq!(file.headers["content-type"], "application/zip");
    assert_eq!(file.headers["content-disposition"], "attachment; filename=\"short-lived-1.0.0.zip\"");

    let other_object = url.replacen(&published.artifact_sha256.to_string(), &"0".repeat(64), 1);
    let longer_life = url.replacen("X-Amz-Expires=300", "X-Amz-Expires=3000", 1);
    let other_name = url.replacen("short-lived-1.0.0.zip", "other.zip", 1);
    let unsigned = url.split_once('?').unwrap().0.to_owned();
    for changed in [other_object, longer_life, other_name, unsigned] {
        assert_ne!(changed, url);
        assert_eq!(http.fetch(&changed).status, 403, "{changed}");
    }
}

fn now() -> UtcMillis {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    UtcMillis::from_epoch_millis(since.as_millis() as i64).unwrap()
}

#[test]
fn wrong_requests_get_the_right_problem_and_never_a_server_error() {
    let registry = Registry::start();
    let skill = Skill::new("only-one", "x");
    let published = registry.http().publish(&skill.request(), &skill.archive()).published.unwrap();
    let (skill, version) = (published.skill_id, published.version_id);
    let (zeros, long) = ("0".repeat(24), "x".repeat(5000));
    let cases = [
        ("GET", format!("/api/skills/c{zeros}"), 404, "not_found"),
        ("GET", String::from("/api/skills/nonsense"), 404, "not_found"),
        ("GET", String::from("/api/skills/%ff%fe"), 404, "not_found"),
        ("GET", format!("/api/skills/{long}"), 404, "not_found"),
        ("GET", format!("/api/skills/{skill}/versions/v{zeros}"), 404, "not_found"),
        ("GET", format!("/api/skills/{skill}/versions/v{zeros}/download"), 404, "not_found"),
        ("GET", format!("/api/skills/c{zeros}/versions/{version}/download"), 404, "not_found"),
        ("GET", format!("/api/skills/{skill}/versions/..%2F..%2Fx/download"), 404, "not_found"),
        ("GET", String::from("/api/skills?limit=0"), 400, "invalid_request"),
        ("GET", String::from("/api/skills?limit=101"), 400, "invalid_request"),
        ("GET", String::from("/api/skills?limit=-1"), 400, "invalid_request"),
        ("GET", String::from("/api/skills?limit=ten"), 400, "invalid_request"),
        ("GET", String::from("/api/skills?limit=1&limit=2"), 400, "invalid_request"),
        ("GET", String::from("/api/skills?cursor=nonsense"), 400, "invalid_cursor"),
        ("GET", String::from("/api/skills?cursor="), 400, "invalid_cursor"),
        ("GET", format!("/api/skills?cursor={long}"), 400, "invalid_cursor"),
        ("GET", String::from("/api/resolve"), 400, "invalid_coordinate"),
        ("GET", String::from("/api/resolve?coordinate=@global"), 400, "invalid_coordinate"),
        ("GET", String::from("/api/resolve?coordinate=only-one@V1"), 400, "invalid_coordinate"),
        ("GET", String::from("/api/resolve?coordinate=@nobody/only-one"), 404, "not_found"),
        ("GET", String::from("/api/resolve?coordinate=only-one@2.0.0"), 404, "not_found"),
        ("GET", String::from("/api/resolve?coordinate=only-one@beta"), 404, "not_found"),
        ("GET", String::from("/nowhere"), 404, "not_found"),
        ("GET", String::from("/api/skills/"), 404, "not_found"),
        ("DELETE", String::from("/api/skills"), 405, "method_not_allowed"),
        ("PUT", format!("/api/skills/{skill}"), 405, "method_not_allowed"),
        ("PATCH", String::from("/api/uploads"), 405, "method_not_allowed"),
        ("POST", String::from("/api/uploads"), 401, "unauthenticated"),
        ("GET", format!("/api/uploads/u{zeros}"), 401, "unauthenticated"),
        ("GET", String::from("/api/whoami"), 401, "unauthenticated"),
    ];
    let anonymous = registry.anonymous();
    for (method, path, status, code) in cases {
        let answer = anonymous.send(method, &path, &[], &[]);
        assert_eq!((answer.status, answer.problem().as_str()), (status, code), "{method} {path}");
        assert_eq!(answer.headers["x-request-id"].len(), 32, "{method} {path}");
    }
    let unknown = |path: String| anonymous.get(&path).body;
    assert_eq!(unknown(format!("/api/skills/c{zeros}")), unknown(String::from("/api/resolve?coordinate=@nobody/x")));

    for token in ["", "sk_", "Bearer", "sk_0000000000000000000000000000000000000000000"] {
        let answer = anonymous.send("GET", "/api/skills", &[("authorization", &format!("Bearer {token}"))], &[]);
        assert_eq!((answer.status, answer.problem().as_str()), (401, "unauthenticated"), "{token:?}");
    }
}

#[test]
fn a_cursor_is_a_position_even_where_no_skill_is() {
    let registry = Registry::start();
    let http = registry.http();
    for slug in ["first", "second"] {
        let skill = Skill::new(slug, slug);
        http.publish(&skill.request(), &skill.archive());
    }
    let page = |id: &str| http.get(&format!("/api/skills?cursor=c{id}")).json()["skills"].as_array().unwrap().len();
    assert_eq!((page(&"0".repeat(24)), page(&"z".repeat(24))), (2, 0));
}
