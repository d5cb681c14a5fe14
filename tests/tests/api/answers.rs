//! Every operation succeeds once, and what it answers is what the document says.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};
use skillhub_protocol::Role;
use skillhub_tests::in_process::{Answer, Caller, InProcess};
use skillhub_tests::skill::Skill;

use crate::description::Description;

/// A registry, and which of its operations have answered as documented.
struct Client {
    registry: InProcess,
    description: Description,
    succeeded: BTreeSet<(String, &'static str)>,
}

impl Client {
    async fn call(&mut self, method: Method, path: &'static str, names: &[&str], query: &str, body: &Value) -> Answer {
        let owner = self.registry.owner.clone();
        self.call_as(&owner, method, path, names, query, body).await
    }

    async fn call_as(
        &mut self,
        caller: &Caller,
        method: Method,
        path: &'static str,
        names: &[&str],
        query: &str,
        body: &Value,
    ) -> Answer {
        let mut url = path.to_owned();
        for name in names {
            let (open, close) = (url.find('{').unwrap(), url.find('}').unwrap());
            url.replace_range(open..=close, name);
        }
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = self.registry.send(Some(caller), method.as_str(), &(url + query), &body).await;
        self.description.demand(&method, path, &answer);
        assert!(answer.status.is_success(), "{method} {path}: {answer:?}");
        self.succeeded.insert((method.to_string(), path));
        answer
    }

    async fn get(&mut self, path: &'static str, names: &[&str], query: &str) -> Value {
        let answer = self.call(Method::GET, path, names, query, &Value::Null).await;
        if path == "/healthz" { Value::Null } else { answer.json() }
    }

    async fn change(&mut self, method: Method, path: &'static str, names: &[&str], body: Value) -> Answer {
        self.call(method, path, names, "", &body).await
    }
}

#[tokio::test]
async fn every_operation_succeeds_as_documented() {
    let registry = InProcess::start().await;
    registry.member("helper", Role::Publisher).await;
    let mut client = Client { registry, description: Description::read(), succeeded: BTreeSet::new() };
    namespaces(&mut client).await;
    let (skill, versions) = publishing(&mut client).await;
    reading(&mut client, &skill, &versions[0]).await;
    managing(&mut client, &skill, &versions).await;
    tokens(&mut client).await;
    let all: BTreeSet<_> = skillhub_openapi::operations().into_iter().map(|(m, path)| (m.to_string(), path)).collect();
    assert_eq!(client.succeeded, all);
}

async fn namespaces(client: &mut Client) {
    let body = json!({ "namespace": "@team", "kind": "organization" });
    client.change(Method::POST, "/api/namespaces", &[], body).await;
    let member = "/api/namespaces/{namespace}/members/{handle}";
    client.change(Method::PUT, member, &["@team", "helper"], json!({ "role": "publisher" })).await;
    let team = client.get("/api/namespaces/{namespace}", &["%40team"], "").await;
    assert_eq!(team["members"].as_array().unwrap().len(), 2);
    client.change(Method::DELETE, member, &["team", "@helper"], Value::Null).await;
    let first = client.get("/api/namespaces/{namespace}/audit", &["team"], "?limit=1").await;
    let cursor = first["nextCursor"].as_str().unwrap().replace('#', "%23");
    client.get("/api/namespaces/{namespace}/audit", &["team"], &format!("?cursor={cursor}")).await;
    client.get("/api/whoami", &[], "").await;
}

/// Publishes a skill twice; gives its id, and the ids of its versions.
async fn publishing(client: &mut Client) -> (String, Vec<String>) {
    let mut published = Vec::new();
    for version in ["1.0.0", "2.0.0"] {
        let skill = Skill::new("hello", version).version(version);
        let opened = client.change(Method::POST, "/api/uploads", &[], skill.request()).await;
        client.get("/api/uploads", &[], "").await;
        let event = client.registry.place(&opened.session().id, &skill.archive()).await;
        client.registry.deliver(&event).await.unwrap();
        published.push(
            client.get("/api/uploads/{uploadId}", &[opened.session().id.as_str()], "").await["published"].clone(),
        );
        let again = client.change(Method::POST, "/api/uploads", &[], skill.request()).await;
        assert_eq!(again.status, 200);
    }
    let other = client.change(Method::POST, "/api/uploads", &[], Skill::new("other", "x").request()).await.session();
    client.change(Method::DELETE, "/api/uploads/{uploadId}", &[other.id.as_str()], Value::Null).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&published[0]["skillId"]), published.iter().map(|version| text(&version["versionId"])).collect())
}

