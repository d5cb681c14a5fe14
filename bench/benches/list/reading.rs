//! What is read of the catalogues, and how long that takes.

use std::time::Instant;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use skillhub_bench::median;
use tokio::runtime::Runtime;

use crate::catalogue::{Catalogue, SEED};

/// Skills on a page.
pub(crate) const PAGE: usize = 50;
/// A search with more hits than it shows, at every size, and how many it shows.
pub(crate) const SEARCH: &str = "/api/search?q=gamma";
pub(crate) const HITS: usize = 20;
/// Requests of a kind to each catalogue in a round.
const REQUESTS: usize = 30;
/// What is read.
pub(crate) const KINDS: [&str; 6] =
    ["list, first page", "list, middle page", "search", "resolve", "detail", "download"];

/// Seconds, by catalogue, kind and round: the p50 of its requests.
pub(crate) type Times = Vec<Vec<Vec<f64>>>;

/// A catalogue, and what is asked of it: for each kind the paths of a round.
pub(crate) struct Reading<'a> {
    catalogue: &'a Catalogue,
    rng: StdRng,
}

impl<'a> Reading<'a> {
    pub(crate) fn of(catalogue: &'a Catalogue) -> Self {
        Self { catalogue, rng: StdRng::seed_from_u64(SEED) }
    }

    /// What a round asks for: other skills in every round, so that none is always in a cache.
    async fn paths(&mut self, kind: usize) -> Vec<String> {
        let mut paths = Vec::with_capacity(REQUESTS);
        for _ in 0..REQUESTS {
            let any = self.rng.random_range(0..self.catalogue.skills.len());
            let skill = format!("/api/skills/{}", self.catalogue.skills[any]);
            paths.push(match kind {
                0 => format!("/api/skills?limit={PAGE}"),
                1 => format!("/api/skills?limit={PAGE}&cursor={}", self.catalogue.middle()),
                2 => String::from(SEARCH),
                3 => format!("/api/resolve?coordinate={}", self.catalogue.coordinates[any]),
                4 => skill,
                _ => self.download(&skill).await,
            });
        }
        paths
    }

    async fn download(&self, skill: &str) -> String {
        let stage = &self.catalogue.stage;
        let detail = stage.service.json(self.catalogue.token(), skill).await;
        let version = detail["skill"]["currentVersion"]["id"].as_str().unwrap();
        format!("{skill}/versions/{version}/download")
    }

    /// The p50 of the requests.
    async fn ask(&self, paths: &[String]) -> f64 {
        let (stage, token) = (&self.catalogue.stage, self.catalogue.token());
        let mut seconds = Vec::with_capacity(paths.len());
        for path in paths {
            let start = Instant::now();
            let body = stage.service.get(token, path).await;
            seconds.push(start.elapsed().as_secs_f64());
            drop(body);
        }
        median(seconds)
    }
}

/// Every round asks every catalogue for every kind. The first round warms up and does not count.
pub(crate) fn measure(runtime: &Runtime, readings: &mut [Reading<'_>], rounds: usize) -> Times {
    let mut times = vec![vec![Vec::with_capacity(rounds); KINDS.len()]; readings.len()];
    for round in 0..=rounds {
        for kind in 0..KINDS.len() {
            for (reading, times) in readings.iter_mut().zip(&mut times) {
                let paths = runtime.block_on(reading.paths(kind));
                let p50 = runtime.block_on(reading.ask(&paths));
                if round > 0 {
                    times[kind].push(p50);
                }
            }
        }
    }
    times
}
