//! A registry with so many skills.

use std::time::Instant;

use skillhub_protocol::{Manifest, Scope, SkillId};
use skillhub_store::TokenSecret;
use skillhub_tests::skill::Skill;

use crate::stage::Stage;

/// What the random choices of everything here begin with.
pub(crate) const SEED: u64 = 0x5eed_0008;
/// The first words of slugs: what is searched for. Few, so that a search has a full page at every size.
const WORDS: [&str; 10] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"];

/// Where the skills of a catalogue are.
#[derive(Clone, Copy)]
pub(crate) struct Scopes {
    pub(crate) name: &'static str,
    /// Namespace and scope of each part; all are equally large.
    pub(crate) shares: &'static [(&'static str, Scope)],
}

/// All in the one partition that everybody sees, read by nobody in particular; or in three that a caller's view merges.
pub(crate) const SCOPES: [Scopes; 2] = [
    Scopes { name: "one scope", shares: &[("@team", Scope::Public)] },
    Scopes {
        name: "three scopes",
        shares: &[("@team", Scope::Public), ("@team", Scope::Organization), ("@owner", Scope::Personal)],
    },
];

/// Such a registry.
pub(crate) struct Catalogue {
    pub(crate) stage: Stage,
    pub(crate) scopes: Scopes,
    /// In the order of their ids.
    pub(crate) skills: Vec<SkillId>,
    /// The coordinate of each skill.
    pub(crate) coordinates: Vec<String>,
}

impl Catalogue {
    #[expect(clippy::print_stderr, reason = "how it goes on")]
    pub(crate) async fn seeded(size: usize, scopes: Scopes) -> Self {
        let (stage, start) = (Stage::start().await, Instant::now());
        let mut skills = Vec::new();
        for (i, (namespace, scope)) in scopes.shares.iter().enumerate() {
            let count = size / scopes.shares.len() + usize::from(i < size % scopes.shares.len());
            let slug = |n: usize| format!("{}-{i}-{n}", WORDS[n % WORDS.len()]);
            let manifests = (0..count).map(|n| manifest(&slug(n)));
            let ids = stage.seed(namespace, *scope, manifests, SEED + i as u64).await;
            skills.extend(ids.into_iter().enumerate().map(|(n, id)| (id, format!("{namespace}/{}", slug(n)))));
        }
        skills.sort();
        let (skills, coordinates) = skills.into_iter().unzip();
        eprintln!("seeded {size} skills in {}, seed {SEED}: {:.1} s", scopes.name, start.elapsed().as_secs_f64());
        Self { stage, scopes, skills, coordinates }
    }

    /// The caller: somebody known only where there is something to see that others do not.
    pub(crate) fn token(&self) -> Option<&TokenSecret> {
        (self.scopes.shares.len() > 1).then_some(&self.stage.token)
    }

    /// The skill in the middle of the list.
    pub(crate) fn middle(&self) -> &SkillId {
        &self.skills[self.skills.len() / 2]
    }
}

fn manifest(slug: &str) -> Manifest {
    Manifest::from_json(&Skill::new(slug, "x").manifest().to_string()).unwrap()
}
