//! What a registry says of people: who somebody is, namespaces, members, maintainers, tokens, audit, uploads.

use serde_json::{Value, json};

use super::shop::no_content;
use super::{Request, Response};

const AT: &str = "2026-07-23T00:05:00.000Z";
const TOKEN_ID: &str = "t0mdxk2t6s9f3a8bq1z7ry4uw";
pub(crate) const UPLOAD: &str = "u0mdxk2t6s9f3a8bq1z7ry4uw";

/// The routes that need a token.
pub(super) fn answer(method: &str, path: &[&str], request: &Request) -> Response {
    let body = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
    match (method, path) {
        ("GET", ["whoami"]) => Response::json(200, &identity()),
        ("POST", ["namespaces"]) if body["namespace"] == "@team" => {
            Response::problem(409, "conflict", "@team is taken")
        }
        ("POST", ["namespaces"]) => Response::json(201, &namespace(body["namespace"].as_str().unwrap())),
        ("GET", ["namespaces", "team"]) => Response::json(200, &namespace("@team")),
        ("GET", ["namespaces", "team", "audit"]) => Response::json(200, &audit()),
        ("PUT", ["namespaces", "team", "members", "nobody"]) => {
            Response::problem(422, "not_found", "nobody has the handle nobody")
        }
        ("PUT" | "DELETE", ["namespaces", "team", "members", _]) => no_content(),
        (_, ["namespaces", "other", ..]) => Response::problem(403, "forbidden", "alice is no owner of @other"),
        ("GET", ["tokens"]) => Response::json(200, &json!({"tokens": [token()]})),
        ("POST", ["tokens"]) => {
            let mut made = token();
            made["token"] = json!("sk_0123456789012345678901234567890123456789abc");
            made["name"] = body["name"].clone();
            made["scopes"] = body["scopes"].clone();
            Response::json(201, &made)
        }
        ("DELETE", ["tokens", TOKEN_ID]) => no_content(),
        ("GET", ["uploads"]) => Response::json(200, &json!({"schemaVersion": 1, "uploads": [UPLOAD]})),
        ("GET", ["uploads", UPLOAD]) => Response::json(200, &upload("VALIDATING", json!([]))),
        ("GET", ["uploads", id]) if id.starts_with("u9") => Response::json(200, &upload("REJECTED", findings())),
        _ => Response::problem(404, "not_found", "there is no such thing"),
    }
}

pub(super) fn maintainers(method: &str, path: &[&str]) -> Response {
    match (method, path) {
        ("GET", []) => Response::json(200, &json!({"maintainers": ["@alice", "@bob"]})),
        ("PUT", ["carol"]) => Response::problem(409, "conflict", "@carol is no publisher of @team"),
        ("PUT" | "DELETE", [_]) => no_content(),
        _ => Response::problem(404, "not_found", "there is no such thing"),
    }
}

fn identity() -> Value {
    json!({"handle": "alice", "namespaces": [
        {"namespace": "@alice", "kind": "personal", "role": "owner"},
        {"namespace": "@team", "kind": "organization", "role": "publisher"},
    ]})
}

fn namespace(name: &str) -> Value {
    json!({"namespace": name, "kind": "organization", "organizationId": "org-1", "members": [
        {"handle": "@alice", "role": "owner"}, {"handle": "@bob", "role": "publisher"}, {"handle": null, "role": "reader"},
    ]})
}

fn audit() -> Value {
    json!({"entries": [
        {"at": AT, "actor": "@alice", "action": "yank", "subject": "@team/checker@1.0.0", "detail": "broken \u{1b}[2J"},
        {"at": AT, "actor": null, "action": "publish", "subject": "@team/checker@1.0.0", "detail": "ab"},
    ], "nextCursor": null})
}

fn token() -> Value {
    json!({"id": TOKEN_ID, "name": "ci", "scopes": ["read", "publish"], "createdAt": AT, "expiresAt": null})
}

fn upload(state: &str, findings: Value) -> Value {
    json!({
        "schemaVersion": 1, "id": UPLOAD, "state": state, "namespace": "@team", "slug": "checker", "version": "1.0.0",
        "expiresAt": AT, "findings": findings,
    })
}

fn findings() -> Value {
    json!([{
        "path": "SKILL.md", "line": 10, "column": 3, "code": "secret_found", "severity": "error",
        "message": "holds a key", "hint": "remove it",
    }])
}
