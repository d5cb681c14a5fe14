//! Waiting for a transaction that was in the way, or for a store that has too much to do.

use std::time::Duration;

use rand::{Rng, RngExt};
use skillhub_store::StoreError;

/// How often in a row a throttling store is waited for: some seconds. Others wait for this function, too.
const MAX_THROTTLED: u32 = 10;

/// Pauses with full jitter, the longest of which doubles from 20 ms to 2 s.
pub(crate) struct Pause {
    longest_ms: u64,
    throttled: u32,
}

impl Default for Pause {
    fn default() -> Self {
        Self { longest_ms: 20, throttled: 0 }
    }
}

impl Pause {
    pub(crate) async fn wait(&mut self, rng: &mut (impl Rng + Send)) {
        tokio::time::sleep(Duration::from_millis(rng.random_range(0..=self.longest_ms))).await;
        self.longest_ms = (self.longest_ms * 2).min(2000);
    }

    /// The same after this error, if it says that the store is throttling.
    ///
    /// # Errors
    /// This one, if it is another, or has come too often.
    pub(crate) async fn after(&mut self, error: StoreError, rng: &mut (impl Rng + Send)) -> Result<(), StoreError> {
        self.throttled += 1;
        if self.throttled > MAX_THROTTLED || !matches!(error, StoreError::Throttled { .. }) {
            return Err(error);
        }
        self.wait(rng).await;
        Ok(())
    }
}
