//! Waiting for a transaction that was in the way.

use std::time::Duration;

use rand::{Rng, RngExt};

/// Pauses with full jitter, the longest of which doubles from 20 ms to 2 s.
pub(crate) struct Pause {
    longest_ms: u64,
}

impl Default for Pause {
    fn default() -> Self {
        Self { longest_ms: 20 }
    }
}

impl Pause {
    pub(crate) async fn wait(&mut self, rng: &mut (impl Rng + Send)) {
        tokio::time::sleep(Duration::from_millis(rng.random_range(0..=self.longest_ms))).await;
        self.longest_ms = (self.longest_ms * 2).min(2000);
    }
}
