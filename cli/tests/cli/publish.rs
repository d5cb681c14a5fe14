//! Publishing, as far as the client decides: slug, version, namespace, batches, and how it deals with registry and store.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use skillhub_protocol::OpenUpload;

use crate::support::{Request, Response, Sandbox, Server, Tls};

const UPLOAD_ROUTE: &str = "GET /api/uploads/u0mdxk2t6s9f3a8bq1z7ry4uw";
const VERSION_ROUTE: &str = "GET /api/skills/c0mdxk2t6s9f3a8bq1z7ry4uw/versions/v0mdxk2t6s9f3a8bq1z7ry4uw";
const UPLOAD: &str = "u0mdxk2t6s9f3a8bq1z7ry4uw";
const SKILL: &str = "c0mdxk2t6s9f3a8bq1z7ry4uw";
const VERSION: &str = "v0mdxk2t6s9f3a8bq1z7ry4uw";

/// A registry that takes every upload, and its store. Scripted answers come first, each once.
pub(crate) struct Hub {
    registry: Server,
    store: Server,
    scripted: Arc<Mutex<Vec<(&'static str, Response)>>>,
    ca: tempfile::NamedTempFile,
    args: [String; 4],
}

impl Hub {
    pub(crate) fn start() -> Self {
        let tls = Tls::new();
        let scripted = Arc::new(Mutex::new(Vec::new()));
        let (for_registry, for_store) = (Arc::clone(&scripted), Arc::clone(&scripted));
        let store = Server::tls(&tls, move |request| {
            next(&for_store, request).unwrap_or_else(|| Response::new(200, "text/plain", ""))
        });
        let (opened, store_url) = (Mutex::new(json!(null)), store.url());
        let registry = Server::plain(move |request| {
            let scripted = next(&for_registry, request);
            scripted.unwrap_or_else(|| answer(request, &mut opened.lock().unwrap(), &store_url))
        });
        let ca = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(ca.path(), &tls.ca_pem).unwrap();
        let args = ["--registry", &registry.url(), "--ca", ca.path().to_str().unwrap()].map(str::to_owned);
        Self { registry, store, scripted, ca, args }
    }

    /// The next request to `what` ("METHOD path") is answered so.
    fn script(&self, what: &'static str, response: Response) {
        self.scripted.lock().unwrap().push((what, response));
    }

    pub(crate) fn args(&self) -> [&str; 4] {
        self.args.each_ref().map(String::as_str)
    }

    pub(crate) fn last_upload(&self) -> Vec<u8> {
        self.store.requests().last().unwrap().body.clone()
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.registry.requests()
    }

    fn opened(&self) -> Vec<OpenUpload> {
        let requests = self.requests();
        let opened = requests.iter().filter(|request| request.method == "POST");
        opened.map(|request| OpenUpload::from_json(std::str::from_utf8(&request.body).unwrap()).unwrap()).collect()
    }

