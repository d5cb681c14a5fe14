//! MCP: what it answers, and what it refuses.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value, json};
use skillhub_package::sha256;
use skillhub_protocol::{Manifest, UploadState};
use skillhub_store::Audience;
use skillhub_tests::in_process::InProcess;
use skillhub_tests::skill::Skill;
use skillhub_validate::Outcome;

use crate::support::{STATELESS, call, change, fault, get, hello, message, publish, publish_as, result};

const PARSE: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL: i64 = -32603;
const HEADER_MISMATCH: i64 = -32020;
const UNSUPPORTED_VERSION: i64 = -32022;

#[tokio::test]
async fn a_server_says_what_it_can() {
    let registry = InProcess::start().await;
    let discovered = result(&registry, "server/discover", json!({})).await;
    assert_eq!(discovered["supportedVersions"], json!([STATELESS]));
    let extensions = json!({ "io.modelcontextprotocol/skills": {} });
    assert_eq!(discovered["capabilities"], json!({ "resources": {}, "extensions": extensions }));
    assert_eq!(discovered["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "skillhub");
    assert_eq!((&discovered["resultType"], &discovered["cacheScope"]), (&json!("complete"), &json!("public")));
    for (method, field) in [("tools/list", "tools"), ("resources/templates/list", "resourceTemplates")] {
        assert_eq!(result(&registry, method, json!({})).await[field], json!([]));
    }
}

/// Sends a message as clients did before 2026-07-28: without the new headers and fields.
async fn old(registry: &InProcess, method: &str, params: Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params }).to_string();
    let answer = registry.send_with(None, "POST", "/mcp", &[("mcp-protocol-version", "2025-11-25")], &body).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["id"]), (200, &json!("a")), "{answer:?}");
    assert!(!answer.headers.contains_key("mcp-session-id"));
    answer.json()
}

#[tokio::test]
async fn clients_of_earlier_revisions_shake_hands_and_read() {
    let registry = InProcess::start().await;
    hello(&registry).await;
    for (asked, given) in [("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2024-11-05", "2025-11-25")] {
        let params =
            json!({ "protocolVersion": asked, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string();
        let answer = registry.send(None, "POST", "/mcp", &body).await.json();
        assert_eq!(answer["result"]["protocolVersion"], given);
        assert_eq!(answer["result"]["capabilities"], json!({ "resources": {} }));
        assert_eq!(answer["result"]["serverInfo"]["name"], "skillhub");
    }
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    let answer = registry.send(None, "POST", "/mcp", &initialized).await;
    assert_eq!((answer.status.as_u16(), answer.body.len()), (202, 0));
    assert_eq!(old(&registry, "ping", json!({})).await["result"], json!({}));
    let listed = old(&registry, "resources/list", json!({})).await;
    let expected = json!({
        "uri": "skill://global/hello/SKILL.md",
        "name": "hello",
        "description": "Says y when asked.",
        "mimeType": "text/markdown",
    });
    assert_eq!(listed["result"]["resources"], json!([expected]));
    let read = old(&registry, "resources/read", json!({ "uri": "skill://global/hello/SKILL.md" })).await;
    assert_eq!(read["result"]["contents"][0]["mimeType"], "text/markdown");
    assert_eq!(old(&registry, "no/method", json!({})).await["error"]["code"], METHOD_NOT_FOUND);
    assert_eq!(old(&registry, "server/discover", json!({})).await["error"]["code"], METHOD_NOT_FOUND);
}

#[tokio::test]
async fn a_skill_has_its_frontmatter_and_a_digest_and_size_for_every_file() {
    let registry = InProcess::start().await;
    let mut skill = Skill::new("hello", "x");
    let frontmatter = "---\nname: hello\ndescription: Says x when asked.\nlicense: MIT\nmetadata:\n  version: \"1\"\n\
                       allowed-tools: Read Write\nx-astron-n: 1.5\n---\n";
    skill.files[0].1 = frontmatter.into();
    skill.files[1] = (String::from("references/ä b#%.md"), "# ü\n".into());
    publish(&registry, &skill).await;
    let resource = |path: &str, (_, bytes): &(String, Vec<u8>)| {
        let digest = format!("sha256:{}", sha256(bytes));
        json!({ "uri": format!("skill://global/hello/{path}"), "digest": digest, "size": bytes.len() })
    };
    let entry = json!({
        "uri": "skill://global/hello/SKILL.md",
        "frontmatter": {
            "name": "hello",
            "description": "Says x when asked.",
            "license": "MIT",
            "metadata": { "version": "1" },
            "allowed-tools": "Read Write",
            "x-astron-n": 1.5,
        },
        "resources": [
            resource("SKILL.md", &skill.files[0]),
            resource("references/%C3%A4%20b%23%25.md", &skill.files[1]),
            resource("scripts/say.sh", &skill.files[2]),
        ],
    });
    let base = json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "public" });
    let with = |field: &str, value: Value| {
        let mut result = base.clone();
        result[field] = value;
        result
    };
    assert_eq!(result(&registry, "skills/list", json!({})).await, with("skills", json!([entry])));
    let uri = &entry["uri"];
    assert_eq!(result(&registry, "skills/get", json!({ "uri": uri })).await, with("skill", entry.clone()));
    for (resource, (path, bytes)) in entry["resources"].as_array().unwrap().iter().zip(&skill.files) {
        let kind = if path.ends_with(".md") { "text/markdown" } else { "text/plain" };
        let text = String::from_utf8(bytes.clone()).unwrap();
        let content = json!({ "uri": resource["uri"], "mimeType": kind, "text": text });
        let read = result(&registry, "resources/read", json!({ "uri": resource["uri"] })).await;
        assert_eq!(read, with("contents", json!([content])), "{path}");
    }
}