async fn reading(client: &mut Client, skill: &str, version: &str) {
    let list = client.get("/api/skills", &[], "?limit=1&scope=public&namespace=@global").await;
    assert_eq!(list["skills"][0]["id"], skill);
    client.get("/api/search", &[], "?q=Hel&limit=1").await;
    client.get("/api/resolve", &[], "?coordinate=@global/hello@1.0.0").await;
    client.get("/api/resolve", &[], "?canonicalSlug=hello").await;
    client.get("/api/namespaces/{namespace}/skills/{slug}", &["%40global", "hello"], "").await;
    client.get("/api/skills/{skillId}", &[skill], "").await;
    let first = client.get("/api/skills/{skillId}/versions", &[skill], "?limit=1").await;
    let cursor = format!("?cursor={}", first["nextCursor"].as_str().unwrap());
    client.get("/api/skills/{skillId}/versions", &[skill], &cursor).await;
    client.get("/api/skills/{skillId}/versions/{versionId}", &[skill, version], "").await;
    client.get("/api/skills/{skillId}/versions/{versionId}/download", &[skill, version], "").await;
    client.get("/healthz", &[], "").await;
    client.get("/openapi.json", &[], "").await;
}

async fn managing(client: &mut Client, skill: &str, versions: &[String]) {
    let tag = "/api/skills/{skillId}/tags/{tag}";
    client.change(Method::PUT, tag, &[skill, "beta"], json!({ "version": "1.0.0" })).await;
    let tags = client.get("/api/skills/{skillId}/tags", &[skill], "").await;
    assert_eq!(tags["tags"].as_array().unwrap().len(), 2);
    client.change(Method::DELETE, tag, &[skill, "beta"], Value::Null).await;
    let maintainer = "/api/skills/{skillId}/maintainers/{handle}";
    client.change(Method::PUT, maintainer, &[skill, "%40helper"], Value::Null).await;
    client.get("/api/skills/{skillId}/maintainers", &[skill], "").await;
    client.change(Method::DELETE, maintainer, &[skill, "helper"], Value::Null).await;
    client.change(Method::PATCH, "/api/skills/{skillId}", &[skill], json!({ "scope": "public" })).await;
    let why = json!({ "reason": "A test." });
    let place = [skill, versions[1].as_str()];
    client.change(Method::POST, "/api/skills/{skillId}/versions/{versionId}/yank", &place, why.clone()).await;
    client.change(Method::POST, "/api/skills/{skillId}/versions/{versionId}/unyank", &place, why.clone()).await;
    client.change(Method::POST, "/api/skills/{skillId}/versions/{versionId}/block", &place, why).await;
    client.get("/api/skills/{skillId}/versions", &[skill], "").await;
}

async fn tokens(client: &mut Client) {
    let body = json!({ "name": "ci", "scopes": ["read"], "expiresAt": "9999-12-31T23:59:59.999Z" });
    let made = client.change(Method::POST, "/api/tokens", &[], body).await.json();
    client.get("/api/tokens", &[], "").await;
    client.change(Method::DELETE, "/api/tokens/{tokenId}", &[made["id"].as_str().unwrap()], Value::Null).await;
}

#[tokio::test]
async fn a_version_that_somebody_else_is_publishing_is_refused_with_their_session() {
    let registry = InProcess::start().await;
    let helper = registry.member("helper", Role::Publisher).await;
    let skill = Skill::new("hello", "x");
    let session = registry.open(&skill).await;
    let answer = registry.send(Some(&helper), "POST", "/api/uploads", &skill.request().to_string()).await;
    Description::read().demand(&Method::POST, "/api/uploads", &answer);
    assert_eq!(answer.code(), "session_open");
    assert_eq!(answer.headers["location"], format!("/api/uploads/{}", session.id));
}
