//! Where time and randomness come in: at the edge, once a request.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::extract::{FromRef, FromRequestParts};
use http::request::Parts;
use rand::SeedableRng;
use rand::rngs::StdRng;
use skillhub_protocol::UtcMillis;

use crate::Registry;

/// The server's clock, the only one that counts: the system's, ahead by what it was advanced. Clones go together.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    ahead_millis: Arc<AtomicI64>,
}

impl Clock {
    /// The time; a clock before 1970 or after 9999 reads as 1970.
    pub fn now(&self) -> UtcMillis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let millis = i64::try_from(since.as_millis()).ok().and_then(|millis| millis.checked_add(self.ahead()));
        let now = millis.and_then(UtcMillis::from_epoch_millis);
        now.or(UtcMillis::from_epoch_millis(0)).expect("1970 is in range")
    }

    /// Lets time pass at once: how tests see leases end and sessions expire.
    pub fn advance(&self, by: Duration) {
        let millis = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.ahead_millis.store(self.ahead().saturating_add(millis), Ordering::Relaxed);
    }

    fn ahead(&self) -> i64 {
        self.ahead_millis.load(Ordering::Relaxed)
    }
}

/// The time of the request.
#[derive(Debug, Clone, Copy)]
pub struct Now(pub UtcMillis);

impl<S: Sync> FromRequestParts<S> for Now
where
    Registry: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, state: &S) -> Result<Self, Infallible> {
        Ok(Self(Registry::from_ref(state).clock.now()))
    }
}

/// A generator fit for secrets, seeded by the operating system.
pub fn rng() -> StdRng {
    StdRng::from_rng(&mut rand::rng())
}
