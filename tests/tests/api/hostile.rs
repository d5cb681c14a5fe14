//! Requests that nobody should send: each gets the right problem, and none is a fault of ours.

use bytes::Bytes;
use http::{HeaderValue, Method, Request, StatusCode};
use http_body_util::Full;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;
use skillhub_tests::in_process::{Answer, InProcess};
use skillhub_tests::skill::Skill;

use crate::description::{Description, filled};

/// A request, of which any part may be wrong.
struct Hostile<'a> {
    method: &'a str,
    target: String,
    headers: Vec<(&'a str, Vec<u8>)>,
    body: Vec<u8>,
}

impl<'a> Hostile<'a> {
    fn new(method: &'a str, target: impl Into<String>) -> Self {
        Self { method, target: target.into(), headers: Vec::new(), body: Vec::new() }
    }

    fn header(mut self, name: &'a str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends it as the owner, unless it says by itself who sends it.
    async fn send(&self, registry: &InProcess) -> Answer {
        let mut request = Request::builder().method(self.method).uri(&self.target);
        if !self.headers.iter().any(|(name, _)| *name == "authorization") {
            request = request.header("authorization", format!("Bearer {}", registry.owner.token.expose()));
        }
        for (name, value) in &self.headers {
            request = request.header(*name, HeaderValue::from_bytes(value).unwrap());
        }
        registry.exchange(request.body(Full::new(Bytes::from(self.body.clone()))).unwrap()).await
    }

    async fn demand(&self, registry: &InProcess, status: u16, code: &str) {
        let answer = self.send(registry).await;
        let what = format!("{} {:.200} {:.200?}", self.method, self.target, self.headers);
        assert_eq!(answer.status, status, "{what}: {answer:?}");
        assert_eq!(answer.headers["x-request-id"].len(), 32, "{what}");
        if !code.is_empty() {
            assert_eq!(answer.headers["content-type"], "application/problem+json", "{what}");
            assert_eq!(answer.code(), code, "{what}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn a_path_is_parsed_and_never_followed() {
    let registry = InProcess::start().await;
    let published = registry.publish(&Skill::new("hello", "x")).await.published.unwrap();
    let skill = format!("/api/skills/{}", published.skill_id);
    let version = format!("{skill}/versions/{}", published.version_id);
    let upper = skill.to_uppercase().replace("/API/SKILLS", "/api/skills");
    let nowhere = [
        "/",
        "//",
        "*",
        "/api",
        "/api/",
        "//api/skills",
        "/api//skills",
        "/api/skills/",
        "/API/skills",
        "/api/./skills",
        "/api/../healthz",
        "/api/%2e%2e/healthz",
        "/api/skills/..",
        "/api/skills/%2e%2e",
        "/api/skills/%252e%252e",
        "/api/skills/%00",
        "/api/skills/%2F",
        "/api/skills/%",
        "/api/skills/%zz",
        "/api/skills/%ff",
        "/api/skills/%c3%28",
        "/api/skills/%0d%0aset-cookie:x",
        "/healthz/",
        "/healthz%00",
        "/openapi.json/..",
        "/api/skills;x=1",
    ];
    for target in nowhere {
        Hostile::new("GET", target).demand(&registry, 404, "not_found").await;
    }
    for rest in ["/", "%00", "%20", "/..", "%2f..", "/versions/", "/versions/..%2F..%2Fx/download", "/x"] {
        Hostile::new("GET", format!("{skill}{rest}")).demand(&registry, 404, "not_found").await;
        Hostile::new("GET", format!("{version}{rest}x")).demand(&registry, 404, "not_found").await;
    }
    Hostile::new("GET", upper).demand(&registry, 404, "not_found").await;
    Hostile::new("GET", format!("/api/skills/{}", "x".repeat(60_000))).demand(&registry, 404, "not_found").await;
    Hostile::new("GET", format!("http://elsewhere{skill}")).demand(&registry, 200, "").await;
    let encoded: String = published.skill_id.as_str().bytes().map(|b| format!("%{b:02X}")).collect();
    Hostile::new("GET", format!("/api/skills/{encoded}")).demand(&registry, 200, "").await;
    for handle in ["@global", "%40global", "global", "%40%67lobal"] {
        Hostile::new("GET", format!("/api/namespaces/{handle}")).demand(&registry, 200, "").await;
    }
    for handle in
        ["@@global", "%2540global", "@global@", "Global", "global%00", "global%20", "@", "@-", "%ef%bc%a0global"]
    {
        Hostile::new("GET", format!("/api/namespaces/{handle}")).demand(&registry, 404, "not_found").await;
    }
}

#[tokio::test]
async fn a_query_has_each_parameter_once_and_well_formed() {
    let registry = InProcess::start().await;
    let published = registry.publish(&Skill::new("hello", "x")).await.published.unwrap();
    let versions = format!("/api/skills/{}/versions", published.skill_id);
    let twice = [
        "/api/skills?limit=1&limit=1",
        "/api/skills?scope=public&scope=public",
        "/api/skills?cursor=&cursor=",
        "/api/skills?limit=1&%6cimit=2",
        "/api/search?q=a&q=b",
        "/api/resolve?coordinate=a&coordinate=b",
        "/api/namespaces/global/audit?limit=1&limit=2",
        &format!("{versions}?limit=1&limit=2"),
    ];
    let numbers =
        ["", "0", "101", "-1", "+1", "1.0", "1e1", "0x1", "%31%00", "99999999999999999999", "\u{661}", "1%20"];
    for target in twice {
        Hostile::new("GET", target).demand(&registry, 400, "invalid_request").await;
    }
    for list in ["/api/skills", "/api/namespaces/global/audit", &versions] {
        for number in numbers {
            let number = number.replace('+', "%2B").replace('\u{661}', "%D9%A1");
            Hostile::new("GET", format!("{list}?limit={number}")).demand(&registry, 400, "invalid_request").await;
        }
        for cursor in ["", "%00", "%ff", "..", "null", &"x".repeat(50_000), "%23", "1970-01-01T00:00:00.000Z%23x"] {
            Hostile::new("GET", format!("{list}?cursor={cursor}")).demand(&registry, 400, "invalid_cursor").await;
        }
        Hostile::new("GET", format!("{list}?&&=&unknown=1&unknown=2&%00=%ff")).demand(&registry, 200, "").await;
    }
    for query in ["", "?q", "?q=", "?q=%20%20", "?q=%EF%BB%BF", &format!("?q={}", "x".repeat(65))] {
        Hostile::new("GET", format!("/api/search{query}")).demand(&registry, 400, "invalid_request").await;
    }
    for query in ["?q=%00", "?q=%ff", "?q=.*", "?q=%23", &format!("?q={}", "%C3%A9".repeat(64))] {
        Hostile::new("GET", format!("/api/search{query}")).demand(&registry, 200, "").await;
    }
    for query in
        ["?coordinate=", "?coordinate=@", "?coordinate=a%00", "?coordinate=a&canonicalSlug=a", "?canonicalSlug=@a/b"]
    {
        Hostile::new("GET", format!("/api/resolve{query}")).demand(&registry, 400, "invalid_coordinate").await;
    }
}

/// The operations with a body, as targets that name nothing.
fn with_body() -> Vec<(String, String)> {
    let document: serde_json::Value = serde_json::from_str(&skillhub_openapi::text().unwrap()).unwrap();
    let takes = |method: &Method, path: &str| {
        document["paths"][path][method.as_str().to_ascii_lowercase()].get("requestBody").is_some()
    };
    let operations = skillhub_openapi::operations().into_iter().filter(|(method, path)| takes(method, path));
    operations.map(|(method, path)| (method.to_string(), filled(path))).collect()
}

#[tokio::test]
async fn a_body_is_json_in_utf8_of_a_bounded_size_whatever_its_type_says() {
    let registry = InProcess::start().await;
    let bodies: [&[u8]; 12] = [
        b"",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        b"{",
        b"null",
        b"[]",
        b"\"text\"",
        b"1e400",
        b"{\"a\":\"\\ud800\"}",
        b"name=x&kind=y",
        b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--x--",
        b"<x/>",
    ];
    let operations = with_body();
    assert!(operations.len() >= 9, "{operations:?}");
    for (method, target) in &operations {
        for body in bodies {
            Hostile::new(method, target).body(body).demand(&registry, 400, "invalid_request").await;
        }
        let deep = Hostile::new(method, target).body("[".repeat(200_000));
        deep.demand(&registry, 400, "invalid_request").await;
        let at_most = Hostile::new(method, target).body(vec![b' '; 256 << 10]);
        at_most.demand(&registry, 400, "invalid_request").await;
        let more = Hostile::new(method, target).body(vec![b' '; (256 << 10) + 1]);
        more.demand(&registry, 413, "payload_too_large").await;
    }
    for kind in
        ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x", "\u{e9}"]
    {
        let body = json!({ "name": "ci", "scopes": ["read"] }).to_string();
        Hostile::new("POST", "/api/tokens").header("content-type", kind).body(body).demand(&registry, 201, "").await;
    }
}

#[tokio::test]
async fn a_header_that_is_wrong_is_refused_and_one_that_is_large_is_no_harm() {
    let registry = InProcess::start().await;
    let token = registry.owner.token.expose();
    let credentials = [
        "",
        "Bearer",
        "Bearer ",
        "Basic eDp5",
        token,
        &format!("Bearer {token}x"),
        &format!("Bearer {}", token.to_uppercase()),
        &format!("Bearer Bearer {token}"),
        &format!("Bearer {token},{token}"),
        "Bearer \u{e9}",
        &"x".repeat(100_000),
    ];
    for credential in credentials {
        for target in ["/api/skills", "/api/whoami"] {
            let hostile = Hostile::new("GET", target).header("authorization", credential);
            hostile.demand(&registry, 401, "unauthenticated").await;
        }
    }
    let request = Skill::new("hello", "x").request().to_string();
    for key in ["", " ", "a b", "\t", "\u{e9}", &"k".repeat(256)] {
        let hostile = Hostile::new("POST", "/api/uploads").header("idempotency-key", key).body(request.as_str());
        hostile.demand(&registry, 400, "invalid_request").await;
    }
    let longest = Hostile::new("POST", "/api/uploads").header("idempotency-key", "k".repeat(255)).body(request);
    longest.demand(&registry, 201, "").await;
    for (name, value) in
        [("x-large", "x".repeat(1 << 20)), ("cookie", "a=b; ".repeat(10_000)), ("accept", "x/y".into())]
    {
        Hostile::new("GET", "/api/skills").header(name, value).demand(&registry, 200, "").await;
    }
    for (name, value) in
        [("host", "elsewhere"), ("x-http-method-override", "DELETE"), ("content-length", "7"), ("expect", "x")]
    {
        Hostile::new("GET", "/api/skills").header(name, value).demand(&registry, 200, "").await;
    }
}

/// What a segment, a value of the query or a text of a body can be.
const PIECES: [&str; 26] = [
    "",
    "x",
    "@global",
    "%40owner",
    "..",
    "%2e%2e",
    "%2F",
    "%00",
    "%ff",
    "%252e",
    "%0a",
    "latest",
    "beta",
    "1.0.0",
    "-1",
    "null",
    "0",
    "a--b",
    "con",
    "%F0%9F%92%A9",
    "{",
    "'",
    "%22",
    "c000000000000000000000000",
    "v000000000000000000000000",
    "#",
];

/// Random requests to every operation; whatever they are, the answer is one that the document has.
#[tokio::test]
async fn whatever_is_sent_the_answer_is_a_documented_one() {
    let seed = rand::rng().random();
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let (registry, description) = (InProcess::start().await, Description::read());
    registry.publish(&Skill::new("hello", "x")).await;
    let bodies = [
        "",
        "{}",
        "{\"scope\":7}",
        "{\"reason\":\"\\u0000\"}",
        "{\"version\":\"1.0.0\"}",
        "{\"role\":\"owner\"}",
        "[[",
        "\u{0}",
    ];
    for (method, path) in skillhub_openapi::operations().into_iter().cycle().take(1500) {
        let mut target = path.to_owned();
        while let (Some(open), Some(close)) = (target.find('{'), target.find('}')) {
            let piece = PIECES[..25].choose(&mut random).unwrap().replace('{', "%7B");
            // An empty segment would be another route.
            target.replace_range(open..=close, if piece.is_empty() { "%20" } else { &piece });
        }
        for name in ["limit", "cursor", "q", "coordinate", "canonicalSlug", "scope", "namespace", "x"] {
            if random.random_ratio(1, 5) {
                let separator = if target.contains('?') { '&' } else { '?' };
                target += &format!("{separator}{name}={}", PIECES.choose(&mut random).unwrap().replace('{', "%7B"));
            }
        }
        let body = *bodies.choose(&mut random).unwrap();
        let answer = Hostile::new(method.as_str(), target.as_str()).body(body).send(&registry).await;
        assert!(answer.status < StatusCode::INTERNAL_SERVER_ERROR, "{method} {target} {body}: {answer:?}");
        // Dots that are not encoded leave the route.
        if answer.status != StatusCode::METHOD_NOT_ALLOWED {
            description.demand(&method, path, &answer);
        }
    }
}
