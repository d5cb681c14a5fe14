//! P6: the detail beside calls of the same store by the SDK alone, in turn.

use skillhub_bench::{Bound, Row, Unit, in_turn, median, shares};
use skillhub_protocol::{Manifest, Scope};
use skillhub_tests::proxy::Operation;
use skillhub_tests::skill::Skill;
use tokio::runtime::Runtime;

use crate::bare::BareTable;
use crate::runtime;
use crate::stage::Stage;

const ROUNDS: usize = 21;
/// Requests of each contestant in a round.
const REQUESTS: usize = 200;

pub(crate) fn rows() -> Vec<Row> {
    let runtime = runtime();
    let stage = runtime.block_on(Stage::start());
    let skill = runtime.block_on(seed(&stage));
    let path = format!("/api/skills/{skill}");
    let calls = runtime.block_on(stage.calls_of(None, &path));
    assert!(
        matches!(calls.as_slice(), [call] if call.operation == Operation::Query),
        "a detail is one query: {calls:?}"
    );
    let times = measure(&runtime, &stage, &skill, &path);
    let ratio = |what: &str, a: usize, b: usize| {
        let method = format!("{REQUESTS} requests a round, in turn, in process; embedded DynamoDB; no log");
        Row::new("P6", what, median(shares(&times[a], &times[b])), Unit::Times).method(method, ROUNDS)
    };
    let micros = median(times[0].clone()) / REQUESTS as f64 * 1e6;
    vec![
        ratio("detail / one bare GetItem", 0, 1).demands(Bound::AtMost(1.3)),
        ratio("detail / its query of two items made bare", 0, 2),
        ratio("the bare query / one bare GetItem", 2, 1),
        Row::new("P6", "detail", micros, Unit::Micros).method("median of the rounds", ROUNDS),
    ]
}

/// The detail; a bare read of the skill; a bare query of what the detail needs.
fn measure(runtime: &Runtime, stage: &Stage, skill: &str, path: &str) -> Vec<Vec<f64>> {
    let bare = runtime.block_on(BareTable::at(&stage.place));
    let detail = async || drop(stage.service.get(None, path).await);
    in_turn(
        ROUNDS,
        &mut [
            &mut || runtime.block_on(repeat(detail)),
            &mut || runtime.block_on(repeat(async || bare.read(skill).await)),
            &mut || runtime.block_on(repeat(async || bare.query(skill).await)),
        ],
    )
}

async fn repeat(work: impl AsyncFn()) {
    for _ in 0..REQUESTS {
        work().await;
    }
}

async fn seed(stage: &Stage) -> String {
    let manifest = Manifest::from_json(&Skill::new("hello", "x").manifest().to_string()).unwrap();
    stage.seed("@team", Scope::Public, std::iter::once(manifest), 1).await[0].to_string()
}
