//! JWTs: the keys on their way from the issuer into the table, and what the API makes of tokens.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use skillhub_protocol::UtcMillis;
use skillhub_store::Issuer;
use skillhub_sweep::{FETCH_LIMIT, FetchError, Refresh, fetch_keys, refresh_keys};
use skillhub_tests::in_process::InProcess;
use skillhub_tests::issuer::{AUDIENCE, DISCOVERY, IssuerServer, KEYS, Reply, TestKey, claims};

use crate::support::{Answer, Http, Registry};

fn issuer(server: &IssuerServer) -> Issuer {
    Issuer::new(&server.url(), AUDIENCE).unwrap()
}

/// The names of the keys that are fetched.
fn fetched(server: &IssuerServer) -> Result<Vec<String>, FetchError> {
    let keys = fetch_keys(&issuer(server), FETCH_LIMIT)?;
    Ok(keys.iter().map(|key| key.kid().to_owned()).collect())
}

fn text(body: impl Into<Vec<u8>>) -> Reply {
    Reply::Plain(200, String::new(), body.into())
}

#[test]
fn keys_are_found_through_discovery_and_unusable_ones_left_out() {
    let (a, b) = (TestKey::new("a", 1), TestKey::new("b", 2));
    let mut for_encryption = TestKey::new("c", 3).jwk();
    for_encryption["use"] = "enc".into();
    let mut nameless = b.jwk();
    nameless["kid"] = Value::Null;
    let symmetric = json!({ "kid": "d", "kty": "oct", "k": "c2VjcmV0" });
    let weak = json!({ "kid": "e", "kty": "RSA", "n": "_".repeat(171), "e": "AQAB" });
    let same_name = TestKey::new("a", 4).jwk();
    let server =
        IssuerServer::start(&json!([for_encryption, nameless, a.jwk(), symmetric, weak, same_name, 7, b.jwk()]));
    assert_eq!(fetched(&server).unwrap(), ["a", "b"]);
    assert_eq!(server.asked(), [DISCOVERY, KEYS]);

    let many: Vec<_> = (0..40)
        .map(|number| {
            let mut jwk = a.jwk();
            jwk["kid"] = number.to_string().into();
            jwk
        })
        .collect();
    server.reply(KEYS, Reply::json(&json!({ "keys": many, "more": {} })));
    assert_eq!(fetched(&server).unwrap(), (0..32).map(|number| number.to_string()).collect::<Vec<_>>());

    let mut largest = json!({ "keys": [b.jwk()] }).to_string();
    largest.push_str(&" ".repeat((256 << 10) - largest.len()));
    server.reply(KEYS, text(largest.clone()));
    assert_eq!(fetched(&server).unwrap(), ["b"]);
    server.reply(KEYS, text(largest + " "));
    assert!(matches!(fetched(&server), Err(FetchError::TooLarge(_))));
}

