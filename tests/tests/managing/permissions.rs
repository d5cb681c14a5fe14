//! Who may do what, for every route and every kind of caller.

use skillhub_protocol::{PublishedVersion, UploadState};
use skillhub_tests::in_process::{Caller, InProcess};
use skillhub_tests::skill::Skill;

use crate::support::{Release, TEAM, Team, publish};

/// A request whose path has `{skill}` and `{version}` in it.
struct Request {
    method: &'static str,
    path: &'static str,
    body: &'static str,
}

const fn request(method: &'static str, path: &'static str, body: &'static str) -> Request {
    Request { method, path, body }
}

const ROLE: &str = r#"{"role":"reader"}"#;
const REASON: &str = r#"{"reason":"a test"}"#;

const READS: [Request; 5] = [
    request("GET", "/api/skills/{skill}", ""),
    request("GET", "/api/skills/{skill}/versions", ""),
    request("GET", "/api/skills/{skill}/tags", ""),
    request("GET", "/api/skills/{skill}/versions/{version}", ""),
    request("GET", "/api/skills/{skill}/versions/{version}/download", ""),
];

/// In the order in which they are sent; each may be done twice without a difference.
const CHANGES: [(Request, [u16; 4]); 9] = [
    (request("PUT", "/api/skills/{skill}/tags/beta", r#"{"version":"1.0.0"}"#), [204, 204, 403, 403]),
    (request("DELETE", "/api/skills/{skill}/tags/beta", ""), [204, 204, 403, 403]),
    (request("POST", "/api/skills/{skill}/versions/{version}/yank", REASON), [204, 204, 403, 403]),
    (request("POST", "/api/skills/{skill}/versions/{version}/unyank", REASON), [204, 204, 403, 403]),
    (request("GET", "/api/skills/{skill}/maintainers", ""), [200, 200, 200, 200]),
    (request("PUT", "/api/skills/{skill}/maintainers/lead", ""), [204, 403, 403, 403]),
    (request("DELETE", "/api/skills/{skill}/maintainers/lead", ""), [204, 403, 403, 403]),
    (request("PATCH", "/api/skills/{skill}", r#"{"scope":"{scope}"}"#), [204, 403, 403, 403]),
    (request("POST", "/api/skills/{skill}/versions/{version}/block", REASON), [204, 403, 403, 403]),
];

const NAMESPACE: [(Request, [u16; 4]); 4] = [
    (request("GET", "/api/namespaces/team", ""), [200, 200, 200, 200]),
    (request("GET", "/api/namespaces/@team/audit", ""), [200, 403, 403, 403]),
    (request("PUT", "/api/namespaces/%40team/members/reader", ROLE), [204, 403, 403, 403]),
    (request("DELETE", "/api/namespaces/@team/members/nobody-else", ""), [422, 422, 422, 422]),
];

async fn status(registry: &InProcess, by: Option<&Caller>, what: &Request, skill: &PublishedVersion) -> (u16, String) {
    scoped_status(registry, by, what, skill, "public").await
}

/// The same, where a change of scope asks for this one.
async fn scoped_status(
    registry: &InProcess,
    by: Option<&Caller>,
    what: &Request,
    skill: &PublishedVersion,
    scope: &str,
) -> (u16, String) {
    let fill = |text: &str| {
        let text = text.replace("{skill}", skill.skill_id.as_str());
        text.replace("{version}", skill.version_id.as_str())
    };
    let answer = registry.send(by, what.method, &fill(what.path), &what.body.replace("{scope}", scope)).await;
    (answer.status.as_u16(), String::from_utf8_lossy(&answer.body).into_owned())
}

/// The same request for something that does not exist.
fn nowhere() -> PublishedVersion {
    PublishedVersion {
        skill_id: format!("c{}", "0".repeat(24)).parse().unwrap(),
        version_id: format!("v{}", "0".repeat(24)).parse().unwrap(),
        artifact_sha256: skillhub_package::sha256(b""),
        artifact_size_bytes: 1,
    }
}

#[tokio::test]
async fn what_is_hidden_from_a_caller_is_to_the_byte_what_does_not_exist() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let hidden = publish(&registry, &team.author, &Skill::new("hidden", "x"), &TEAM).await;
    let outsiders = [None, Some(&team.stranger), Some(&registry.owner)];
    for by in outsiders {
        for what in READS.iter().chain(CHANGES.iter().map(|(what, _)| what)) {
            let (status_hidden, body) = status(&registry, by, what, &hidden).await;
            let unknown = status(&registry, by, what, &nowhere()).await;
            let block_by_administrator =
                what.path.ends_with("/block") && by.is_some_and(|b| b.principal == registry.owner.principal);
            if block_by_administrator {
                continue;
            }
            assert_eq!((status_hidden, &body), (unknown.0, &unknown.1), "{} {}", what.method, what.path);
            let expected = if by.is_none() && what.method != "GET" { 401 } else { 404 };
            assert_eq!(status_hidden, expected, "{} {} {body}", what.method, what.path);
        }
        for (hidden, unknown) in [
            ("/api/resolve?coordinate=@team/hidden", "/api/resolve?coordinate=@team/unknown"),
            ("/api/resolve?coordinate=@team/hidden@1.0.0", "/api/resolve?coordinate=@nobody/hidden@1.0.0"),
            ("/api/namespaces/team/skills/hidden", "/api/namespaces/team/skills/unknown"),
            ("/api/namespaces/team/skills/hidden", "/api/namespaces/nobody/skills/hidden"),
            ("/api/namespaces/team/skills/hidden", "/api/namespaces/team/skills/No%20Slug"),
            ("/api/search?q=hidden", "/api/search?q=unknown"),
            ("/api/skills?namespace=@team", "/api/skills?namespace=@nobody"),
            ("/api/skills?scope=organization", "/api/skills?scope=personal"),
            ("/api/namespaces/team", "/api/namespaces/nobody"),
            ("/api/namespaces/team/audit", "/api/namespaces/nobody/audit"),
        ] {
            let [hidden, unknown] =
                [registry.send(by, "GET", hidden, "").await, registry.send(by, "GET", unknown, "").await];
            assert_eq!((hidden.status, hidden.body), (unknown.status, unknown.body));
        }
    }
    // Nor does an attempt to publish say whether a namespace or a slug exists.
    let mut bodies = Vec::new();
    for (namespace, slug) in [("@team", "hidden"), ("@team", "unknown"), ("@nobody", "hidden")] {
        let mut request = Skill::new(slug, "y").request();
        request["namespace"] = namespace.into();
        let answer = registry.send(Some(&team.stranger), "POST", "/api/uploads", &request.to_string()).await;
        assert_eq!(answer.status.as_u16(), 403);
        bodies.push(String::from_utf8_lossy(&answer.body).replace(namespace, "@x"));
    }
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
}

/// An upload is its opener's, and the owners' of the namespace; to all others it is one that does not exist, in head and body.
#[tokio::test]
async fn an_upload_is_hidden_from_all_but_its_opener_and_the_owners() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let mut request = Skill::new("tool", "x").request();
    request["namespace"] = "@team".into();
    let opened = registry.send(Some(&team.author), "POST", "/api/uploads", &request.to_string()).await.session();
    let (there, nowhere) = (format!("/api/uploads/{}", opened.id), format!("/api/uploads/u{}", "0".repeat(24)));
    for by in [None, Some(&team.mate), Some(&team.reader), Some(&team.stranger), Some(&registry.owner)] {
        for method in ["GET", "DELETE"] {
            let [mut hidden, mut unknown] =
                [registry.send(by, method, &there, "").await, registry.send(by, method, &nowhere, "").await];
            assert_eq!(hidden.status.as_u16(), if by.is_none() { 401 } else { 404 }, "{method} {hidden:?}");
            for answer in [&mut hidden, &mut unknown] {
                assert!(answer.headers.remove("x-request-id").is_some(), "{answer:?}");
            }
            assert_eq!((hidden.status, hidden.headers, hidden.body), (unknown.status, unknown.headers, unknown.body));
        }
    }
    for by in [&team.author, &team.lead] {
        assert_eq!(registry.send(Some(by), "GET", &there, "").await.session().id, opened.id);
    }
    assert_eq!(registry.send(Some(&team.lead), "DELETE", &there, "").await.session().state, UploadState::Canceled);
}

#[tokio::test]
async fn each_role_may_do_what_it_should_and_nothing_else() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let members = [&team.lead, &team.author, &team.mate, &team.reader];
    for (slug, scope) in [("closed", "organization"), ("open", "public")] {
        let release = Release { scope: Some(scope), ..TEAM };
        let skill = publish(&registry, &team.author, &Skill::new(slug, "x"), &release).await;
        for what in &READS {
            for by in members {
                assert_eq!(status(&registry, Some(by), what, &skill).await.0, 200, "{}", what.path);
            }
            for by in [None, Some(&team.stranger)] {
                let expected = if scope == "public" { 200 } else { 404 };
                assert_eq!(status(&registry, by, what, &skill).await.0, expected, "{}", what.path);
            }
        }
        for (what, expected) in &CHANGES {
            // Who may least comes first, so that nothing is done already.
            for (by, expected) in members.iter().zip(expected).rev() {
                let (status, body) = scoped_status(&registry, Some(by), what, &skill, scope).await;
                assert_eq!(status, *expected, "{} {} {body}", what.method, what.path);
            }
            // Who sees a skill may know that it exists, but not who works on it.
            let seen = scope == "public" && !what.path.ends_with("/maintainers");
            let expected = if seen { 403 } else { 404 };
            assert_eq!(status(&registry, Some(&team.stranger), what, &skill).await.0, expected, "{}", what.path);
        }
    }
    for (what, expected) in &NAMESPACE {
        for (by, expected) in members.iter().zip(expected).rev() {
            let (status, body) = status(&registry, Some(by), what, &nowhere()).await;
            assert_eq!(status, *expected, "{} {} {body}", what.method, what.path);
        }
        assert_eq!(status(&registry, Some(&team.stranger), what, &nowhere()).await.0, 404, "{}", what.path);
        assert_eq!(status(&registry, None, what, &nowhere()).await.0, 401, "{}", what.path);
    }
    registry.settled().await;
}

#[tokio::test]
async fn administrators_block_what_they_cannot_see_and_do_nothing_else_to_it() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let skill = publish(&registry, &team.author, &Skill::new("hidden", "x"), &TEAM).await;
    let admin = Some(&registry.owner);
    for (what, _) in &CHANGES[..8] {
        assert_eq!(status(&registry, admin, what, &skill).await.0, 404, "{}", what.path);
    }
    let publisher = registry.member("curator", skillhub_protocol::Role::Publisher).await;
    let (block, _) = &CHANGES[8];
    assert_eq!(status(&registry, Some(&publisher), block, &skill).await.0, 404);
    assert_eq!(status(&registry, admin, block, &skill).await.0, 204);
    let download = &READS[4];
    assert_eq!(status(&registry, admin, download, &skill).await.0, 404);
    assert_eq!(status(&registry, Some(&team.reader), download, &skill).await.0, 410);
    registry.settled().await;
}

/// R13 beside the transaction: what a token is not for, it does not open.
#[tokio::test]
async fn a_token_opens_what_its_scopes_name() {
    let registry = InProcess::start().await;
    let lead = registry.person("lead").await;
    let mut statuses = Vec::new();
    for scopes in [&["read"][..], &["publish"], &["manage"], &["publish", "read"]] {
        let token = crate::tokens::create(&registry, &lead, scopes).await;
        let mut request = Skill::new("mine", "x").request();
        request["namespace"] = "@lead".into();
        let read = registry.send(Some(&token), "GET", "/api/skills", "").await;
        let open = registry.send(Some(&token), "POST", "/api/uploads", &request.to_string()).await;
        let list = registry.send(Some(&token), "GET", "/api/whoami", "").await;
        let manage = registry.send(Some(&token), "DELETE", &format!("/api/tokens/t{}", "0".repeat(24)), "").await;
        statuses.push([read, open, list, manage].map(|answer| answer.status.as_u16()));
    }
    let expected = [[200, 403, 200, 403], [403, 201, 200, 403], [403, 403, 200, 404], [200, 200, 200, 403]];
    assert_eq!(statuses, expected);
}
