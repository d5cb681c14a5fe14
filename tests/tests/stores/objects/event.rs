//! What the object store tells of a stored object. On AWS S3 invokes the function itself; so only the embedded store is probed.

use std::sync::Arc;
use std::time::Duration;

use skillhub_local::{ObjectCreated, s3_event_json};
use tokio::sync::Mutex;
use tokio::sync::mpsc::UnboundedReceiver;

use super::{BODY, Bucket, OTHER};
use crate::probe::{Probe, Scoped, Seen, Verdict, ok, probes, refused, same, same_list};

/// How long an event may take.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) const PROBES: &[Probe<Events>] = probes![
    event_of_put: "a stored object is told once, with its key, form-encoded, in the shape of an S3 event",
    no_event_of_refusal: "a PUT that is refused is not told",
];

/// A bucket, and what its store tells of it.
#[derive(Clone)]
pub(crate) struct Events {
    bucket: Bucket,
    told: Arc<Mutex<UnboundedReceiver<ObjectCreated>>>,
}

impl Scoped for Events {
    fn scoped(&self, id: &'static str) -> Self {
        Self { bucket: self.bucket.scoped(id), told: Arc::clone(&self.told) }
    }
}

impl Events {
    pub(crate) fn new(bucket: Bucket, told: UnboundedReceiver<ObjectCreated>) -> Self {
        Self { bucket, told: Arc::new(Mutex::new(told)) }
    }

    /// The events of this probe, up to that of the key `last`.
    async fn until(&self, last: &str) -> Result<Vec<ObjectCreated>, Seen> {
        let (prefix, mut told, mut ours) = (self.bucket.key(""), self.told.lock().await, Vec::new());
        while ours.last().is_none_or(|event: &ObjectCreated| event.key != last) {
            let event = tokio::time::timeout(PATIENCE, told.recv()).await.ok().flatten();
            let event = event.ok_or_else(|| Seen(format!("no event of {last}")))?;
            ours.extend(event.key.starts_with(&prefix).then_some(event));
        }
        Ok(ours)
    }
}

async fn event_of_put(events: Events) -> Verdict {
    let key = events.bucket.key("staging/a b+ü");
    events.bucket.store(&key, BODY).await?;
    let told = events.until(&key).await?;
    let keys: Vec<_> = told.iter().map(|event| event.key.as_str()).collect();
    same_list("keys", &keys, &[key.as_str()])?;
    let event = told.first().map(s3_event_json).unwrap_or_default();
    let record = &event["Records"][0];
    same("eventName", &record["eventName"], &"ObjectCreated:Put".into())?;
    same("eventSource", &record["eventSource"], &"aws:s3".into())?;
    same("bucket", &record["s3"]["bucket"]["name"], &events.bucket.name.clone().into())?;
    let encoded = format!("{}/staging/a+b%2B%C3%BC", events.bucket.scope);
    same("key", &record["s3"]["object"]["key"], &encoded.into())?;
    same("size", &record["s3"]["object"]["size"], &BODY.len().into())
}

async fn no_event_of_refusal(events: Events) -> Verdict {
    let Events { bucket, .. } = &events;
    let (kept, last) = (bucket.key("kept"), bucket.key("last"));
    ok("PUT", bucket.put_if_absent(&kept, BODY).send().await)?;
    refused("the second PUT", &bucket.put_if_absent(&kept, OTHER).send().await, super::TAKEN)?;
    let wrong = bucket.put(&bucket.key("wrong"), BODY).checksum_sha256(super::sha256(OTHER)).send().await;
    refused("a PUT with a wrong SHA-256", &wrong, "400 BadDigest")?;
    bucket.store(&last, BODY).await?;
    let told = events.until(&last).await?;
    let keys: Vec<_> = told.iter().map(|event| event.key.as_str()).collect();
    same_list("keys", &keys, &[&kept, &last])
}