    fn publish(&self, sandbox: &Sandbox, args: &[&str]) -> crate::support::Ran {
        sandbox.run(&[&["publish"][..], args, &self.args()].concat())
    }
}

fn next(scripted: &Mutex<Vec<(&'static str, Response)>>, request: &Request) -> Option<Response> {
    let mut scripted = scripted.lock().unwrap();
    let what = format!("{} {}", request.method, request.path());
    let index = scripted.iter().position(|(expected, _)| *expected == what)?;
    Some(scripted.remove(index).1)
}

fn answer(request: &Request, opened: &mut Value, store: &str) -> Response {
    match (request.method.as_str(), request.path()) {
        ("POST", "/api/uploads") => {
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            *opened = session(&body, "OPEN", store);
            Response::json(201, opened)
        }
        ("GET", path) if path.ends_with(UPLOAD) => {
            opened["state"] = json!("PUBLISHED");
            Response::json(200, opened)
        }
        ("DELETE", _) => Response::new(204, "text/plain", ""),
        ("GET", "/api/whoami") => Response::json(
            200,
            &json!({"handle": "alice", "namespaces": [
                {"namespace": "@alice", "kind": "personal", "role": "owner"},
                {"namespace": "@readers", "kind": "organization", "role": "reader"},
                {"namespace": "@team", "kind": "organization", "role": "publisher"},
            ]}),
        ),
        _ => Response::problem(404, "not_found", "there is no such thing"),
    }
}

fn session(open: &Value, state: &str, store: &str) -> Value {
    let size = open["package"]["sizeBytes"].to_string();
    json!({
        "schemaVersion": 1, "id": UPLOAD, "state": state, "namespace": open["namespace"], "slug": open["manifest"]["slug"],
        "version": open["manifest"]["version"], "expiresAt": "2026-07-23T00:05:00.000Z", "findings": [],
        "upload": {
            "url": format!("{store}/staging/x?X-Amz-Signature=s3cret"), "expiresAt": "2026-07-23T00:05:00.000Z",
            "headers": {"content-length": size, "if-none-match": "*", "x-amz-checksum-sha256": "AAAA"},
        },
        "published": {
            "skillId": SKILL, "versionId": VERSION, "artifactSha256": "a".repeat(64), "artifactSizeBytes": 9,
        },
    })
}

fn skill(sandbox: &Sandbox, folder: &str, frontmatter: &str) {
    sandbox.write(&format!("{folder}/SKILL.md"), format!("---\n{frontmatter}\n---\n\nDo it.\n"));
}

#[test]
fn slug_and_version_are_chosen_and_said() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    skill(&sandbox, "folder", "name: helper\ndescription: Helps.");
    skill(&sandbox, "shown", "name: Release Helper\ndescription: Helps.\nmetadata:\n  version: \"1.4.0\"");
    skill(&sandbox, "My Skill", "name: My Skill\ndescription: Helps.");
    let published = |args: &[&str]| {
        let ran = hub.publish(&sandbox, &[args, &["--namespace", "@team"]].concat()).ends(0);
        (ran.stdout.trim_end().to_owned(), ran.stderr)
    };
    assert_eq!(published(&["folder"]).0, "published @team/helper@0.1.0");
    assert_eq!(published(&["shown"]).0, "published @team/shown@1.4.0");
    let (line, stderr) = published(&["shown", "--version", "2.0.0-rc.1"]);
    assert_eq!(line, "published @team/shown@2.0.0-rc.1");
    assert!(stderr.contains("warning: skillMd.frontmatter.version") && stderr.contains("2.0.0-rc.1"), "{stderr}");
    assert_eq!(published(&["My Skill", "--slug", "mine"]).0, "published @team/mine@0.1.0");
    hub.publish(&sandbox, &["My Skill", "--namespace", "@team"])
        .ends(2)
        .says(&["\"My Skill\" is not kebab-case", "--slug"]);
    hub.publish(&sandbox, &["folder", "--namespace", "@team", "--version", "v1"]).ends(2);
    hub.publish(&sandbox, &["folder", "--namespace", "@team", "--tag", "latest"]).ends(2);
}

#[test]
fn a_changed_skill_gets_the_next_patch_and_an_unchanged_one_its_own_version() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    skill(&sandbox, "helper", "name: helper\ndescription: Helps.");
    hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(0);
    let manifest = serde_json::to_value(&hub.opened()[0].manifest).unwrap();
    let offer =
        |version: &str| {
            let mut manifest = manifest.clone();
            manifest["version"] = json!(version);
            let digest = "a".repeat(64);
            hub.script("GET /api/resolve", Response::json(200, &json!({
            "namespace": "@team", "slug": "helper", "skillId": SKILL, "versionId": VERSION, "version": version,
            "sha256": digest, "sizeBytes": 9,
        })));
            let version = json!({
                "id": VERSION, "version": version, "sha256": digest, "sizeBytes": 9,
                "publishedAt": "2026-07-23T00:05:00.000Z", "manifest": manifest,
            });
            hub.script(VERSION_ROUTE, Response::json(200, &json!({"schemaVersion": 1, "version": version})));
        };
    offer("1.2.3");
    let body = json!({"namespace": "@team", "manifest": {"slug": "helper", "version": "1.2.3"}, "package": {}});
    hub.script("POST /api/uploads", Response::json(200, &session(&body, "PUBLISHED", "https://127.0.0.1:9")));
    let ran = hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(0);
    assert_eq!(ran.stdout, "already published @team/helper@1.2.3\n");

