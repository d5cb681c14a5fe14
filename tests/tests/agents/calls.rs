//! What each request costs in calls of the stores: exactly these, in this order.

use serde_json::{Value, json};
use skillhub_tests::in_process::InProcess;
use skillhub_tests::skill::Skill;

use crate::support::{call, get, hello, publish_as};

fn taken(registry: &InProcess) -> Vec<String> {
    registry.proxy.take_attempts().iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn every_request_costs_what_its_table_says() {
    let registry = InProcess::start().await;
    hello(&registry).await;
    let own = |request: &mut Value| (request["namespace"], request["scope"]) = (json!("@owner"), json!("public"));
    publish_as(&registry, &registry.owner, &Skill::new("own", "x"), own).await;
    let latest = ["GetItem G strong", "GetItem S strong"];
    let with = |before: &[&'static str], after: &[&'static str]| [before, after].concat();
    let skill = "/@global/hello/.well-known";
    taken(&registry);
    for (path, calls) in [
        ("/@global/.well-known/agent-skills/index.json".to_owned(), vec!["Query L"]),
        ("/@owner/.well-known/agent-skills/index.json".to_owned(), vec!["GetItem H", "Query L"]),
        ("/@nobody/.well-known/agent-skills/index.json".to_owned(), vec!["GetItem H", "GetItem H strong"]),
        ("/@global/.well-known/skills/index.json".to_owned(), vec!["Query L", "BatchGetItem 1"]),
        (format!("{skill}/agent-skills/index.json"), with(&latest, &["BatchGetItem 2"])),
        (format!("{skill}/skills/index.json"), with(&latest, &["BatchGetItem 2"])),
        ("/@global/hello@1.0.0/.well-known/skills/index.json".to_owned(), with(&latest, &["BatchGetItem 2"])),
        ("/@global/hello@old/.well-known/skills/index.json".to_owned(), with(&latest, &["BatchGetItem 2"])),
        (format!("{skill}/agent-skills/hello@1.0.0.zip"), with(&latest, &["GetItem S"])),
        (format!("{skill}/skills/hello/SKILL.md"), with(&latest, &["BatchGetItem 2", "GetObject packages"])),
        (format!("{skill}/skills/hello/nothing.md"), with(&latest, &["BatchGetItem 2"])),
        ("/.well-known/skills/index.json".to_owned(), vec![]),
        ("/@/.well-known/skills/index.json".to_owned(), vec![]),
    ] {
        get(&registry, &path).await;
        assert_eq!(taken(&registry), calls, "{path}");
    }
    let uri = |path: &str| json!({ "uri": format!("skill://global/hello/{path}") });
    for (method, params, calls) in [
        ("server/discover", json!({}), vec![]),
        ("tools/list", json!({}), vec![]),
        ("skills/list", json!({}), vec!["Query L", "BatchGetItem 2"]),
        ("resources/list", json!({}), vec!["Query L"]),
        ("skills/get", uri("SKILL.md"), with(&latest, &["BatchGetItem 2"])),
        ("skills/get", uri("references/notes.md"), vec![]),
        ("resources/read", uri("SKILL.md"), with(&latest, &["BatchGetItem 2", "GetObject packages"])),
        ("resources/read", json!({ "uri": "file:///etc/passwd" }), vec![]),
    ] {
        call(&registry, None, method, params.clone()).await;
        assert_eq!(taken(&registry), calls, "{method} {params}");
    }
}
