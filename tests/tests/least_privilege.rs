//! What the functions ask of AWS, counted by the proxy, against what their roles allow: nothing is missing, nothing is too much.
//!
//! The roles are read from `infra/aws/RESOURCES.md`, which `cargo xtask infra` holds against the template.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use skillhub_protocol::{PublishedVersion, UploadState};
use skillhub_store::PrincipalId;
use skillhub_tests::in_process::{Answer, Caller, InProcess};
use skillhub_tests::proxy::{Call, Fault, Operation, Permission, every};
use skillhub_tests::raw_table::Row;
use skillhub_tests::skill::{Skill, archive_of, open_request};

/// Held against its role where its routes are tested.
const ELSEWHERE: &str = "compat";
/// The functions that answer requests find out in one way who is calling.
const HTTP: [&str; 5] = ["list", "detail", "download", "publish", "manage"];

/// What is allowed or done, by function.
type Permissions = BTreeMap<String, BTreeSet<Permission>>;

/// The rows of a table of RESOURCES.md, each as its cells without their decoration.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let section = page.split(heading).nth(1).unwrap().split("\n## ").next().unwrap().to_owned();
    let lines = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().replace('`', "")).collect();
    lines.map(cells).collect()
}

/// What the roles allow. Keys of encryption and the queue of failed events are not the functions' own business.
fn allowed(page: &str) -> Permissions {
    let mut all = Permissions::new();
    for row in rows(page, "## Roles") {
        let [function, action, on] = row.try_into().unwrap();
        if action.ends_with("*K*") || action.starts_with("sqs:") || function == ELSEWHERE {
            continue;
        }
        let on = on.split(", ").map(|on| Permission { action: action.clone(), on: on.replace("the bucket", "") });
        all.entry(function).or_default().extend(on);
    }
    all
}

/// A registry, and what its functions have asked for.
struct Watched {
    registry: InProcess,
    routes: Vec<(String, Vec<String>, String)>,
    done: Permissions,
}

impl Watched {
    async fn start(page: &str) -> Self {
        let administrator = PrincipalId::derive("tests", "administrator");
        let registry = InProcess::start_set(|settings| settings.administrator = Some(administrator)).await;
        let route = |row: Vec<String>| {
            let [route, function] = row.try_into().unwrap();
            let (method, path) = route.split_once(' ').unwrap();
            (method.to_owned(), path.split('/').map(str::to_owned).collect(), function)
        };
        let routes = rows(page, "## Routes").into_iter().map(route).collect();
        Self { registry, routes, done: Permissions::new() }
    }

    /// The function that serves a request: of the routes that match, the one with the fewest parameters.
    fn function(&self, method: &str, path: &str) -> String {
        let segments: Vec<_> = path.split('?').next().unwrap().split('/').collect();
        let fits = |pattern: &[String]| {
            let pairs = pattern.iter().zip(&segments);
            pattern.len() == segments.len() && pairs.into_iter().all(|(p, s)| p.starts_with('{') || p == s)
        };
        let matching = self.routes.iter().filter(|(m, pattern, _)| m == method && fits(pattern));
        let best = matching.min_by_key(|(_, pattern, _)| pattern.iter().filter(|p| p.starts_with('{')).count());
        best.unwrap_or_else(|| panic!("nobody serves {method} {path}")).2.clone()
    }

    fn note(&mut self, function: &str, calls: &[Call]) {
        let done = self.done.entry(function.to_owned()).or_default();
        done.extend(calls.iter().flat_map(Call::permissions));
    }

    async fn send(&mut self, by: &Caller, method: &str, path: &str, body: Value) -> Answer {
        self.registry.proxy.take_attempts();
        let key = format!("{}-{}", body["manifest"]["slug"], body["manifest"]["version"]);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = [("idempotency-key", key.as_str())];
        let headers = if method == "POST" && path == "/api/uploads" { &headers[..] } else { &[] };
        let answer = self.registry.send_with(Some(by), method, path, headers, &body).await;
        let (function, calls) = (self.function(method, path), self.registry.proxy.take_attempts());
        self.note(&function, &calls);
        self.note_signed(&function, &answer);
        answer
    }

