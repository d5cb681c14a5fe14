//! Object events: from the store to a handler, in the shape that AWS gives them.

use std::fmt::Display;
use std::future::Future;
use std::time::{Duration, UNIX_EPOCH};

use aws_lambda_events::event::s3::S3Event;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::s3::{Creation, ObjectCreated, REGION};

/// Events that are handled at the same time.
const CONCURRENCY: usize = 4;
/// Pauses before the second, third and fourth delivery of an event whose handler failed.
const PAUSES: [Duration; 3] = [Duration::from_millis(100), Duration::from_millis(500), Duration::from_secs(2)];

/// Delivers every event whose key begins with `prefix` to `handler`; returns when all are handled after `shutdown`.
///
/// A handler that fails is called again, three times at most, and not after `shutdown`. An event that is never handled
/// is only a hint lost: whatever it was about is found by the sweeper.
pub async fn dispatch<H, F, E>(
    mut events: UnboundedReceiver<ObjectCreated>,
    prefix: &'static str,
    handler: H,
    shutdown: CancellationToken,
) where
    H: Fn(S3Event) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<(), E>> + Send + 'static,
    E: Display + Send + 'static,
{
    let mut running = JoinSet::new();
    loop {
        let created = tokio::select! {
            created = events.recv() => created,
            Some(ended) = running.join_next() => { note_panic(ended); continue }
            () = shutdown.cancelled(), if !events.is_closed() => { events.close(); continue }
        };
        let Some(created) = created else { break };
        if created.key.starts_with(prefix) {
            while running.len() >= CONCURRENCY {
                if let Some(ended) = running.join_next().await {
                    note_panic(ended);
                }
            }
            running.spawn(deliver(created, handler.clone(), shutdown.clone()));
        }
    }
    while let Some(ended) = running.join_next().await {
        note_panic(ended);
    }
}

async fn deliver<H, F, E>(created: ObjectCreated, handler: H, shutdown: CancellationToken)
where
    H: Fn(S3Event) -> F,
    F: Future<Output = Result<(), E>>,
    E: Display,
{
    let key = &created.key;
    let event = match s3_event(&created) {
        Ok(event) => event,
        Err(error) => return tracing::error!(key, %error, "an object event has no legal form"),
    };
    let mut pauses = PAUSES.into_iter();
    while let Err(error) = handler(event.clone()).await {
        let Some(pause) = pauses.next().filter(|_| !shutdown.is_cancelled()) else {
            return tracing::error!(key, %error, "an object event stays unhandled; the sweeper will find its object");
        };
        tracing::warn!(key, %error, "an object event failed and is delivered again");
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = shutdown.cancelled() => {}
        }
    }
}

fn note_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "the handler of an object event ended abnormally");
    }
}

/// The event as a Lambda function gets it.
///
/// # Errors
/// If the time of the object is outside of what a date can be.
pub fn s3_event(created: &ObjectCreated) -> Result<S3Event, serde_json::Error> {
    serde_json::from_value(s3_event_json(created))
}

/// The event as S3 sends it: one record, version 2.1, key form-encoded.
pub fn s3_event_json(created: &ObjectCreated) -> Value {
    let nanoseconds = created.event_time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let sequencer = format!("{nanoseconds:018X}");
    let time = jiff::Timestamp::try_from(created.event_time).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let name = match created.by {
        Creation::Put => "ObjectCreated:Put",
        Creation::Copy => "ObjectCreated:Copy",
    };
    json!({ "Records": [{
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": REGION,
        "eventTime": time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string(),
        "eventName": name,
        "userIdentity": { "principalId": "LOCAL" },
        "requestParameters": { "sourceIPAddress": "127.0.0.1" },
        "responseElements": { "x-amz-request-id": sequencer, "x-amz-id-2": sequencer },
        "s3": {
            "s3SchemaVersion": "1.0",
            "configurationId": "local",
            "bucket": {
                "name": created.bucket,
                "ownerIdentity": { "principalId": "LOCAL" },
                "arn": format!("arn:aws:s3:::{}", created.bucket),
            },
            "object": {
                "key": form_encode(&created.key),
                "size": created.size,
                "eTag": created.etag,
                "sequencer": sequencer,
            },
        },
    }] })
}

/// Encodes a key as S3 does in events and in listings: a space becomes `+`, the slash stays.
pub(crate) fn form_encode(key: &str) -> String {
    let segments = key.split('/').map(|segment| url::form_urlencoded::byte_serialize(segment.as_bytes()).collect());
    segments.collect::<Vec<String>>().join("/")
}
