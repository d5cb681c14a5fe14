//! P6: the detail beside the reads of the same items by the SDK alone, on one store, in turn.

use aws_config::{BehaviorVersion, Region};
use aws_credential_types::Credentials;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use skillhub_bench::{Bound, Row, Unit, in_turn, median, shares};
use skillhub_protocol::{Manifest, Scope};
use skillhub_tests::proxy::{Call, Operation};
use skillhub_tests::skill::Skill;

use crate::runtime;
use crate::stage::{Place, Stage};

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
    let [head, body] = calls.as_slice() else { panic!("a detail is two reads: {calls:?}") };
    let bare = runtime.block_on(Bare::new(&stage.place));
    let batch = |work: &dyn Fn()| (0..REQUESTS).for_each(|_| work());
    let times = in_turn(
        ROUNDS,
        &mut [
            &mut || batch(&|| drop(runtime.block_on(stage.service.get(None, &path)))),
            &mut || batch(&|| runtime.block_on(bare.read(head))),
            &mut || {
                batch(&|| {
                    runtime.block_on(async {
                        bare.read(head).await;
                        bare.read(body).await;
                    });
                });
            },
            &mut || {
                batch(&|| {
                    let ((), ()) = runtime.block_on(async { tokio::join!(bare.read(head), bare.read(body)) });
                })
            },
        ],
    );
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

async fn seed(stage: &Stage) -> String {
    let manifest = Manifest::from_json(&Skill::new("hello", "x").manifest().to_string()).unwrap();
    stage.seed("@team", Scope::Public, std::iter::once(manifest), 1).await[0].to_string()
}

/// The SDK as anybody would use it.
struct Bare(Client);

impl Bare {
    async fn new(place: &Place) -> Self {
        let credentials = Credentials::new(&place.access_key, &place.secret_key, None, None, "fixed");
        let http = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
        let config = aws_config::defaults(BehaviorVersion::latest())
            .http_client(http)
            .region(Region::from_static("us-east-1"))
            .credentials_provider(credentials)
            .endpoint_url(&place.dynamodb);
        Self(Client::new(&config.load().await))
    }

    /// Reads what this call has read, as freshly.
    async fn read(&self, call: &Call) {
        assert_eq!(call.operation, Operation::GetItem, "{call}");
        let (pk, sk) = call.targets[0].split_once(' ').unwrap();
        let text = |value: &str| AttributeValue::S(value.to_owned());
        let request = self.0.get_item().table_name("skillhub").key("pk", text(pk)).key("sk", text(sk));
        let answer = request.consistent_read(call.strong).send().await.unwrap();
        assert!(answer.item.is_some(), "{call}");
    }
}
