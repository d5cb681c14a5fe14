//! The smallest function of the same kind, to hold the others against: `cargo xtask bench cold`. Before it serves, it writes to
//! standard error how long its first random number took, in nanoseconds.
#![expect(clippy::print_stderr, reason = "its measurement")]

use std::time::Instant;

use axum::Router;
use axum::routing::get;
use rand::RngExt as _;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let start = Instant::now();
    let number: u64 = skillhub_web::rng().random();
    eprintln!("{} {number}", start.elapsed().as_nanos());
    lambda_http::run(Router::new().route("/", get(|| async { "hello" }))).await
}