    sandbox.write("helper/references/new.md", "new");
    offer("1.2.3");
    let ran = hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(0);
    assert_eq!(ran.stdout, "published @team/helper@1.2.4\n");
}

#[test]
fn the_namespace_is_named_or_asked_for() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    skill(&sandbox, "helper", "name: helper\ndescription: Helps.");
    let ran = hub.publish(&sandbox, &["helper"]).ends(2).says(&[
        "no namespace",
        "@alice",
        "@team",
        "hint: add `--namespace @alice`",
    ]);
    assert!(!ran.stderr.contains("@readers"), "only where alice may publish: {}", ran.stderr);
    let local = json!({"registry": hub.registry.url(), "token": "sk_local", "namespace": "@team", "ca": hub.ca.path()});
    sandbox.write(".skillhub/local.json", local.to_string());
    let ran =
        sandbox.run(&["publish", "helper", "--local", "--scope", "public", "--tag", "beta", "--tag", "next"]).ends(0);
    assert_eq!(ran.stdout, "published @team/helper@0.1.0\n");
    let opened = hub.opened();
    assert_eq!(opened[0].scope.unwrap().as_str(), "public");
    assert_eq!(opened[0].tags.iter().map(|tag| tag.as_str()).collect::<Vec<_>>(), ["beta", "next"]);
}

#[test]
fn the_upload_carries_exactly_the_signed_headers_and_no_token() {
    let (mut sandbox, hub) = (Sandbox::new(), Hub::start());
    sandbox.set("SKILLHUB_TOKEN", "sk_good");
    skill(&sandbox, "helper", "name: helper\ndescription: Helps.");
    hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(0);
    let [put] = &hub.store.requests()[..] else { panic!("one upload") };
    let opened = &hub.opened()[0];
    assert_eq!((put.method.as_str(), put.target.as_str()), ("PUT", "/staging/x?X-Amz-Signature=s3cret"));
    assert_eq!(put.header("content-length"), Some(opened.package.size_bytes.to_string().as_str()));
    assert_eq!((put.header("if-none-match"), put.header("x-amz-checksum-sha256")), (Some("*"), Some("AAAA")));
    assert_eq!((put.header("authorization"), put.header("transfer-encoding")), (None, None));
    assert_eq!(skillhub_package::sha256(&put.body), opened.package.sha256);
}

/// A session that waits for the bytes of some upload.
fn waiting(hub: &Hub) -> Response {
    let body = json!({"namespace": "@team", "manifest": {"slug": "helper", "version": "0.1.0"}, "package": {}});
    let mut open = session(&body, "OPEN", &hub.store.url());
    open["upload"]["headers"] = json!({});
    Response::json(200, &open)
}

#[test]
fn an_expired_url_is_replaced_and_bytes_that_are_there_are_fine() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    skill(&sandbox, "helper", "name: helper\ndescription: Helps.");
    hub.script("PUT /staging/x", Response::new(403, "application/xml", "<Error/>"));
    hub.script(UPLOAD_ROUTE, waiting(&hub));
    hub.script("PUT /staging/x", Response::new(412, "application/xml", "<Error/>"));
    hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(0);
    assert_eq!(hub.store.requests().len(), 2);

    for _ in 0..3 {
        hub.script("PUT /staging/x", Response::new(403, "application/xml", "<Error/>"));
        hub.script(UPLOAD_ROUTE, waiting(&hub));
    }
    hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(4).says(&["[upload_expired]", "clocks"]);
}

