//! P6: the detail beside the reads of the same items by the SDK alone, on one store, in turn.

use skillhub_bench::{Bound, Row, Unit, in_turn, median, shares};
use skillhub_protocol::{Manifest, Scope};
use skillhub_tests::proxy::Call;
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
    // The very reads that the handler makes.
    let calls = runtime.block_on(stage.calls_of(None, &path));
    let times = measure(&runtime, &stage, &path, &calls);
    let ratio = |what: &str, a: usize, b: usize| {
        let method = format!("{REQUESTS} requests a round, in turn, in process; embedded DynamoDB; no log");
        Row::new("P6", what, median(shares(&times[a], &times[b])), Unit::Times).method(method, ROUNDS)
    };
    let micros = median(times[0].clone()) / REQUESTS as f64 * 1e6;
    vec![
        ratio("detail / one bare GetItem", 0, 1).demands(Bound::AtMost(1.3)),
        ratio("detail / its two GetItems made bare, one after the other", 0, 2),
        ratio("two bare GetItems, one after the other / one", 2, 1),
        ratio("two bare GetItems at once / one", 3, 1),
        Row::new("P6", "detail", micros, Unit::Micros).method("median of the rounds", ROUNDS),
    ]
}

/// The detail; its first read; both reads, one after the other; both at once.
fn measure(runtime: &Runtime, stage: &Stage, path: &str, calls: &[Call]) -> Vec<Vec<f64>> {
    let [head, body] = calls else { panic!("a detail is two reads: {calls:?}") };
    let bare = runtime.block_on(BareTable::at(&stage.place));
    let detail = async || drop(stage.service.get(None, path).await);
    let one_by_one = async || {
        bare.read(head).await;
        bare.read(body).await;
    };
    let at_once = async || {
        tokio::join!(bare.read(head), bare.read(body));
    };
    in_turn(
        ROUNDS,
        &mut [
            &mut || runtime.block_on(repeat(detail)),
            &mut || runtime.block_on(repeat(async || bare.read(head).await)),
            &mut || runtime.block_on(repeat(one_by_one)),
            &mut || runtime.block_on(repeat(at_once)),
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
