//! A team and its skills.

use http::StatusCode;
use serde_json::{Value, json};
use skillhub_protocol::PublishedVersion;
use skillhub_tests::in_process::{Answer, Caller, InProcess};
use skillhub_tests::skill::Skill;

/// `@team`, an organization, and some who do not belong to it.
pub(crate) struct Team {
    pub(crate) lead: Caller,
    /// A publisher who creates the team's skills.
    pub(crate) author: Caller,
    /// A publisher who maintains none of them.
    pub(crate) mate: Caller,
    pub(crate) reader: Caller,
    pub(crate) stranger: Caller,
}

impl Team {
    pub(crate) async fn found(registry: &InProcess) -> Self {
        let lead = registry.person("lead").await;
        registry.found_namespace(&lead, "@team", "organization").await;
        let mut members = Vec::new();
        for (name, role) in [("author", "publisher"), ("mate", "publisher"), ("reader", "reader")] {
            members.push(registry.person(name).await);
            let path = format!("/api/namespaces/@team/members/{name}");
            done(&registry.send(Some(&lead), "PUT", &path, &json!({ "role": role }).to_string()).await);
        }
        let [author, mate, reader] = members.try_into().unwrap();
        Self { lead, author, mate, reader, stranger: registry.person("stranger").await }
    }
}

pub(crate) fn done(answer: &Answer) {
    assert_eq!(answer.status, StatusCode::NO_CONTENT, "{answer:?}");
}

pub(crate) fn refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status.as_u16(), answer.code().as_str()), (status, code), "{answer:?}");
}

/// What to publish, and where.
pub(crate) struct Release<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) scope: Option<&'a str>,
    pub(crate) tags: &'a [&'a str],
}

pub(crate) const TEAM: Release<'static> = Release { namespace: "@team", scope: None, tags: &[] };

/// Publishes to the end; gives the session's answer.
pub(crate) async fn publish(
    registry: &InProcess,
    by: &Caller,
    skill: &Skill,
    release: &Release<'_>,
) -> PublishedVersion {
    let mut request = skill.request();
    request["namespace"] = json!(release.namespace);
    request["tags"] = json!(release.tags);
    if let Some(scope) = release.scope {
        request["scope"] = json!(scope);
    }
    let answer = registry.send(Some(by), "POST", "/api/uploads", &request.to_string()).await;
    assert!(answer.status.is_success(), "{answer:?}");
    let id = answer.session().id;
    let event = registry.place(&id, &skill.archive()).await;
    registry.deliver(&event).await.unwrap();
    let session = registry.send(Some(by), "GET", &format!("/api/uploads/{id}"), "").await.session();
    session.published.unwrap_or_else(|| panic!("{:?} {:?}", session.state, session.findings))
}

pub(crate) async fn get(registry: &InProcess, by: Option<&Caller>, path: &str) -> Value {
    let answer = registry.send(by, "GET", path, "").await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {answer:?}");
    answer.json()
}

/// The texts at `pointer` of each item of `list`.
pub(crate) fn each(list: &Value, pointer: &str) -> Vec<String> {
    let items = list.as_array().unwrap_or_else(|| panic!("{list}"));
    items.iter().map(|item| item.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()).collect()
}

pub(crate) async fn change(registry: &InProcess, by: &Caller, version: &PublishedVersion, what: &str) -> Answer {
    let path = format!("/api/skills/{}/versions/{}/{what}", version.skill_id, version.version_id);
    registry.send(Some(by), "POST", &path, &json!({ "reason": "because" }).to_string()).await
}