#[test]
fn a_verdict_is_waited_for_and_told() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    skill(&sandbox, "helper", "name: helper\ndescription: Helps.");
    let body = json!({"namespace": "@team", "manifest": {"slug": "helper", "version": "0.1.0"}, "package": {}});
    let state = |state: &str| session(&body, state, "https://127.0.0.1:9");
    let mut rejected = state("REJECTED");
    rejected["findings"] = json!([{
        "path": "SKILL.md", "line": 10, "column": 3, "code": "secret_found", "severity": "error",
        "message": "holds a key\u{1b}[2J", "hint": "remove it",
    }]);
    hub.script(UPLOAD_ROUTE, Response::json(200, &state("VALIDATING")));
    hub.script(UPLOAD_ROUTE, Response::json(200, &rejected));
    let ran = hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(6);
    ran.says(&["SKILL.md:10:3: holds a key\\u{1b}[2J [secret_found]", "hint: remove it"]);

    for (last, code) in [("EXPIRED", 1), ("FAILED", 1), ("CANCELED", 1)] {
        hub.script(UPLOAD_ROUTE, Response::json(200, &state(last)));
        hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(code).says(&[last, "hint: publish again"]);
    }
    hub.script("POST /api/uploads", Response::problem(409, "version_exists", "0.1.0 exists with other content"));
    hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(5).says(&[
        "[version_exists]",
        "hint: ",
        "--version",
    ]);
    hub.script("POST /api/uploads", Response::problem(409, "version_exists", "0.1.0 exists with other content"));
    let ran = hub.publish(&sandbox, &["helper", "--namespace", "@team", "--json", "--quiet"]).ends(5);
    let error: Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!((&error["error"]["code"], ran.stdout.as_str()), (&json!("version_exists"), ""));
    hub.script("POST /api/uploads", Response::problem(403, "forbidden", "alice may not publish to @team"));
    hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(3).says(&["[forbidden]"]);
}

#[test]
fn a_store_that_fails_gets_the_upload_canceled() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    skill(&sandbox, "helper", "name: helper\ndescription: Helps.");
    for _ in 0..3 {
        hub.script("PUT /staging/x", Response::new(500, "application/xml", "<Error/>"));
        hub.script(UPLOAD_ROUTE, waiting(&hub));
    }
    let ran =
        hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(4).says(&["upload was answered with 500"]);
    assert!(!ran.stderr.contains("s3cret"), "{}", ran.stderr);
    assert_eq!(hub.requests().last().unwrap().method, "DELETE");
}

/// The bytes arrived each time, the answers did not.
#[test]
fn an_upload_whose_answers_are_lost_is_what_the_session_says() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    skill(&sandbox, "helper", "name: helper\ndescription: Helps.");
    for _ in 0..3 {
        hub.script("PUT /staging/x", Response::new(500, "application/xml", "<Error/>"));
    }
    for _ in 0..2 {
        hub.script(UPLOAD_ROUTE, waiting(&hub));
    }
    let ran = hub.publish(&sandbox, &["helper", "--namespace", "@team", "--json"]).ends(0);
    assert_eq!(ran.json()["outcome"], json!("published"));
    assert!(hub.requests().iter().all(|request| request.method != "DELETE"));
}

#[test]
fn every_skill_below_a_folder_gets_its_own_verdict() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    skill(&sandbox, "all/b-second", "name: second\ndescription: Two.");
    skill(&sandbox, "all/a/first", "name: first\ndescription: One.");
    skill(&sandbox, "all/a/first/examples/inner", "name: inner\ndescription: Inside of another.");
    skill(&sandbox, "all/.hidden/skill", "name: hidden\ndescription: Hidden.");
    sandbox.write("all/c-broken/SKILL.md", "no frontmatter");
    skill(&sandbox, "all/d-copy-of-second", "name: second\ndescription: Two.");
    skill(&sandbox, "all/e-claims", "name: claimed\ndescription: One way.");
    skill(&sandbox, "all/f-claims", "name: claimed\ndescription: Another way.");
    let ran = hub.publish(&sandbox, &["all", "--all", "--namespace", "@team"]).ends(6);
    assert_eq!(
        ran.stdout,
        "\
published @team/first@0.1.0
published @team/second@0.1.0
failed all/c-broken
same skill all/d-copy-of-second as all/b-second
failed all/e-claims
failed all/f-claims
"
    );
    let ran = ran.says(&[
        "[frontmatter_missing]",
        "[duplicate_in_batch]",
        "2 published, 0 already published, 1 duplicate, 3 failed",
    ]);
    let claims =
        "several folders claim the slug claimed and differ [duplicate_in_batch]\n  all/e-claims\n  all/f-claims\n";
    assert_eq!(ran.stderr.matches(claims).count(), 2, "{}", ran.stderr);
    assert_eq!(hub.opened().len(), 2, "nothing of the others is sent");

    let ran = hub.publish(&sandbox, &["all/a", "--all", "--namespace", "@team", "--json"]).ends(0);
    assert_eq!(ran.json()["summary"], json!({"published": 1, "alreadyPublished": 0, "duplicate": 0, "failed": 0}));
    assert_eq!(ran.json()["skills"][0]["skillId"], SKILL);
    sandbox.write("none/README.md", "");
    hub.publish(&sandbox, &["none", "--all", "--namespace", "@team"]).ends(2).says(&["there is no SKILL.md"]);
}

