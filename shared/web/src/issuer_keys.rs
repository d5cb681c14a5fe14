//! The issuer's keys in memory, so that most JWTs cost no read.

use std::sync::Arc;

use skillhub_protocol::UtcMillis;
use skillhub_store::{IssuerKey, IssuerKeys, StoreError};
use tokio::sync::Mutex;

/// How long keys are used before they are read again, in milliseconds.
const LIFE: i64 = 5 * 60 * 1000;
/// How long after a read an unknown key leads to no other, in milliseconds.
const PAUSE: i64 = 30 * 1000;

/// The keys that this process has read last. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct IssuerKeyCache(Arc<Mutex<Option<Cached>>>);

#[derive(Debug)]
struct Cached {
    keys: IssuerKeys,
    read_at: UtcMillis,
}

/// What is known of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lookup {
    Known(IssuerKey),
    /// The issuer has keys, but none of this name.
    Unknown,
    /// The issuer's keys are not stored.
    NoKeys,
}

impl IssuerKeyCache {
    /// The key named `kid`. `read` reads the stored keys; it is awaited only if those in memory are too old, or are old enough
    /// for another look and don't have the key. That there are none is never remembered.
    pub(crate) async fn find(
        &self,
        kid: &str,
        now: UtcMillis,
        read: impl Future<Output = Result<Option<IssuerKeys>, StoreError>>,
    ) -> Result<Lookup, StoreError> {
        // Held while reading, so that many requests at once read once.
        let mut cached = self.0.lock().await;
        if let Some(found) = cached.as_ref().and_then(|cached| cached.find(kid, now)) {
            return Ok(found);
        }
        *cached = read.await?.filter(|keys| !keys.keys.is_empty()).map(|keys| Cached { keys, read_at: now });
        Ok(cached.as_ref().map_or(Lookup::NoKeys, |cached| lookup(&cached.keys, kid)))
    }
}

impl Cached {
    /// `None`, if the keys must be read again.
    fn find(&self, kid: &str, now: UtcMillis) -> Option<Lookup> {
        let age = now.epoch_millis() - self.read_at.epoch_millis();
        let found = lookup(&self.keys, kid);
        let limit = if found == Lookup::Unknown { PAUSE } else { LIFE };
        // If the clock was set back, they are too old as well.
        (0..limit).contains(&age).then_some(found)
    }
}

fn lookup(keys: &IssuerKeys, kid: &str) -> Lookup {
    keys.find(kid).cloned().map_or(Lookup::Unknown, Lookup::Known)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use serde_json::json;

    const SECOND: i64 = 1000;

    fn at(millis: i64) -> UtcMillis {
        UtcMillis::from_epoch_millis(1_790_000_000_000 + millis).unwrap()
    }

    fn keys(kids: &[&str]) -> IssuerKeys {
        let key = |kid: &&str| json!({ "kty": "OKP", "crv": "Ed25519", "kid": kid, "x": "A".repeat(43) });
        let keys = kids.iter().map(|kid| IssuerKey::from_jwk(key(kid)).unwrap()).collect();
        IssuerKeys { issuer: String::from("https://id.example"), keys, fetched_at: at(0) }
    }

    /// One process over one store, whose reads are counted.
    #[derive(Default)]
    struct Process {
        cache: IssuerKeyCache,
        reads: Cell<usize>,
    }

    impl Process {
        /// What is found, and how many reads there have been by then.
        async fn find(&self, kid: &str, millis: i64, stored: Option<&IssuerKeys>) -> (&'static str, usize) {
            let read = async {
                self.reads.set(self.reads.get() + 1);
                Ok(stored.cloned())
            };
            let found = match self.cache.find(kid, at(millis), read).await.unwrap() {
                Lookup::Known(key) if key.kid() == kid => "known",
                Lookup::Known(_) => "another",
                Lookup::Unknown => "unknown",
                Lookup::NoKeys => "no keys",
            };
            (found, self.reads.get())
        }
    }

    #[tokio::test]
    async fn keys_are_read_once_in_five_minutes() {
        let (process, keys) = (Process::default(), keys(&["a", "b"]));
        for (kid, seconds, reads) in
            [("a", 0, 1), ("b", 1, 1), ("a", 299, 1), ("a", 300, 2), ("b", 599, 2), ("b", 600, 3)]
        {
            assert_eq!(process.find(kid, seconds * SECOND, Some(&keys)).await, ("known", reads), "at {seconds} s");
        }
        assert_eq!(process.find("a", 0, Some(&keys)).await, ("known", 4), "the clock was set back");
    }

    #[tokio::test]
    async fn an_unknown_key_makes_one_read_and_no_second_within_30_seconds() {
        let (process, old, new) = (Process::default(), keys(&["a"]), keys(&["b"]));
        for (kid, millis, stored, expected) in [
            ("a", 0, &old, ("known", 1)),
            ("b", 29_999, &new, ("unknown", 1)),
            ("b", 30_000, &new, ("known", 2)),
            ("a", 30_001, &new, ("unknown", 2)),
            ("c", 59_999, &new, ("unknown", 2)),
            ("b", 59_999, &new, ("known", 2)),
            ("c", 60_000, &new, ("unknown", 3)),
            ("d", 60_001, &new, ("unknown", 3)),
        ] {
            assert_eq!(process.find(kid, millis, Some(stored)).await, expected, "{kid} at {millis} ms");
        }
    }

    #[tokio::test]
    async fn that_there_are_no_keys_is_not_remembered() {
        let (process, none, some) = (Process::default(), keys(&[]), keys(&["a"]));
        for (stored, expected) in
            [(None, ("no keys", 1)), (Some(&none), ("no keys", 2)), (Some(&some), ("known", 3)), (None, ("known", 3))]
        {
            assert_eq!(process.find("a", 0, stored).await, expected);
        }
        assert_eq!(process.find("a", LIFE, None).await, ("no keys", 4), "keys that were removed are used no longer");
    }

    #[tokio::test]
    async fn a_failed_read_is_an_error_and_forgets_nothing() {
        let (process, keys) = (Process::default(), keys(&["a"]));
        process.find("a", 0, Some(&keys)).await;
        let failing = async { Err(StoreError::Unavailable { operation: "GetItem", cause: String::new() }) };
        assert!(process.cache.find("b", at(PAUSE), failing).await.is_err());
        assert_eq!(process.find("a", PAUSE, None).await, ("known", 1));
    }

    #[tokio::test]
    async fn many_requests_at_once_read_once() {
        let (process, keys) = (Process::default(), keys(&["a"]));
        let slow = async {
            tokio::task::yield_now().await;
            process.reads.set(process.reads.get() + 1);
            Ok(Some(keys.clone()))
        };
        let (first, second) = tokio::join!(process.cache.find("a", at(0), slow), process.find("a", 0, Some(&keys)));
        assert!(matches!(first, Ok(Lookup::Known(_))));
        assert_eq!(second, ("known", 1));
    }
}
