//! Filters of the list, and search.

use serde_json::json;
use skillhub_tests::in_process::InProcess;
use skillhub_tests::skill::Skill;

use crate::support::{Release, TEAM, Team, each, get, publish, refused};

#[tokio::test]
async fn filters_narrow_what_a_caller_sees_and_nothing_widens_it() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let release = |namespace, scope| Release { namespace, scope, tags: &[] };
    publish(&registry, &registry.owner, &Skill::new("curated", "x"), &release("@global", None)).await;
    publish(&registry, &team.author, &Skill::new("team-only", "x"), &TEAM).await;
    publish(&registry, &team.author, &Skill::new("team-open", "x"), &release("@team", Some("public"))).await;
    publish(&registry, &team.lead, &Skill::new("own", "x"), &release("@lead", None)).await;
    publish(&registry, &team.lead, &Skill::new("own-open", "x"), &release("@lead", Some("public"))).await;
    let organization = get(&registry, Some(&team.lead), "/api/namespaces/team").await["organizationId"].clone();
    let by_organization = format!("?organizationId={}", organization.as_str().unwrap());

    let (lead, mate, stranger) = (Some(&team.lead), Some(&team.mate), Some(&team.stranger));
    let all = ["curated", "team-only", "team-open", "own", "own-open"];
    let open = ["curated", "team-open", "own-open"];
    let cases: [(Option<&_>, &str, &[&str]); 20] = [
        (lead, "", &all),
        (mate, "", &["curated", "team-only", "team-open", "own-open"]),
        (stranger, "", &open),
        (None, "", &open),
        (lead, "?scope=public", &open),
        (lead, "?scope=organization", &["team-only"]),
        (lead, "?scope=personal", &["own"]),
        (mate, "?scope=personal", &[]),
        (None, "?scope=organization", &[]),
        (lead, &by_organization, &["team-only"]),
        (stranger, &by_organization, &[]),
        (lead, "?organizationId=unknown", &[]),
        (lead, "?namespace=@team", &["team-only", "team-open"]),
        (stranger, "?namespace=@team", &["team-open"]),
        (None, "?namespace=%40lead", &["own-open"]),
        (lead, "?namespace=@lead&scope=personal", &["own"]),
        (lead, "?namespace=@global", &["curated"]),
        (lead, "?namespace=@nobody", &[]),
        (lead, "?namespace=@lead&scope=organization", &[]),
        (mate, "?namespace=@team&scope=organization", &["team-only"]),
    ];
    for (by, query, expected) in cases {
        let found = get(&registry, by, &format!("/api/skills{query}")).await;
        assert_eq!(each(&found["skills"], "/slug"), expected, "{query}");
        assert_eq!(found["nextCursor"], json!(null));
    }
    for (query, place) in
        [("scope=all", "scope"), ("namespace=team", "namespace"), ("organizationId=", "organizationId")]
    {
        let answer = registry.send(lead, "GET", &format!("/api/skills?{query}"), "").await;
        refused(&answer, 400, "invalid_request");
        assert_eq!(answer.json()["errors"][0]["path"], place);
    }
}

#[tokio::test]
async fn search_gives_the_exact_slug_first_and_then_the_prefix() {
    let registry = InProcess::start().await;
    let team = Team::found(&registry).await;
    let release = |namespace| Release { namespace, scope: None, tags: &[] };
    for slug in ["sql-review", "sql", "sql2", "squash"] {
        publish(&registry, &registry.owner, &Skill::new(slug, "x"), &release("@global")).await;
    }
    publish(&registry, &team.author, &Skill::new("sql", "y"), &TEAM).await;
    publish(&registry, &team.lead, &Skill::new("sql-mine", "y"), &release("@lead")).await;
    let (lead, stranger) = (Some(&team.lead), Some(&team.stranger));
    let cases: [(Option<&_>, &str, &[&str]); 10] = [
        (stranger, "q=sql", &["sql", "sql-review", "sql2"]),
        (None, "q=sql", &["sql", "sql-review", "sql2"]),
        (lead, "q=sql", &["sql", "sql", "sql-mine", "sql-review", "sql2"]),
        (lead, "q=sql&limit=2", &["sql", "sql"]),
        (stranger, "q=SQL+Review", &["sql-review"]),
        (stranger, "q=sq", &["sql", "sql-review", "sql2", "squash"]),
        (stranger, "q=sql-mine", &[]),
        (stranger, "q=%23", &[]),
        (stranger, "q=%E6%8A%80%E8%83%BD", &[]),
        (stranger, "q=sql%23c", &[]),
    ];
    for (by, query, expected) in cases {
        let found = get(&registry, by, &format!("/api/search?{query}")).await;
        assert_eq!(each(&found["skills"], "/slug"), expected, "{query}");
    }
    for query in ["", "q=", "q=+", "q=x&limit=0", "q=x&limit=51", &format!("q={}", "x".repeat(65))] {
        refused(&registry.send(None, "GET", &format!("/api/search?{query}"), "").await, 400, "invalid_request");
    }
}