#[test]
fn many_skills_come_out_in_order() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    let names: Vec<String> = (10..40).map(|i| format!("skill-{i}")).collect();
    for name in &names {
        skill(&sandbox, &format!("all/{name}"), &format!("name: {name}\ndescription: Number {name}."));
    }
    let ran = hub.publish(&sandbox, &["all", "--all", "--namespace", "@team"]).ends(0);
    let expected: String = names.iter().map(|name| format!("published @team/{name}@0.1.0\n")).collect();
    assert_eq!(ran.stdout, expected);
}

#[test]
fn a_rehearsal_checks_and_chooses_and_sends_nothing() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    skill(&sandbox, "all/helper", "name: helper\ndescription: Helps.");
    sandbox.write("all/broken/SKILL.md", "no frontmatter");
    let ran = hub.publish(&sandbox, &["all/helper", "--namespace", "@team", "--dry-run"]).ends(0);
    assert_eq!(ran.stdout, "would publish @team/helper@0.1.0\n");
    ran.says(&["SKILL.md"]);
    let ran = hub.publish(&sandbox, &["all", "--all", "--namespace", "@team", "--dry-run"]).ends(6);
    assert_eq!(ran.stdout, "failed all/broken\nwould publish @team/helper@0.1.0\n");
    ran.says(&["1 would be published, 0 duplicate, 1 failed"]);
    let ran = hub.publish(&sandbox, &["all/helper", "--namespace", "@team", "--dry-run", "--json"]).ends(0);
    assert_eq!((&ran.json()["outcome"], &ran.json()["coordinate"]), (&json!("passed"), &json!("@team/helper@0.1.0")));
    assert!(hub.opened().is_empty() && hub.store.requests().is_empty());
}

#[test]
fn an_error_names_its_phase() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    skill(&sandbox, "helper", "name: helper\ndescription: Helps.");
    hub.script("POST /api/uploads", Response::problem(403, "forbidden", "alice may not publish to @team"));
    hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(3).says(&["  phase: open\n"]);
    for _ in 0..3 {
        hub.script("PUT /staging/x", Response::new(500, "application/xml", "<Error/>"));
        hub.script(UPLOAD_ROUTE, waiting(&hub));
    }
    hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(4).says(&["  phase: upload\n"]);
    hub.scripted.lock().unwrap().clear();
    hub.script(UPLOAD_ROUTE, Response::problem(404, "not_found", "it is gone"));
    let said = format!("  phase: validate (upload {UPLOAD})\n");
    hub.publish(&sandbox, &["helper", "--namespace", "@team"]).ends(1).says(&[&said]);
}

#[test]
fn an_upload_that_was_interrupted_goes_on_where_it_was() {
    let (sandbox, hub) = (Sandbox::new(), Hub::start());
    skill(&sandbox, "helper", "name: helper\ndescription: Helps.");
    // As if the bytes had been sent before: the registry answers with the session that it has, and it waits for nothing.
    let body = json!({"namespace": "@team", "manifest": {"slug": "helper", "version": "0.1.0"}, "package": {}});
    hub.script("POST /api/uploads", Response::json(200, &session(&body, "VALIDATING", "https://127.0.0.1:9")));
    hub.script(UPLOAD_ROUTE, Response::json(200, &session(&body, "PUBLISHED", "https://127.0.0.1:9")));
    let ran = hub.publish(&sandbox, &["helper", "--namespace", "@team", "--json"]).ends(0);
    assert_eq!((&ran.json()["versionId"], &ran.json()["outcome"]), (&json!(VERSION), &json!("published")));
    assert!(hub.store.requests().is_empty(), "nothing is sent twice");
}
