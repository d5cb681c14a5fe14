//! Where time and randomness come in: at the edge, once a request.

use std::convert::Infallible;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::FromRequestParts;
use http::request::Parts;
use rand::SeedableRng;
use rand::rngs::StdRng;
use skillhub_protocol::UtcMillis;

/// The time of the request.
#[derive(Debug, Clone, Copy)]
pub struct Now(pub UtcMillis);

impl<S: Sync> FromRequestParts<S> for Now {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(now()))
    }
}

/// The server's time; a clock before 1970 or after 9999 reads as 1970.
pub fn now() -> UtcMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = i64::try_from(since.as_millis()).ok().and_then(UtcMillis::from_epoch_millis);
    millis.or(UtcMillis::from_epoch_millis(0)).expect("1970 is in range")
}

/// A generator fit for secrets, seeded by the operating system.
pub fn rng() -> StdRng {
    StdRng::from_rng(&mut rand::rng())
}
