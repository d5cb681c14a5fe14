//! Trying again, boundedly.

use std::time::Duration;

use rand::{Rng, RngExt};

use crate::error::StoreError;
use crate::transaction::Outcome;

/// How often a change is decided again before its caller is asked to come back later.
const MAX_ATTEMPTS: u32 = 12;
/// Pauses after a conflict: full jitter up to a bound that doubles, in milliseconds.
const PAUSE_MS: std::ops::Range<u64> = 20..1000;

/// The attempts of one change.
#[derive(Debug)]
pub(crate) struct Attempts {
    made: u32,
    pause: u64,
}

impl Attempts {
    pub(crate) fn new() -> Self {
        Self { made: 1, pause: PAUSE_MS.start }
    }

    /// Returns when it is time to read and decide again. A failed condition needs no pause: somebody else has got on.
    ///
    /// # Errors
    /// That the store is busy, after too many attempts.
    pub(crate) async fn again(&mut self, outcome: Outcome, rng: &mut (impl Rng + Send)) -> Result<(), StoreError> {
        self.made += 1;
        if self.made > MAX_ATTEMPTS {
            let cause = format!("{MAX_ATTEMPTS} attempts met others' changes");
            return Err(StoreError::Unavailable { operation: "TransactWriteItems", cause });
        }
        if outcome == Outcome::Busy {
            tokio::time::sleep(Duration::from_millis(rng.random_range(0..=self.pause))).await;
            self.pause = (self.pause * 2).min(PAUSE_MS.end);
        }
        Ok(())
    }
}