#[tokio::test]
async fn what_is_no_text_is_a_blob() {
    let registry = InProcess::start().await;
    let mut skill = Skill::new("blobs", "x");
    let png = [&b"\x89PNG\r\n\x1a\n"[..], &[0; 40]].concat();
    skill.files[1] = (String::from("assets/logo.png"), png.clone());
    publish(&registry, &skill).await;
    let uri = "skill://global/blobs/assets/logo.png";
    let read = result(&registry, "resources/read", json!({ "uri": uri })).await;
    let content = json!({ "uri": uri, "mimeType": "application/octet-stream", "blob": BASE64.encode(&png) });
    assert_eq!(read["contents"], json!([content]));
}

/// Publishes where the operator's policy allows files of 4 MiB, which the default one does not.
async fn publish_large(registry: &InProcess, skill: &Skill) {
    let id = registry.open(skill).await.id;
    registry.place(&id, &skill.archive()).await;
    let mut validator = registry.functions.validator().clone();
    validator.policy.limits.file_bytes = 4 << 20;
    let outcome = validator.validate(&id, &mut StdRng::seed_from_u64(1)).await.unwrap();
    let session = registry.session(&id).await;
    assert_eq!(outcome, Outcome::Decided(UploadState::Published), "{session:?}");
}

#[tokio::test]
async fn a_file_that_no_answer_could_hold_is_refused_with_the_limit_and_the_ways_out() {
    const LIMIT: usize = 3_000_000;
    let registry = InProcess::start().await;
    let mut skill = Skill::new("large", "x");
    skill.files.truncate(1);
    for (path, bytes) in [("assets/just.txt", LIMIT), ("assets/more.txt", LIMIT + 1)] {
        skill.files.push((path.to_owned(), vec![b'a'; bytes]));
    }
    publish_large(&registry, &skill).await;
    let uri = |path: &str| json!({ "uri": format!("skill://global/large/{path}") });
    let entry = result(&registry, "skills/get", uri("SKILL.md")).await["skill"].take();
    let sizes: Vec<_> = entry["resources"].as_array().unwrap().iter().map(|resource| &resource["size"]).collect();
    assert_eq!(sizes[1..], [LIMIT, LIMIT + 1]);
    let read = result(&registry, "resources/read", uri("assets/just.txt")).await;
    let blob = read["contents"][0]["blob"].as_str().unwrap();
    assert!(BASE64.decode(blob).unwrap() == skill.files[1].1, "{} bytes of base64", blob.len());

    registry.proxy.take_attempts();
    let answer = call(&registry, None, "resources/read", uri("assets/more.txt")).await;
    let calls: Vec<_> = registry.proxy.take_attempts().iter().map(ToString::to_string).collect();
    assert_eq!(calls, ["GetItem G strong", "GetItem S strong", "BatchGetItem 2"], "the file is not read");
    // The code of JSON-RPC for what a server could not do. HTTP has an answer to hand over, so its status is 200.
    assert_eq!(fault(&answer), (200, INTERNAL), "{answer:?}");
    let (now, before) = (answer.json(), old(&registry, "resources/read", uri("assets/more.txt")).await);
    for error in [&now["error"], &before["error"]] {
        assert_eq!(error["code"], INTERNAL, "{error}");
        let message = error["message"].as_str().unwrap();
        for told in ["assets/more.txt has 3000001 bytes", "up to 3000000", "/download", "skillhub install"] {
            assert!(message.contains(told), "{told}: {message}");
        }
    }
    // Whoever asks for a single file in another way meets the same limit.
    for path in ["/@global/large/.well-known/skills/large/", "/api/v1/skills/large/file?path="] {
        for (file, status) in [("assets/just.txt", 200), ("assets/more.txt", 413)] {
            assert_eq!(get(&registry, &format!("{path}{file}")).await.status, status, "{path}{file}");
        }
    }
}

