//! What each request and each run costs in calls of the stores: exactly these, in this order. Authentication and the rate of
//! writing are counted apart.

use serde_json::{Value, json};
use skillhub_protocol::{PublishedVersion, Role, UploadState};
use skillhub_store::{Issuer, IssuerKey, IssuerKeys};
use skillhub_tests::in_process::{Answer, Caller, InProcess};
use skillhub_tests::issuer::{AUDIENCE, IssuerServer, TestKey, claims};
use skillhub_tests::proxy::Call;
use skillhub_tests::skill::{Skill, archive_of, open_request};

/// One read of the token, one query of the memberships.
const AUTHENTICATION: [&str; 2] = ["GetItem K strong", "Query P"];

/// The bucket of a writer: one update, two after a pause.
const RATE: &str = "UpdateItem RL";

fn texts(calls: &[Call]) -> Vec<String> {
    calls.iter().map(ToString::to_string).collect()
}

/// A request, and what it must come to.
struct Case<'a> {
    caller: Option<&'a Caller>,
    request: (&'a str, String, String),
    headers: &'a [(&'a str, &'a str)],
    status: u16,
    calls: &'a [&'a str],
}

impl<'a> Case<'a> {
    fn get(caller: Option<&'a Caller>, path: impl Into<String>, status: u16, calls: &'a [&'a str]) -> Self {
        Self { caller, request: ("GET", path.into(), String::new()), headers: &[], status, calls }
    }

    fn post(caller: &'a Caller, body: &Value, status: u16, calls: &'a [&'a str]) -> Self {
        let request = ("POST", String::from("/api/uploads"), body.to_string());
        Self { caller: Some(caller), request, headers: &[], status, calls }
    }

    fn delete(caller: &'a Caller, path: String, status: u16, calls: &'a [&'a str]) -> Self {
        Self { caller: Some(caller), request: ("DELETE", path, String::new()), headers: &[], status, calls }
    }

    async fn check(&self, registry: &InProcess) -> Answer {
        registry.proxy.take_attempts();
        let (method, path, body) = &self.request;
        let answer = registry.send_with(self.caller, method, path, self.headers, body).await;
        let mut calls = texts(&registry.proxy.take_attempts());
        assert_eq!(answer.status, self.status, "{method} {path}: {answer:?}");
        if self.caller.is_some() {
            assert!(calls.len() >= 2, "{method} {path}: {calls:?}");
            assert_eq!(calls.drain(..2).collect::<Vec<_>>(), AUTHENTICATION, "{method} {path}");
        }
        if *method != "GET" {
            let updates = calls.iter().take_while(|call| *call == RATE).count();
            assert!((1..=2).contains(&updates), "{method} {path}: {calls:?}");
            calls.drain(..updates);
        }
        assert_eq!(calls, self.calls, "{method} {path}");
        answer
    }
}

/// `hello` with two versions and a tag in `@global`, `own` in the owner's personal namespace, and an organization.
async fn shelf(registry: &InProcess) -> (PublishedVersion, PublishedVersion) {
    registry.found_namespace(&registry.owner, "@team", "organization").await;
    registry.publish(&Skill::new("hello", "x")).await;
    let tagged = Skill::new("hello", "y").version("2.0.0");
    let hello = publish(registry, &tagged, |request| request["tags"] = json!(["beta"])).await;
    let to_own = |request: &mut Value| (request["namespace"], request["tags"]) = (json!("@owner"), json!(["beta"]));
    let own = publish(registry, &Skill::new("own", "z"), to_own).await;
    (hello, own)
}

async fn publish(registry: &InProcess, skill: &Skill, change: impl FnOnce(&mut Value)) -> PublishedVersion {
    let mut request = skill.request();
    change(&mut request);
    let answer = registry.send(Some(&registry.owner), "POST", "/api/uploads", &request.to_string()).await;
    let id = answer.session().id;
    let event = registry.place(&id, &skill.archive()).await;
    registry.deliver(&event).await.unwrap();
    registry.session(&id).await.published.unwrap()
}

#[tokio::test]
async fn reading() {
    let registry = InProcess::start().await;
    let (hello, own) = shelf(&registry).await;
    registry.publish(&Skill::new("patched", "new").version("2.0.0")).await;
    let patched = publish(&registry, &Skill::new("patched", "old").version("1.0.1"), |_| ()).await;
    // What a query may see for a moment of a skill that is being published: the body, and not yet the skill.
    let half = publish(&registry, &Skill::new("half", "x"), |_| ()).await;
    registry.table.delete(&format!("S#{}", half.skill_id), "#META").await.unwrap();
    let stranger = registry.member("stranger", Role::Reader).await;
    let (owner, other) = (Some(&registry.owner), Some(&stranger));
    let path = |p: &PublishedVersion, rest: &str| format!("/api/skills/{}{rest}", p.skill_id);
    let version = |p: &PublishedVersion, rest: &str| path(p, &format!("/versions/{}{rest}", p.version_id));
    let unknown = format!("v{}", "0".repeat(24));
    let resolve = |coordinate: &str| format!("/api/resolve?coordinate={coordinate}");
    let (two_reads, miss) = (&["GetItem S", "GetItem S"], &["GetItem S", "GetItem S strong"]);
    let coordinate = &["GetItem G strong", "GetItem S strong"];
    let elsewhere = &["GetItem H", "GetItem G strong", "GetItem S strong"];
    let cases = [
        // A list: one query for each partition that the caller sees: public; personal too; an organization too.
        Case::get(None, "/api/skills", 200, &["Query L"]),
        Case::get(other, "/api/skills", 200, &["Query L"; 2]),
        Case::get(owner, "/api/skills", 200, &["Query L"; 3]),
        Case::get(owner, "/api/skills?limit=1", 200, &["Query L"; 3]),
        Case::get(owner, format!("/api/skills?cursor={}", hello.skill_id), 200, &["Query L"; 3]),
        Case::get(owner, "/api/skills?limit=0", 400, &[]),
        Case::get(owner, "/api/skills?cursor=x", 400, &[]),
        // A detail: one query of two items, and a read where a later version is not the current one; a miss is looked at again.
        Case::get(None, path(&hello, ""), 200, &["Query S"]),
        Case::get(owner, path(&own, ""), 200, &["Query S"]),
        Case::get(None, path(&patched, ""), 200, &["Query S", "GetItem S"]),
        Case::get(other, path(&own, ""), 404, &["Query S"]),
        Case::get(None, path(&half, ""), 404, &["Query S", "Query S strong"]),
        Case::get(None, format!("/api/skills/c{}", "0".repeat(24)), 404, &["Query S", "Query S strong"]),
        Case::get(None, "/api/skills/nonsense", 404, &[]),
        // A version: two reads.
        Case::get(None, version(&hello, ""), 200, two_reads),
        Case::get(other, version(&own, ""), 404, &["GetItem S"]),
        Case::get(None, path(&hello, &format!("/versions/{unknown}")), 404, miss),
        Case::get(None, path(&hello, "/versions/1.0.0"), 404, &[]),
        // A download: one read, no call of the object store.
        Case::get(None, version(&hello, "/download"), 200, &["GetItem S"]),
        Case::get(owner, version(&own, "/download"), 200, &["GetItem S"]),
        Case::get(other, version(&own, "/download"), 404, &["GetItem S"]),
        Case::get(None, path(&hello, &format!("/versions/{unknown}/download")), 404, miss),
        // A coordinate: slug, and then META, number or tag; the handle of another namespace comes before. Each needs the one
        // before it, so they are three in a row at most.
        Case::get(None, resolve("hello"), 200, coordinate),
        Case::get(None, "/api/resolve?canonicalSlug=hello", 200, coordinate),
        Case::get(None, resolve("hello@1.0.0"), 200, coordinate),
        Case::get(None, resolve("hello@3.0.0"), 404, coordinate),
        Case::get(None, resolve("hello@beta"), 200, coordinate),
        Case::get(None, resolve("hello@gamma"), 404, coordinate),
        Case::get(None, resolve("nothing"), 404, &["GetItem G strong"]),
        Case::get(owner, resolve("@owner/own"), 200, elsewhere),
        Case::get(other, resolve("@owner/own"), 404, elsewhere),
        Case::get(owner, resolve("@owner/own@1.0.0"), 200, elsewhere),
        Case::get(owner, resolve("@owner/own@beta"), 200, elsewhere),
        // A name alone: slug, after the handle.
        Case::get(None, "/api/namespaces/@global/skills/hello", 200, &["GetItem G strong"]),
        Case::get(owner, "/api/namespaces/owner/skills/own", 200, &["GetItem H", "GetItem G strong"]),
        Case::get(other, "/api/namespaces/owner/skills/own", 404, &["GetItem H", "GetItem G strong"]),
        Case::get(None, resolve("@nobody/own"), 404, &["GetItem H", "GetItem H strong"]),
        Case::get(None, resolve("@"), 400, &[]),
        Case::get(None, "/healthz", 200, &[]),
        Case::get(None, "/api/nothing", 404, &[]),
    ];
    for case in &cases {
        case.check(&registry).await;
    }
}

#[tokio::test]
async fn a_credential_that_is_not_accepted() {
    let registry = InProcess::start().await;
    let cases: [(&str, &[&str]); 3] = [
        ("Bearer nonsense", &[]),
        ("Basic sk_x", &[]),
        ("Bearer sk_0123456789012345678901234567890123456789012", &["GetItem K strong"]),
    ];
    for (credential, expected) in cases {
        for path in ["/api/skills", "/api/whoami"] {
            registry.proxy.take_attempts();
            let answer = registry.send_with(None, "GET", path, &[("authorization", credential)], "").await;
            assert_eq!((answer.status.as_u16(), answer.code().as_str()), (401, "unauthenticated"), "{credential}");
            assert_eq!(texts(&registry.proxy.take_attempts()), expected, "{credential}");
        }
    }
}

/// Sends a JWT; gives status and code of the answer, and the calls that it took.
async fn with_jwt(registry: &InProcess, token: &str) -> (u16, String, Vec<String>) {
    registry.proxy.take_attempts();
    let credential = format!("Bearer {token}");
    let answer = registry.send_with(None, "GET", "/api/whoami", &[("authorization", &credential)], "").await;
    let code = if answer.status.is_success() { String::new() } else { answer.code() };
    (answer.status.as_u16(), code, texts(&registry.proxy.take_attempts()))
}

#[tokio::test]
async fn jwts() {
    let (a, b) = (TestKey::new("a", 1), TestKey::new("b", 2));
    let issuer = Issuer::new("https://id.example", AUDIENCE).unwrap();
    let registry = InProcess::start_set(|settings| settings.issuer = Some(issuer.clone())).await;
    let mut claims = claims(issuer.url(), "alice");
    claims["exp"] = json!(4_000_000_000_u64);
    let token = |key: &TestKey| key.sign(&key.header(), &claims);
    let store = async |keys: &[&TestKey]| {
        let keys = keys.iter().map(|key| IssuerKey::from_jwk(key.jwk()).unwrap()).collect();
        let (issuer, fetched_at) = (issuer.url().to_owned(), registry.clock.now());
        registry.table().put_issuer_keys(&IssuerKeys { issuer, keys, fetched_at }).await.unwrap();
    };
    let check = async |token: &str, status: u16, code: &str, calls: &[&str], why: &str| {
        let calls: Vec<_> = calls.iter().map(|call| (*call).to_owned()).collect();
        assert_eq!(with_jwt(&registry, token).await, (status, code.to_owned(), calls), "{why}");
    };
    let after = |seconds| registry.clock.advance(std::time::Duration::from_secs(seconds));
    let (keys, caller, refused) = ("GetItem CFG strong", "Query P", "unauthenticated");

    check("a.b.c", 401, refused, &[], "no JWT").await;
    check(&token(&a), 503, "auth_unavailable", &[keys], "there are no keys").await;
    store(&[&a]).await;
    check(&token(&a), 200, "", &[keys, caller], "the keys are read once").await;
    check(&token(&a), 200, "", &[caller], "and then known").await;
    check(&format!("{}x", token(&a)), 401, refused, &[], "a wrong signature").await;
    store(&[&b]).await;
    check(&token(&b), 401, refused, &[], "they were read just now").await;
    after(30);
    check(&token(&b), 200, "", &[keys, caller], "one look for an unknown key").await;
    check(&token(&a), 401, refused, &[], "and no second").await;
    after(30);
    check(&token(&a), 401, refused, &[keys], "until half a minute later").await;
    after(299);
    check(&token(&b), 200, "", &[caller], "known keys are used").await;
    after(1);
    check(&token(&b), 200, "", &[keys, caller], "for five minutes").await;
}

#[tokio::test]
async fn opening_and_ending_sessions() {
    let registry = InProcess::start().await;
    shelf(&registry).await;
    let member = registry.member("member", Role::Owner).await;
    let owner = &registry.owner;
    let request = |name: &str, seed: &str, version: &str| Skill::new(name, seed).version(version).request();
    let changed = |mut request: Value, field: &str, value: Value| {
        request[field] = value;
        request
    };
    let new = request("new", "x", "1.0.0");
    let keyed = [("idempotency-key", "k")];
    let with_key =
        |request: &Value, status, calls| Case { headers: &keyed, ..Case::post(owner, request, status, calls) };
    let (batches, hello) = (["BatchGetItem 2", "BatchGetItem 2"], request("hello", "z", "3.0.0"));
    let cases = [
        // What needs no look at the table.
        Case::post(owner, &json!({}), 400, &[]),
        Case::post(owner, &request("a--b", "x", "1.0.0"), 422, &[]),
        Case::post(owner, &changed(new.clone(), "namespace", json!("@nobody")), 403, &[]),
        // A new skill, asked for twice, and by another while the first waits.
        Case::post(owner, &new, 201, &["BatchGetItem 2", "Query P", "TransactWriteItems 4"]),
        Case::post(owner, &new, 200, &["BatchGetItem 2", "GetItem U strong"]),
        Case::post(&member, &new, 409, &["BatchGetItem 2"]),
        // Another version of a skill; one that is there, with the same content and with other.
        Case::post(owner, &hello, 201, &["BatchGetItem 2", "BatchGetItem 2", "Query P", "TransactWriteItems 4"]),
        Case::post(owner, &request("hello", "x", "1.0.0"), 200, &batches),
        Case::post(owner, &request("hello", "other", "1.0.0"), 409, &batches),
        Case::post(
            owner,
            &changed(request("own", "x", "2.0.0"), "namespace", json!("@owner")),
            201,
            &["BatchGetItem 2", "BatchGetItem 2", "Query P", "TransactWriteItems 4"],
        ),
        // With an Idempotency-Key: its record, too.
        with_key(&request("keyed", "x", "1.0.0"), 201, &["BatchGetItem 3", "Query P", "TransactWriteItems 5"]),
        with_key(&request("keyed", "x", "1.0.0"), 200, &["BatchGetItem 3", "GetItem U strong"]),
        with_key(&request("keyed", "y", "1.0.0"), 409, &["BatchGetItem 3"]),
        Case::get(Some(owner), "/api/uploads", 200, &["Query P strong"]),
        Case::get(Some(owner), "/api/whoami", 200, &[]),
        Case::get(Some(owner), format!("/api/uploads/u{}", "0".repeat(24)), 404, &["GetItem U strong"]),
    ];
    for case in &cases {
        case.check(&registry).await;
    }

    let session = format!("/api/uploads/{}", registry.open(&Skill::new("new", "x")).await.id);
    let canceled = ["GetItem U strong", "TransactWriteItems 2", "DeleteItem UL"];
    for case in [
        Case::get(Some(owner), session.clone(), 200, &["GetItem U strong"]),
        Case::delete(owner, session.clone(), 200, &canceled),
        Case::delete(owner, session.clone(), 200, &["GetItem U strong", "DeleteItem UL"]),
    ] {
        case.check(&registry).await;
    }
    let published = registry.publish(&Skill::new("done", "x")).await;
    Case::delete(owner, format!("/api/uploads/{}", published.id), 409, &["GetItem U strong"]).check(&registry).await;
}

/// A package whose manifest is not that of its files.
fn bad() -> (Value, Vec<u8>) {
    let mut skill = Skill::new("bad", "x");
    let manifest = skill.manifest();
    skill.files[1].1.push(b'!');
    let archive = archive_of(&skill.files);
    (open_request(&manifest, &archive), archive)
}

#[tokio::test]
async fn validating() {
    let registry = InProcess::start().await;
    let proxy = &registry.proxy;
    let publish = [
        "UpdateItem U",
        "GetObject staging",
        "BatchGetItem 6",
        "PutObject packages",
        "TransactWriteItems 14",
        "DeleteObject staging",
    ];
    let (id, event) = registry.upload(&Skill::new("new", "x")).await;
    proxy.take_attempts();
    registry.deliver(&event).await.unwrap();
    assert_eq!(texts(&proxy.take_attempts()), publish, "a new skill");
    registry.deliver(&event).await.unwrap();
    assert_eq!(texts(&proxy.take_attempts()), ["UpdateItem U", "DeleteObject staging"], "the event again");
    assert_eq!(registry.session(&id).await.state, UploadState::Published);

    let (_, event) = registry.upload(&Skill::new("new", "y").version("2.0.0")).await;
    proxy.take_attempts();
    registry.deliver(&event).await.unwrap();
    // The slug is there already.
    let another = publish.map(|call| call.replace("14", "13"));
    assert_eq!(texts(&proxy.take_attempts()), another, "another version");

    let (request, archive) = bad();
    let answer = registry.send(Some(&registry.owner), "POST", "/api/uploads", &request.to_string()).await;
    let id = answer.session().id;
    let waiting = ["UpdateItem U", "GetObject staging", "TransactWriteItems 1"];
    proxy.take_attempts();
    registry.validate(&id).await.unwrap();
    assert_eq!(texts(&proxy.take_attempts()), waiting, "no bytes yet");
    let event = registry.place(&id, &archive).await;
    registry.deliver(&event).await.unwrap();
    let rejected = [
        "UpdateItem U",
        "GetObject staging",
        "BatchGetItem 6",
        "TransactWriteItems 2",
        "DeleteObject staging",
        "DeleteItem UL",
    ];
    assert_eq!(texts(&proxy.take_attempts()), rejected, "a bad package");
    assert_eq!(registry.session(&id).await.state, UploadState::Rejected);

    let unknown = format!("u{}", "0".repeat(24)).parse().unwrap();
    proxy.take_attempts();
    registry.validate(&unknown).await.unwrap();
    assert_eq!(texts(&proxy.take_attempts()), ["UpdateItem U"], "no such session");
}

#[tokio::test]
async fn sweeping() {
    use std::time::Duration;

    let registry = InProcess::start().await;
    let proxy = &registry.proxy;
    // Where the walks over uploads and artifacts stand, and a page of each.
    let walks = [
        "GetItem CFG strong",
        "ListObjects staging",
        "ListObjects parts",
        "GetItem CFG strong",
        "ListObjects packages",
    ];
    registry.functions.sweep().await;
    assert_eq!(texts(&proxy.take_attempts()), [&["Query due"], &walks[..]].concat(), "nothing");

    registry.open(&Skill::new("waiting", "x")).await;
    registry.clock.advance(Duration::from_secs(121));
    proxy.take_attempts();
    registry.functions.sweep().await;
    let look = ["Query due", "GetItem U strong", "HeadObject staging"];
    assert_eq!(texts(&proxy.take_attempts()), [&look[..], &["UpdateItem U"], &walks[..]].concat(), "no bytes yet");

    registry.clock.advance(Duration::from_secs(60 * 60));
    registry.functions.sweep().await;
    let expired = [&look[..], &["TransactWriteItems 2", "DeleteItem UL"], &walks[..]].concat();
    assert_eq!(texts(&proxy.take_attempts()), expired, "no bytes in time");
}

#[tokio::test]
async fn sweeping_with_an_issuer() {
    let server = IssuerServer::start(&json!([TestKey::new("a", 1).jwk()]));
    let issuer = Issuer::new(&server.url(), AUDIENCE).unwrap();
    let registry = InProcess::start_set(|settings| settings.issuer = Some(issuer)).await;
    // The rest of a run is counted above.
    for (seconds, calls, asked) in [
        (0, ["GetItem CFG strong", "PutItem CFG"], 2),
        (60, ["GetItem CFG strong", "Query due"], 0),
        (240, ["GetItem CFG strong", "PutItem CFG"], 2),
    ] {
        registry.clock.advance(std::time::Duration::from_secs(seconds));
        registry.proxy.take_attempts();
        assert_eq!(registry.functions.sweep().await.failed_steps, 0);
        assert_eq!(texts(&registry.proxy.take_attempts())[..2], calls, "{seconds} s later");
        assert_eq!(server.asked().len(), asked, "{seconds} s later");
    }
}
