//! No log line has a secret or a piece of a package in it, at any level.

use skillhub_protocol::{DownloadResponse, UploadSession};

use crate::support::{Registry, Skill};

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