#[tokio::test]
async fn a_list_is_read_page_by_page_each_skill_once() {
    let registry = InProcess::start().await;
    let known = registry.table().authenticate(&registry.owner.token, registry.clock.now()).await.unwrap().unwrap();
    let membership = known.membership_by_handle(&"@global".parse().unwrap()).unwrap();
    let names: Vec<_> = (0..120).map(|n| format!("skill-{n}")).collect();
    let manifest = |name: &String| Manifest::from_json(&Skill::new(name, "x").manifest().to_string()).unwrap();
    let manifests: Vec<_> = names.iter().map(manifest).collect();
    let (now, mut rng) = (registry.clock.now(), StdRng::seed_from_u64(2));
    registry.table().seed(membership, &Audience::Public, &manifests, now, &mut rng).await.unwrap();
    for (method, field, pointer, pages) in [
        ("skills/list", "skills", "/frontmatter/name", [50, 50, 20].as_slice()),
        ("resources/list", "resources", "/name", &[100, 20]),
    ] {
        let (mut seen, mut params) = (Vec::new(), json!({}));
        for (i, size) in pages.iter().enumerate() {
            let page = result(&registry, method, params).await;
            let items = page[field].as_array().unwrap();
            assert_eq!(items.len(), *size, "{method} page {i}");
            seen.extend(items.iter().map(|item| item.pointer(pointer).unwrap().as_str().unwrap().to_owned()));
            assert_eq!(page.get("nextCursor").is_some(), i + 1 < pages.len(), "{method} page {i}");
            params = json!({ "cursor": page["nextCursor"] });
        }
        assert_eq!(seen, names, "{method}");
        for cursor in [json!("x"), json!(1)] {
            assert_eq!(fault(&call(&registry, None, method, json!({ "cursor": cursor })).await), (400, INVALID_PARAMS));
        }
    }
}

/// Frontmatters of 60 KB and 100 long paths each: a page that would not pass a function is two.
#[tokio::test]
async fn a_page_ends_before_its_answer_is_too_long() {
    let registry = InProcess::start().await;
    let mut names = Vec::new();
    for n in 0..12 {
        let mut skill = Skill::new(&format!("long-{n:02}"), "x");
        let filler =
            format!("---\nname: long-{n:02}\ndescription: Long.\nmetadata:\n  a: '{}'\n---\n", "\"".repeat(60_000));
        skill.files = vec![(String::from("SKILL.md"), filler.into_bytes())];
        let long = |i: usize| format!("{}/{i:03}-{}.md", "日".repeat(80), "本".repeat(75));
        skill.files.extend((0..99).map(|i| (long(i), vec![b'x'])));
        publish_as(&registry, &registry.owner, &skill, |request| request["manifest"]["description"] = json!("Long."))
            .await;
        names.push(skill.name);
    }
    let (mut seen, mut params, mut pages) = (Vec::new(), json!({}), 0);
    while pages < 4 {
        let answer = call(&registry, None, "skills/list", params).await;
        assert!(answer.body.len() < 3_000_000, "{}", answer.body.len());
        let page = answer.json()["result"].take();
        let skills = page["skills"].as_array().unwrap();
        seen.extend(skills.iter().map(|skill| skill["frontmatter"]["name"].as_str().unwrap().to_owned()));
        pages += 1;
        params = json!({ "cursor": page["nextCursor"] });
        if page.get("nextCursor").is_none() {
            break;
        }
    }
    assert!(pages > 1, "{pages}");
    assert_eq!(seen, names);
}

#[tokio::test]
async fn what_the_extension_cannot_spell_is_left_out_of_it() {
    let registry = InProcess::start().await;
    hello(&registry).await;
    let mut display = Skill::new("display-name", "x");
    display.files[0].1 = b"---\nname: Display Name\ndescription: Says x when asked.\n---\n".to_vec();
    let name = |request: &mut Value| request["manifest"]["name"] = json!("Display Name");
    publish_as(&registry, &registry.owner, &display, name).await;
    let mut list = Skill::new("number", "x");
    list.files[0].1 = b"---\nname: number\ndescription: Says x when asked.\nlicense: 2\n---\n".to_vec();
    publish(&registry, &list).await;
    let listed = result(&registry, "skills/list", json!({})).await;
    let uris: Vec<_> = listed["skills"].as_array().unwrap().iter().map(|skill| &skill["uri"]).collect();
    assert_eq!(uris, ["skill://global/hello/SKILL.md"]);
    for slug in ["display-name", "number"] {
        let uri = json!({ "uri": format!("skill://global/{slug}/SKILL.md") });
        for method in ["skills/get", "resources/read"] {
            assert_eq!(
                fault(&call(&registry, None, method, uri.clone()).await),
                (400, INVALID_PARAMS),
                "{method} {slug}"
            );
        }
    }
}

