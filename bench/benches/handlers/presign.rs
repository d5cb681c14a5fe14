//! P7: a presigned GET, as the download function makes it, and by the SDK's presigner alone.

use std::time::Duration;

use aws_sdk_s3::Client;
use aws_sdk_s3::presigning::PresigningConfig;
use skillhub_bench::{Bound, Row, Unit, in_turn, median, shares};
use skillhub_package::sha256;
use skillhub_store::{ObjectKey, Objects};
use skillhub_tests::proxy::Proxy;
use skillhub_web::Clock;

use crate::stage::{Place, Stage};
use crate::{bare, runtime};

const ROUNDS: usize = 31;
/// Signatures of each contestant in a round.
const SIGNATURES: usize = 500;
const FILE_NAME: &str = "hello-1.0.0.zip";

pub(crate) fn rows() -> Vec<Row> {
    let runtime = runtime();
    let (place, proxy, _stage) = runtime.block_on(behind_a_proxy());
    let objects = place.connect().validator().objects.clone();
    let key = ObjectKey::Package {
        skill: format!("c{}", "0".repeat(24)).parse().unwrap(),
        version: format!("v{}", "0".repeat(24)).parse().unwrap(),
        artifact: sha256(b"artifact"),
    };
    let client = runtime.block_on(bare::objects(&place));
    let times = in_turn(
        ROUNDS,
        &mut [&mut || runtime.block_on(async { sign(&objects, &key).await }), &mut || {
            runtime.block_on(async { sign_bare(&client, &key.to_string()).await })
        }],
    );
    let calls = proxy.take_attempts().len();
    let micros = |times: &[f64]| median(times.to_vec()) / SIGNATURES as f64 * 1e6;
    let method = format!("warm, {SIGNATURES} a round, in turn");
    let row = |what: &str, figure: f64, unit: Unit| Row::new("P7", what, figure, unit).method(method.clone(), ROUNDS);
    vec![
        row("presign a GET", micros(&times[0]), Unit::Micros).demands(Bound::AtMost(30.0)),
        row("presign a GET, by the SDK alone", micros(&times[1]), Unit::Micros),
        row("presign a GET / by the SDK alone", median(shares(&times[0], &times[1])), Unit::Times),
        row("calls of the stores while signing", calls as f64, Unit::Count).demands(Bound::AtMost(0.0)),
    ]
}

/// Stores whose calls are counted.
async fn behind_a_proxy() -> (Place, Proxy, Stage) {
    let stage = Stage::start().await;
    let proxy = Proxy::start(&stage.place.dynamodb, &stage.place.objects, &stage.place.ca_pem).await.unwrap();
    let (dynamodb, objects) = (proxy.dynamodb_url.clone(), proxy.objects_url.clone());
    (Place { dynamodb, objects, ..stage.place.clone() }, proxy, stage)
}

async fn sign(objects: &Objects, key: &ObjectKey) {
    let clock = Clock::default();
    for _ in 0..SIGNATURES {
        let signed = objects.presign_download(key, FILE_NAME, clock.now()).await;
        std::hint::black_box(signed.unwrap());
    }
}

async fn sign_bare(client: &Client, key: &str) {
    for _ in 0..SIGNATURES {
        let config = PresigningConfig::expires_in(Duration::from_secs(300)).unwrap();
        let request = client.get_object().bucket("skillhub").key(key).response_content_type("application/zip");
        let request = request.response_content_disposition(format!("attachment; filename=\"{FILE_NAME}\""));
        std::hint::black_box(request.presigned(config).await.unwrap());
    }
}