    /// Whoever signs a URL needs what its holder does.
    fn note_signed(&mut self, function: &str, answer: &Answer) {
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        for (place, action) in [("staging/", "s3:PutObject"), ("packages/", "s3:GetObject")] {
            if text.contains("X-Amz-Signature") && text.contains(place) {
                self.done.entry(function.to_owned()).or_default().insert(Permission::new(action, place));
            }
        }
    }

    async fn ok(&mut self, by: &Caller, method: &str, path: &str, body: Value) -> Answer {
        let answer = self.send(by, method, path, body).await;
        assert!(answer.status.is_success(), "{method} {path}: {answer:?}");
        answer
    }

    /// Opens and uploads; the session's id is in the answer.
    async fn upload(&mut self, by: &Caller, request: Value, archive: &[u8]) -> skillhub_protocol::UploadId {
        let id = self.ok(by, "POST", "/api/uploads", request).await.session().id;
        self.registry.place(&id, archive).await;
        id
    }

    async fn validate(&mut self, id: &skillhub_protocol::UploadId) {
        self.registry.proxy.take_attempts();
        // A fault of a store is an outcome like others here.
        let _outcome = self.registry.validate(id).await;
        let calls = self.registry.proxy.take_attempts();
        self.note("validate", &calls);
    }

    async fn publish(&mut self, by: &Caller, skill: &Skill, namespace: &str, tags: &[&str]) -> PublishedVersion {
        let mut request = skill.request();
        (request["namespace"], request["tags"]) = (json!(namespace), json!(tags));
        let id = self.upload(by, request, &skill.archive()).await;
        self.validate(&id).await;
        self.ok(by, "GET", &format!("/api/uploads/{id}"), Value::Null).await.session().published.unwrap()
    }

    async fn sweep(&mut self) -> skillhub_sweep::Report {
        self.registry.proxy.take_attempts();
        let report = self.registry.functions.sweep().await;
        let calls = self.registry.proxy.take_attempts();
        self.note("sweep", &calls);
        assert_eq!(report.failed_steps, 0, "{report:?}");
        report
    }

    /// What the sweeper does when an operator asks for `{"rebuild": {}}`.
    async fn rebuild(&mut self) -> skillhub_sweep::Rebuild {
        self.registry.proxy.take_attempts();
        let validator = self.registry.functions.validator();
        let (run, more) = skillhub_sweep::rebuild(validator, skillhub_sweep::Rebuild::default()).await.unwrap();
        let calls = self.registry.proxy.take_attempts();
        self.note("sweep", &calls);
        assert!(!more, "{run:?}");
        run
    }
}

/// Everything that happens to skills and people, at least once.
async fn live(watched: &mut Watched) {
    let owner = watched.registry.owner.clone();
    let (lead, mate) = (watched.registry.person("lead").await, watched.registry.person("mate").await);
    let team = json!({ "namespace": "@team", "kind": "organization" });
    watched.ok(&lead, "POST", "/api/namespaces", team).await;
    for role in ["reader", "publisher"] {
        watched.ok(&lead, "PUT", "/api/namespaces/@team/members/mate", json!({ "role": role })).await;
    }
    let first = watched.publish(&lead, &Skill::new("tool", "x"), "@team", &["beta"]).await;
    let second = watched.publish(&lead, &Skill::new("tool", "y").version("2.0.0"), "@team", &[]).await;
    watched.publish(&owner, &Skill::new("open", "x"), "@global", &[]).await;
    read(watched, &lead, &first).await;
    change(watched, &lead, [&first, &second]).await;
    for path in ["/api/namespaces/@team", "/api/namespaces/@team/audit", "/api/tokens", "/api/whoami"] {
        watched.ok(&lead, "GET", path, Value::Null).await;
    }
    let made = watched.ok(&mate, "POST", "/api/tokens", json!({ "name": "bot", "scopes": ["read"] })).await.json();
    let token = format!("/api/tokens/{}", made["id"].as_str().unwrap());
    watched.ok(&mate, "DELETE", &token, Value::Null).await;
    watched.ok(&lead, "DELETE", "/api/namespaces/@team/members/mate", Value::Null).await;
}