#[test]
fn a_misbehaving_issuer_gives_no_keys() {
    let server = IssuerServer::start(&json!([TestKey::new("a", 1).jwk()]));
    let elsewhere = IssuerServer::start(&json!([TestKey::new("evil", 2).jwk()]));
    let good = json!({ "issuer": server.url(), "jwks_uri": server.url() + KEYS });
    let discovery = |name: &str, value: &str| {
        let mut document = good.clone();
        document[name] = value.into();
        (DISCOVERY, Reply::json(&document))
    };
    let redirect = |path: &'static str, status, to: String| (path, Reply::Plain(status, to, b"{}".to_vec()));
    let cases = [
        (discovery("issuer", &(server.url() + "/")), "WrongIssuer"),
        (discovery("issuer", &elsewhere.url()), "WrongIssuer"),
        (discovery("jwks_uri", "http://keys.example/jwks"), "Address"),
        (discovery("jwks_uri", "http://127.0.0.1.keys.example/jwks"), "Address"),
        (discovery("jwks_uri", "file:///etc/hostname"), "Address"),
        (discovery("jwks_uri", "/keys"), "Address"),
        (discovery("jwks_uri", "http://127.0.0.1:1/keys"), "Unreachable"),
        (redirect(DISCOVERY, 302, elsewhere.url() + DISCOVERY), "Status"),
        (redirect(KEYS, 302, elsewhere.url() + KEYS), "Status"),
        (redirect(KEYS, 307, elsewhere.url() + KEYS), "Status"),
        (redirect(KEYS, 304, String::new()), "Status"),
        (redirect(KEYS, 404, String::new()), "Status"),
        (redirect(DISCOVERY, 500, String::new()), "Status"),
        ((DISCOVERY, text("<html>")), "Malformed"),
        ((DISCOVERY, text("[]")), "Malformed"),
        ((KEYS, text("")), "Malformed"),
        ((KEYS, text([0xff, 0xfe])), "Malformed"),
        ((KEYS, text(r#"{"keys":{}}"#)), "Malformed"),
        ((KEYS, text("[".repeat(100_000))), "Malformed"),
        ((DISCOVERY, Reply::Flood), "TooLarge"),
        ((KEYS, Reply::Flood), "TooLarge"),
    ];
    for ((path, reply), kind) in cases {
        server.reply(DISCOVERY, Reply::json(&good));
        server.reply(KEYS, Reply::json(&json!({ "keys": [TestKey::new("a", 1).jwk()] })));
        assert_eq!(fetched(&server).unwrap(), ["a"]);
        server.reply(path, reply);
        let error = fetched(&server).unwrap_err();
        assert!(format!("{error:?}").starts_with(kind), "{path} {kind}: {error:?}");
    }
    assert_eq!(elsewhere.asked(), Vec::<String>::new(), "no redirect is followed");
}

#[test]
fn a_slow_issuer_is_waited_for_no_longer_than_the_limit() {
    let server = IssuerServer::start(&json!([]));
    for path in [KEYS, DISCOVERY] {
        for reply in [Reply::Silence, Reply::Drip] {
            server.reply(path, reply);
            let started = Instant::now();
            let error = fetch_keys(&issuer(&server), Duration::from_millis(300)).unwrap_err();
            assert!(matches!(error, FetchError::Unreachable { .. }), "{error:?}");
            assert!(started.elapsed() < FETCH_LIMIT, "{:?}", started.elapsed());
        }
    }
}

#[tokio::test]
async fn keys_are_fetched_every_five_minutes_and_the_old_ones_stay_when_that_fails() {
    let registry = InProcess::start().await;
    let table = registry.table();
    let server = IssuerServer::start(&json!([TestKey::new("a", 1).jwk()]));
    let issuer = issuer(&server);
    let unavailable = Reply::Plain(503, String::new(), Vec::new());
    let good = Reply::json(&json!({ "keys": [TestKey::new("a", 1).jwk()] }));
    let rotated = Reply::json(&json!({ "keys": [TestKey::new("b", 2).jwk(), TestKey::new("a", 1).jwk()] }));
    let revoked = Reply::json(&json!({ "keys": [] }));
    let documents = 2;
    // At which second, the answer to the request for keys, what becomes of it, which keys are stored since when, requests.
    let steps = [
        (0, unavailable, Refresh::Failed, None, documents),
        (1, good.clone(), Refresh::Fetched(1), Some((vec!["a"], 1)), documents),
        (2, good.clone(), Refresh::Fresh, Some((vec!["a"], 1)), 0),
        (300, rotated.clone(), Refresh::Fresh, Some((vec!["a"], 1)), 0),
        (301, good, Refresh::Fetched(1), Some((vec!["a"], 301)), documents),
        (600, rotated.clone(), Refresh::Fresh, Some((vec!["a"], 301)), 0),
        (601, text("garbage"), Refresh::Failed, Some((vec!["a"], 301)), documents),
        (602, Reply::Flood, Refresh::Failed, Some((vec!["a"], 301)), documents),
        (660, rotated, Refresh::Fetched(2), Some((vec!["b", "a"], 660)), documents),
        (960, revoked.clone(), Refresh::Fetched(0), Some((vec![], 960)), documents),
        (0, revoked, Refresh::Fetched(0), Some((vec![], 0)), documents),
    ];
    for (second, reply, expected, kept, requests) in steps {
        server.reply(KEYS, reply);
        let at = |second: i64| UtcMillis::from_epoch_millis(1_790_000_000_000 + second * 1000).unwrap();
        let refreshed = refresh_keys(table, &issuer, FETCH_LIMIT, at(second)).await.unwrap();
        assert_eq!(refreshed, expected, "at {second} s");
        assert_eq!(server.asked().len(), requests, "at {second} s");
        let stored = table.issuer_keys(&issuer).await.unwrap();
        let stored = stored.as_ref().map(|stored| {
            let kids: Vec<_> = stored.keys.iter().map(|key| key.kid()).collect();
            (kids, stored.fetched_at)
        });
        assert_eq!(stored, kept.map(|(kids, second)| (kids, at(second))), "at {second} s");
    }
    let other = Issuer::new(&format!("{}/other", server.url()), AUDIENCE).unwrap();
    assert_eq!(table.issuer_keys(&other).await.unwrap(), None, "each issuer has its own keys");
}

const KEYS_FETCHED: &str = "the issuer's keys were fetched";

/// A registry that accepts tokens of this issuer, once it has fetched its keys.
fn registry_with(server: &IssuerServer) -> Registry {
    Registry::start_with_issuer(&server.url(), AUDIENCE)
}

#[test]
fn a_jwt_is_a_caller_like_any_other() {
    let key = TestKey::new("a", 1);
    let server = IssuerServer::start(&json!([key.jwk()]));
    let mut registry = registry_with(&server);
    registry.wait_for_log(KEYS_FETCHED);

    let token = |subject: &str| key.sign(&key.header(), &claims(&server.url(), subject));
    let alice = Http::new(&registry, Some(token("alice")));
    for path in ["/api/whoami", "/api/uploads", "/api/skills"] {
        assert_eq!(alice.get(path).status, 200, "{path}");
    }
    assert_eq!(alice.get("/api/whoami").json()["namespaces"], json!([]));
    assert_eq!(registry.http().get("/api/whoami").json()["handle"], "admin", "API tokens go on working");
    assert_eq!(server.asked(), [DISCOVERY, KEYS], "no request asks the issuer");
}

#[test]
fn every_refusal_is_the_same_to_the_last_byte_and_stays_out_of_the_log() {
    let (key, stranger, canary) = (TestKey::new("a", 1), TestKey::new("a", 2), "canary-51c0");
    let server = IssuerServer::start(&json!([key.jwk()]));
    let mut registry = registry_with(&server);
    registry.wait_for_log(KEYS_FETCHED);

    let good = claims(&server.url(), canary);
    let claim = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        key.sign(&key.header(), &claims)
    };
    let field = |name: &str, value: &str| {
        let mut header = key.header();
        header[name] = value.into();
        key.sign(&header, &good)
    };
    let token = key.sign(&key.header(), &good);
    let (message, signature) = token.rsplit_once('.').unwrap();
    let tokens = [
        claim("iss", json!("https://id.example")),
        claim("aud", json!("another")),
        claim("aud", Value::Null),
        claim("exp", json!(1_700_000_000)),
        claim("exp", Value::Null),
        claim("nbf", json!(4_000_000_000_u64)),
        claim("nbf", Value::Null),
        claim("sub", json!("")),
        claim("sub", Value::Null),
        claim("pad", json!("p".repeat(8 << 10))),
        field("alg", "none"),
        field("alg", "HS256"),
        field("alg", "RS256"),
        field("kid", "other"),
        field("crit", "exp"),
        stranger.sign(&key.header(), &good),
        format!("{message}."),
        format!("{message}.AAAA"),
        format!("{message}.{signature}x"),
        format!("{token}.{token}"),
        String::from(".."),
        "a".repeat(100_000),
        String::from("ü"),
        String::new(),
    ];
    let expected = raw(&registry, format!("Bearer sk_{}", "Z".repeat(43)).as_bytes());
    assert!(expected.starts_with("HTTP/1.1 401") && expected.contains(r#""code":"unauthenticated""#), "{expected}");
    for token in &tokens {
        assert_eq!(raw(&registry, format!("Bearer {token}").as_bytes()), expected, "{token}");
    }
    assert_eq!(raw(&registry, b"Bearer a.\xff\xfe.c"), expected);
    assert_eq!(raw(&registry, format!("Basic {token}").as_bytes()), expected);
    assert!(raw(&registry, format!("bearer  {token} ").as_bytes()).starts_with("HTTP/1.1 200"));

    let (_, lines) = registry.interrupt();
    let refused = lines.iter().filter(|line| line.contains("a JWT was refused")).count();
    assert_eq!(refused, tokens.len() - 2, "two are no token by their header alone");
    for line in &lines {
        for secret in tokens.iter().chain([&token]).filter_map(|token| token.split('.').nth(2)) {
            assert!(secret.len() < 5 || !line.contains(secret), "a signature stands in the log: {line}");
        }
        assert!(!line.contains(canary) && !line.contains(&message[..40]), "a token stands in the log: {line}");
    }
}

/// The whole answer to a request with this credential, but for the headers that differ by their nature.
fn raw(registry: &Registry, authorization: &[u8]) -> String {
    let address = registry.local_json()["registry"].as_str().unwrap().replace("http://", "");
    let mut stream = TcpStream::connect(&address).unwrap();
    let head = format!("GET /api/whoami HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: ");
    stream.write_all(&[head.as_bytes(), authorization, b"\r\n\r\n"].concat()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let own = |line: &&str| !line.starts_with("date: ") && !line.starts_with("x-request-id: ");
    answer.split("\r\n").filter(own).collect::<Vec<_>>().join("\r\n")
}

#[test]
fn without_the_issuers_keys_a_jwt_can_be_tried_again_later_and_api_tokens_work() {
    let key = TestKey::new("a", 1);
    let server = IssuerServer::start(&json!([key.jwk()]));
    server.reply(KEYS, text("garbage"));
    let mut registry = registry_with(&server);
    registry.wait_for_log("the issuer's keys were not fetched");

    let whoami = |token: &str| -> Answer { Http::new(&registry, Some(token.to_owned())).get("/api/whoami") };
    let unavailable = whoami(&key.sign(&key.header(), &claims(&server.url(), "alice")));
    assert_eq!((unavailable.status, unavailable.problem().as_str()), (503, "auth_unavailable"));
    assert_eq!(unavailable.headers["retry-after"], "30");
    assert_eq!(whoami("a.b.c").status, 401, "what no key could save is refused at once");
    assert_eq!(whoami(&registry.token()).status, 200);
}

#[test]
fn without_an_issuer_a_jwt_is_a_text_like_any_other() {
    let key = TestKey::new("a", 1);
    let registry = Registry::start();
    let token = key.sign(&key.header(), &claims("https://id.example", "alice"));
    assert_eq!(raw(&registry, format!("Bearer {token}").as_bytes()), raw(&registry, b"Bearer sk_short"));
    assert_eq!(Http::new(&registry, Some(token)).get("/api/whoami").problem(), "unauthenticated");
}