#[tokio::test]
async fn a_blocked_skill_is_refused() {
    let registry = InProcess::start().await;
    let published = publish(&registry, &Skill::new("hello", "x")).await;
    change(&registry, &published, "block").await;
    let uri = json!({ "uri": "skill://global/hello/SKILL.md" });
    assert_eq!(result(&registry, "skills/list", json!({})).await["skills"], json!([]));
    assert_eq!(fault(&call(&registry, None, "resources/read", uri).await), (400, INVALID_PARAMS));
}

#[tokio::test]
async fn what_is_no_request_gets_the_code_for_it() {
    let registry = InProcess::start().await;
    let long = "x".repeat(300_000);
    for (body, status, code) in [
        ("", 400, PARSE),
        ("{", 400, PARSE),
        (&"[".repeat(100_000), 400, PARSE),
        ("[]", 400, INVALID_REQUEST),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, 400, INVALID_REQUEST),
        ("null", 400, INVALID_REQUEST),
        (r#"{"id":1,"method":"ping"}"#, 400, INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, 400, INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, 400, INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, 400, INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, 400, INVALID_REQUEST),
        (&long, 413, 0),
    ] {
        let answer = registry.send(None, "POST", "/mcp", body).await;
        assert_eq!(fault(&answer), (status, code), "{body:.80}: {answer:?}");
        assert!(status == 413 || answer.json()["id"].is_null());
    }
    let answer =
        registry.exchange(http::Request::post("/mcp").body(bytes::Bytes::from_static(b"\xff").into()).unwrap()).await;
    assert_eq!(fault(&answer), (400, PARSE));
    for method in ["GET", "DELETE"] {
        assert_eq!(registry.send(None, method, "/mcp", "").await.status, 405, "{method}");
    }
}

#[tokio::test]
async fn headers_must_say_what_the_body_says() {
    let registry = InProcess::start().await;
    hello(&registry).await;
    let uri = "skill://global/hello/SKILL.md";
    let (list, read) = (message("skills/list", json!({})), message("resources/read", json!({ "uri": uri })));
    let mut future = list.clone();
    future["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2027-01-01");
    let mut bare = list.clone();
    bare["params"]["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": STATELESS });
    let version = ("mcp-protocol-version", STATELESS);
    let encoded = format!("=?base64?{}?=", BASE64.encode(uri));
    let (is_list, is_read) = (("mcp-method", "skills/list"), ("mcp-method", "resources/read"));
    for (body, headers, expected) in [
        (&list, vec![version, is_list], (200, 0)),
        (&read, vec![version, is_read, ("mcp-name", uri)], (200, 0)),
        (&read, vec![version, is_read, ("mcp-name", &encoded)], (200, 0)),
        (&list, vec![version], (400, HEADER_MISMATCH)),
        (&list, vec![version, is_read], (400, HEADER_MISMATCH)),
        (&list, vec![version, is_list, is_list], (400, HEADER_MISMATCH)),
        (&read, vec![version, is_read], (400, HEADER_MISMATCH)),
        (&read, vec![version, is_read, ("mcp-name", "skill://global/other/SKILL.md")], (400, HEADER_MISMATCH)),
        (&read, vec![version, is_read, ("mcp-name", "=?base64?!?=")], (400, HEADER_MISMATCH)),
        (&future, vec![version, is_list], (400, HEADER_MISMATCH)),
        (&future, vec![("mcp-protocol-version", "2027-01-01"), is_list], (400, UNSUPPORTED_VERSION)),
        (&bare, vec![version, is_list], (400, INVALID_PARAMS)),
    ] {
        let answer = registry.send_with(None, "POST", "/mcp", &headers, &body.to_string()).await;
        assert_eq!(fault(&answer), expected, "{body} {headers:?}: {answer:?}");
        if expected.1 == UNSUPPORTED_VERSION {
            let data = json!({ "supported": [STATELESS], "requested": "2027-01-01" });
            assert_eq!(answer.json()["error"]["data"], data);
        }
    }
    for (method, expected) in [
        ("no/method", (404, METHOD_NOT_FOUND)),
        ("initialize", (404, METHOD_NOT_FOUND)),
        ("ping", (404, METHOD_NOT_FOUND)),
        ("skills/get", (400, INVALID_PARAMS)),
    ] {
        assert_eq!(fault(&call(&registry, None, method, json!({})).await), expected, "{method}");
    }
}