async fn read(watched: &mut Watched, by: &Caller, version: &PublishedVersion) {
    let skill = format!("/api/skills/{}", version.skill_id);
    let of_version = format!("{skill}/versions/{}", version.version_id);
    let download = format!("{of_version}/download");
    let coordinates = ["@team/tool", "@team/tool@1.0.0", "@team/tool@beta"];
    let coordinates = coordinates.map(|coordinate| format!("/api/resolve?coordinate={coordinate}"));
    let fixed = ["/api/skills", "/api/skills?namespace=@team", "/api/search?q=tool", "/api/uploads"];
    let paths = fixed.into_iter().map(str::to_owned).chain(coordinates);
    let of_skill = [skill.clone(), format!("{skill}/tags"), format!("{skill}/versions"), of_version, download];
    for path in paths.chain(of_skill).collect::<Vec<_>>() {
        watched.ok(by, "GET", &path, Value::Null).await;
    }
}

async fn change(watched: &mut Watched, by: &Caller, [first, version]: [&PublishedVersion; 2]) {
    let skill = format!("/api/skills/{}", version.skill_id);
    watched.ok(by, "GET", &format!("{skill}/maintainers"), Value::Null).await;
    for method in ["PUT", "DELETE"] {
        watched.ok(by, method, &format!("{skill}/maintainers/mate"), Value::Null).await;
        watched.ok(by, method, &format!("{skill}/tags/new"), json!({ "version": "2.0.0" })).await;
    }
    watched.ok(by, "PUT", &format!("{skill}/tags/newer"), json!({ "version": "2.0.0" })).await;
    watched.ok(by, "PATCH", &skill, json!({ "scope": "public" })).await;
    for what in ["yank", "unyank", "block"] {
        let path = format!("{skill}/versions/{}/{what}", version.version_id);
        watched.ok(by, "POST", &path, json!({ "reason": "a test" })).await;
    }
    // Without a current version the skill leaves its lists.
    watched.ok(by, "POST", &format!("{skill}/versions/{}/yank", first.version_id), json!({ "reason": "a test" })).await;
}

/// Uploads that end in other ways: canceled, rejected, given up by the network, found by the sweeper.
async fn stumble(watched: &mut Watched) {
    let owner = watched.registry.owner.clone();
    let id = watched.ok(&owner, "POST", "/api/uploads", Skill::new("canceled", "x").request()).await.session().id;
    watched.ok(&owner, "DELETE", &format!("/api/uploads/{id}"), Value::Null).await;

    let mut bad = Skill::new("bad", "x");
    let manifest = bad.manifest();
    bad.files[1].1.push(b'!');
    let archive = archive_of(&bad.files);
    let id = watched.upload(&owner, open_request(&manifest, &archive), &archive).await;
    watched.validate(&id).await;
    assert_eq!(watched.registry.session(&id).await.state, UploadState::Rejected);

    // The answer of the transaction is lost: the session tells.
    let answered = Skill::new("answered", "x");
    let id = watched.upload(&owner, answered.request(), &answered.archive()).await;
    watched.registry.proxy.inject(every(Operation::TransactWriteItems), Fault::FailedAfterwards);
    watched.validate(&id).await;
    watched.registry.proxy.clear();
    // It does not happen: the next validator finds the artifact there.
    let delayed = Skill::new("delayed", "x");
    let id = watched.upload(&owner, delayed.request(), &delayed.archive()).await;
    watched.registry.proxy.inject(every(Operation::TransactWriteItems), Fault::Unavailable);
    watched.validate(&id).await;
    watched.registry.proxy.clear();
    watched.registry.clock.advance(std::time::Duration::from_secs(91));
    watched.validate(&id).await;
    assert_eq!(watched.registry.session(&id).await.state, UploadState::Published);
}

