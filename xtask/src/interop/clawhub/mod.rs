//! The client of ClawHub: what its versions are told to do.

mod finding;
mod installing;
mod managing;
mod publishing;
mod updating;

use super::scenario::Scenario;

/// All scenarios, in the order of the page.
pub(super) fn scenarios() -> Vec<&'static Scenario> {
    let topics: [&[Scenario]; 5] =
        [finding::SCENARIOS, installing::SCENARIOS, updating::SCENARIOS, publishing::SCENARIOS, managing::SCENARIOS];
    topics.into_iter().flatten().collect()
}
