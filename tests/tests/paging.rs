//! A large catalogue, read page by page while it changes.
#![expect(clippy::print_stdout, reason = "seeds and numbers, for who looks at the output")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::json;
use skillhub_protocol::{Manifest, Scope, SkillId};
use skillhub_store::Audience;
use skillhub_tests::in_process::{Caller, InProcess};
use skillhub_tests::skill::Skill;

const PAGE: usize = 100;
/// How many skills of each scope.
const SCOPES: [(&str, Scope, usize); 3] =
    [("@lead", Scope::Public, 4000), ("@team", Scope::Organization, 3000), ("@lead", Scope::Personal, 3000)];

struct Catalogue {
    registry: InProcess,
    lead: Caller,
    /// Ids in ascending order, as they were seeded.
    skills: Vec<SkillId>,
}

impl Catalogue {
    async fn seeded() -> Self {
        let registry = InProcess::start().await;
        let lead = registry.person("lead").await;
        registry.found_namespace(&lead, "@team", "organization").await;
        let known = registry.table().authenticate(&lead.token, registry.clock.now()).await.unwrap().unwrap();
        let (mut skills, mut rng, start) = (Vec::new(), StdRng::seed_from_u64(1), registry.clock.now());
        for (i, (namespace, scope, count)) in SCOPES.into_iter().enumerate() {
            let membership = known.membership_by_handle(&namespace.parse().unwrap()).unwrap();
            let audience = Audience::of(membership, scope).unwrap();
            let manifest = |n: usize| {
                let skill = Skill::new(&format!("{scope}-{n}"), "x");
                Manifest::from_json(&skill.manifest().to_string()).unwrap()
            };
            let manifests: Vec<_> = (0..count).map(manifest).collect();
            // Interleaved in time, so that every page takes from every scope.
            let from = start.plus_millis(-20_000 + 7 * i as i64);
            skills.extend(registry.table().seed(membership, &audience, &manifests, from, &mut rng).await.unwrap());
        }
        skills.sort();
        registry.proxy.take_attempts();
        Self { registry, lead, skills }
    }

    /// A whole traversal; what it showed, in its order.
    async fn traverse(&self) -> Vec<SkillId> {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        for _ in 0..2 * self.skills.len() / PAGE {
            let path = format!("/api/skills?limit={PAGE}{cursor}");
            let page = self.registry.send(Some(&self.lead), "GET", &path, "").await.json();
            let ids = page["skills"].as_array().unwrap().iter().map(|skill| skill["id"].as_str().unwrap());
            seen.extend(ids.map(|id| id.parse::<SkillId>().unwrap()));
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return seen,
            }
        }
        panic!("the traversal does not end");
    }

    /// New skills, new versions of old ones, and every tenth of the `fickle` yanked and back again, until the end.
    async fn churn(&self, fickle: &[&SkillId], over: &AtomicBool) -> usize {
        let mut changes = 0;
        while !over.load(Ordering::Relaxed) {
            let i = changes;
            self.publish(&Skill::new(&format!("new-{i}"), "x"), "@team").await;
            self.publish(&Skill::new(&format!("organization-{}", i * 97 % 3000), "y").version("2.0.0"), "@team").await;
            let skill = fickle[i % fickle.len()];
            for what in ["yank", "unyank"].iter().take(1 + i % 2) {
                self.change(skill, what).await;
            }
            changes += 1;
        }
        changes
    }

    async fn publish(&self, skill: &Skill, namespace: &str) {
        let mut request = skill.request();
        request["namespace"] = json!(namespace);
        let session =
            self.registry.send(Some(&self.lead), "POST", "/api/uploads", &request.to_string()).await.session();
        if session.upload.is_some() {
            let event = self.registry.place(&session.id, &skill.archive()).await;
            self.registry.deliver(&event).await.unwrap();
        }
    }

    async fn change(&self, skill: &SkillId, what: &str) {
        let versions = format!("/api/skills/{skill}/versions");
        let found = self.registry.send(Some(&self.lead), "GET", &versions, "").await.json();
        let path = format!("{versions}/{}/{what}", found["versions"][0]["id"].as_str().unwrap());
        let answer = self.registry.send(Some(&self.lead), "POST", &path, r#"{"reason":"churn"}"#).await;
        assert_eq!(answer.status, 204, "{answer:?}");
    }
}

/// P8: what a page costs does not depend on where it is.
async fn a_page_reads_one_item_more_than_it_shows_of_each_partition(catalogue: &Catalogue) {
    let middle = &catalogue.skills[catalogue.skills.len() / 2];
    for query in [String::from("limit=50"), format!("limit=50&cursor={middle}")] {
        catalogue.registry.proxy.take_attempts();
        catalogue.registry.send(Some(&catalogue.lead), "GET", &format!("/api/skills?{query}"), "").await;
        let calls = catalogue.registry.proxy.take_attempts();
        let read: Vec<_> = calls.iter().filter(|call| call.touches("L#")).filter_map(|c| c.answer?.items).collect();
        assert_eq!(read, [51; 3], "{query}");
    }
}

#[tokio::test]
async fn a_skill_that_exists_throughout_is_shown_exactly_once_while_others_come_and_go() {
    let catalogue = Catalogue::seeded().await;
    a_page_reads_one_item_more_than_it_shows_of_each_partition(&catalogue).await;
    let fickle: Vec<_> = catalogue.skills.iter().step_by(83).collect();
    let over = AtomicBool::new(false);
    let traversal = async {
        let seen = catalogue.traverse().await;
        over.store(true, Ordering::Relaxed);
        seen
    };
    let (seen, changes) = tokio::join!(traversal, catalogue.churn(&fickle, &over));
    println!("{changes} rounds of changes beside the traversal");
    assert!(changes >= 10, "only {changes} changes went on beside it");
    assert!(seen.is_sorted_by(|a, b| a < b), "in order, and none twice");
    let seen: BTreeSet<_> = seen.iter().collect();
    let constant: BTreeSet<_> = catalogue.skills.iter().filter(|id| !fickle.contains(id)).collect();
    assert_eq!(constant.difference(&seen).next(), None, "one is missing");
}