/// A table that has forgotten a version of a skill, and another skill with all that is its own: their numbers are taken again.
async fn restore(watched: &mut Watched) {
    let owner = watched.registry.owner.clone();
    let key = |row: &Row| (row.pk.clone(), row.sk.clone());
    let before: BTreeSet<_> = watched.registry.table.scan().await.unwrap().iter().map(key).collect();
    watched.publish(&owner, &Skill::new("open", "y").version("2.0.0"), "@global", &[]).await;
    watched.publish(&owner, &Skill::new("forgotten", "x"), "@global", &[]).await;
    let table = &watched.registry.table;
    for (pk, sk) in table.scan().await.unwrap().iter().map(key).filter(|key| !before.contains(key)) {
        table.delete(&pk, &sk).await.unwrap();
    }
    let run = watched.rebuild().await;
    assert_eq!((run.retaken, run.unknown), (2, 0), "{run:?}");
}

async fn sweep(watched: &mut Watched) {
    use std::time::Duration;

    let owner = watched.registry.owner.clone();
    let lost = Skill::new("lost", "x");
    watched.upload(&owner, lost.request(), &lost.archive()).await;
    watched.ok(&owner, "POST", "/api/uploads", Skill::new("never", "x").request()).await;
    let late = Skill::new("late", "x");
    let id = watched.upload(&owner, late.request(), &late.archive()).await;
    // Without its session's bytes being told of, after its end.
    watched.ok(&owner, "DELETE", &format!("/api/uploads/{id}"), Value::Null).await;
    watched.registry.clock.advance(Duration::from_secs(121));
    let report = watched.sweep().await;
    assert_eq!((report.sessions.validated, report.uploads.removed), (1, 1), "{report:?}");
    let (part, data) = ("p".to_owned() + &"0".repeat(24), b"never published".to_vec());
    let digest = skillhub_package::sha256(&data);
    watched.registry.objects().put_part(&part.parse().unwrap(), digest, data).await.unwrap();
    watched.registry.clock.advance(Duration::from_secs(2 * 60 * 60 + 1));
    let report = watched.sweep().await;
    assert_eq!((report.sessions.expired, report.late_parts), (1, 1), "{report:?}");
    // A registry without its first namespace: the administrator founds it.
    let table = &watched.registry.table;
    for row in table.scan().await.unwrap() {
        if row.pk == "N#global" || row.pk == "H#global" || row.sk == "N#global" {
            table.delete(&row.pk, &row.sk).await.unwrap();
        }
    }
    watched.sweep().await;
}

/// What follows from how the functions are made, rather than from one run.
fn complete(done: &mut Permissions) {
    let read = |key| Permission::new("dynamodb:GetItem", key);
    let authentication = [read("K#"), read("CFG"), Permission::new("dynamodb:Query", "P#")];
    for function in HTTP {
        // Keys of an issuer are read where a token is; the first connection is made by a read of the same partition.
        done.entry(function.to_owned()).or_default().extend(authentication.clone());
    }
    // The sweeper calls the validator, whatever that then finds.
    let validation = done.get("validate").cloned().unwrap_or_default();
    done.entry("sweep".to_owned()).or_default().extend(validation);
    done.entry("validate".to_owned()).or_default().insert(read("CFG"));
    // Who reads objects may list the bucket, so that a missing one is no lack of permission.
    for permissions in done.values_mut() {
        if permissions.iter().any(|permission| permission.action == "s3:GetObject") {
            permissions.insert(Permission::new("s3:ListBucket", ""));
        }
    }
}

#[tokio::test]
async fn roles_allow_what_the_functions_do_and_nothing_else() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../infra/aws/RESOURCES.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mut watched = Watched::start(&page).await;
    live(&mut watched).await;
    stumble(&mut watched).await;
    restore(&mut watched).await;
    sweep(&mut watched).await;
    complete(&mut watched.done);
    let (allowed, mut done) = (allowed(&page), watched.done);
    let missing = |from: &Permissions, of: &Permissions| {
        let mut lines = Vec::new();
        for (function, permissions) in of {
            let there = from.get(function).cloned().unwrap_or_default();
            lines.extend(permissions.difference(&there).map(|p| format!("{function}: {} on {:?}", p.action, p.on)));
        }
        lines
    };
    done.remove(ELSEWHERE);
    let (lacks, surplus) = (missing(&allowed, &done), missing(&done, &allowed));
    assert!(
        lacks.is_empty() && surplus.is_empty(),
        "roles lack {lacks:#?}\nroles have beyond what is used {surplus:#?}"
    );
}
