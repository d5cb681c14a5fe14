//! API tokens.

use serde_json::json;
use skillhub_store::TokenSecret;
use skillhub_tests::in_process::{Caller, InProcess};
use skillhub_tests::proxy::{Fault, Operation, nth};

use crate::support::{done, each, get, refused};

/// The caller with a new token of these scopes.
pub(crate) async fn create(registry: &InProcess, by: &Caller, scopes: &[&str]) -> Caller {
    let body = json!({ "name": "made", "scopes": scopes }).to_string();
    let answer = registry.send(Some(by), "POST", "/api/tokens", &body).await;
    assert_eq!(answer.status.as_u16(), 201, "{answer:?}");
    let token = TokenSecret::parse(answer.json()["token"].as_str().unwrap()).unwrap();
    Caller { token, ..by.clone() }
}

#[tokio::test]
async fn a_token_is_shown_once_works_until_it_ends_and_is_gone_when_revoked() {
    let registry = InProcess::start().await;
    let lead = registry.person("lead").await;
    let end = registry.clock.now().plus_millis(60_000);
    let body = json!({ "name": "ci", "scopes": ["read", "manage", "read"], "expiresAt": end.to_string() }).to_string();
    let answer = registry.send(Some(&lead), "POST", "/api/tokens", &body).await;
    let made = answer.json();
    assert_eq!(
        (&answer.headers["cache-control"], &made["scopes"]),
        (&String::from("no-store"), &json!(["read", "manage"]))
    );
    let secret = made["token"].as_str().unwrap().to_owned();
    let caller = Caller { token: TokenSecret::parse(&secret).unwrap(), ..lead.clone() };

    let list = registry.send(Some(&lead), "GET", "/api/tokens", "").await;
    assert!(!String::from_utf8_lossy(&list.body).contains(&secret));
    assert_eq!(each(&list.json()["tokens"], "/name"), ["ci"]);
    assert_eq!(registry.send(Some(&caller), "GET", "/api/skills", "").await.status, 200);
    registry.clock.advance(std::time::Duration::from_secs(61));
    refused(&registry.send(Some(&caller), "GET", "/api/skills", "").await, 401, "unauthenticated");

    let other = create(&registry, &lead, &["read"]).await;
    let tokens = get(&registry, Some(&lead), "/api/tokens").await;
    let id = tokens["tokens"][1]["id"].as_str().unwrap().to_owned();
    // Somebody else's token is none.
    let stranger = registry.person("stranger").await;
    refused(&registry.send(Some(&stranger), "DELETE", &format!("/api/tokens/{id}"), "").await, 404, "not_found");
    done(&registry.send(Some(&lead), "DELETE", &format!("/api/tokens/{id}"), "").await);
    refused(&registry.send(Some(&other), "GET", "/api/whoami", "").await, 401, "unauthenticated");
    refused(&registry.send(Some(&lead), "DELETE", &format!("/api/tokens/{id}"), "").await, 404, "not_found");
    assert_eq!(each(&get(&registry, Some(&lead), "/api/tokens").await["tokens"], "/name"), ["ci"]);
    let record = get(&registry, Some(&lead), "/api/namespaces/lead/audit").await;
    assert_eq!(
        each(&record["entries"], "/action"),
        ["token.revoke", "token.create", "token.create", "namespace.create"]
    );
}

#[tokio::test]
async fn a_token_gives_no_more_than_it_has_and_can_revoke_itself() {
    let registry = InProcess::start().await;
    let lead = registry.person("lead").await;
    let manager = create(&registry, &lead, &["manage"]).await;
    let ask =
        async |body: serde_json::Value| registry.send(Some(&manager), "POST", "/api/tokens", &body.to_string()).await;
    refused(&ask(json!({ "name": "x", "scopes": ["publish"] })).await, 403, "forbidden");
    for (body, place) in [
        (json!({ "name": "x", "scopes": [] }), "scopes"),
        (json!({ "name": "x", "scopes": ["root"] }), "scopes[0]"),
        (json!({ "name": " ", "scopes": ["manage"] }), "name"),
        (json!({ "scopes": ["manage"] }), "name"),
        (json!({ "name": "x", "scopes": ["manage"], "expiresAt": "2001-01-01T00:00:00.000Z" }), "expiresAt"),
    ] {
        let answer = ask(body).await;
        refused(&answer, 400, "invalid_request");
        assert_eq!(answer.json()["errors"][0]["path"], place);
    }
    let tokens = get(&registry, Some(&manager), "/api/tokens").await;
    let id = tokens["tokens"][0]["id"].as_str().unwrap().to_owned();
    done(&registry.send(Some(&manager), "DELETE", &format!("/api/tokens/{id}"), "").await);
    refused(&registry.send(Some(&manager), "GET", "/api/whoami", "").await, 401, "unauthenticated");
}

/// A history of seed 1512: the store makes it, does not say so, and then answers the repetition with a conflict.
#[tokio::test]
async fn a_token_that_was_made_unheard_is_shown_all_the_same() {
    let registry = InProcess::start().await;
    let lead = registry.person("lead").await;
    registry.proxy.inject(nth(Operation::TransactWriteItems, 1), Fault::FailedAfterwards);
    registry.proxy.inject(nth(Operation::TransactWriteItems, 1).and_retries(), Fault::CONFLICT);
    let made = create(&registry, &lead, &["read"]).await;
    assert_eq!(registry.send(Some(&made), "GET", "/api/whoami", "").await.status.as_u16(), 200);
    let tokens = get(&registry, Some(&lead), "/api/tokens").await;
    assert_eq!(tokens["tokens"].as_array().map(Vec::len), Some(1));
}
