//! Events of stored objects: their shape, and their delivery.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use aws_lambda_events::event::s3::S3Event;
use skillhub_local::{Creation, ObjectCreated, dispatch, s3_event, s3_event_json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::{BUCKET, Fixture};

fn created(key: &str) -> ObjectCreated {
    ObjectCreated {
        bucket: BUCKET.to_owned(),
        key: key.to_owned(),
        size: 5,
        etag: "0cc175b9c0f1b6a831c399e269772661".to_owned(),
        event_time: UNIX_EPOCH + Duration::from_millis(1_700_000_000_007),
        by: Creation::Put,
    }
}

#[test]
fn an_event_has_the_shape_that_s3_gives_it() {
    let created = created("staging/a b+ü%2B.zip");
    let sequencer = "0017979CFE3694CFC0";
    let expected = serde_json::json!({ "Records": [{
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": "us-east-1",
        "eventTime": "2023-11-14T22:13:20.007Z",
        "eventName": "ObjectCreated:Put",
        "userIdentity": { "principalId": "LOCAL" },
        "requestParameters": { "sourceIPAddress": "127.0.0.1" },
        "responseElements": { "x-amz-request-id": sequencer, "x-amz-id-2": sequencer },
        "s3": {
            "s3SchemaVersion": "1.0",
            "configurationId": "local",
            "bucket": { "name": "skills", "ownerIdentity": { "principalId": "LOCAL" }, "arn": "arn:aws:s3:::skills" },
            "object": {
                "key": "staging/a+b%2B%C3%BC%252B.zip",
                "size": 5,
                "eTag": "0cc175b9c0f1b6a831c399e269772661",
                "sequencer": sequencer,
            },
        },
    }] });
    assert_eq!(s3_event_json(&created), expected);

    let event = s3_event(&created).unwrap();
    let key = event.records[0].s3.object.key.clone().unwrap();
    let decoded: Vec<_> = url::form_urlencoded::parse(key.as_bytes()).collect();
    assert_eq!(decoded, [(created.key.into(), "".into())]);
}

#[tokio::test]
async fn a_stored_object_is_told_and_a_refused_one_is_not() {
    let mut fixture = Fixture::start().await;
    let mut events = fixture.stores.take_events().unwrap();
    assert!(fixture.stores.take_events().is_none());
    fixture.put("staging/a b", b"12345").await;
    let refused = fixture.s3.put_object().bucket(BUCKET).key("staging/a b").if_none_match("*").send().await;
    assert!(refused.is_err());
    let copy = fixture.s3.copy_object().bucket(BUCKET).key("c").copy_source(format!("{BUCKET}/staging/a%20b"));
    copy.send().await.unwrap();

    let (first, second) = (events.recv().await.unwrap(), events.recv().await.unwrap());
    assert_eq!((first.bucket.as_str(), first.key.as_str(), first.size), (BUCKET, "staging/a b", 5));
    assert_eq!((first.etag.as_str(), first.by), ("827ccb0eea8a706c4c34a16891f84e7b", Creation::Put));
    assert_eq!((second.key.as_str(), second.by), ("c", Creation::Copy));
    fixture.stop().await;
    assert!(events.recv().await.is_none());
}

#[tokio::test]
async fn a_start_tells_again_what_is_there() {
    let fixture = Fixture::start().await;
    fixture.put("staging/stays", b"12345").await;
    fixture.put("staging/goes", b"").await;
    fixture.s3.delete_object().bucket(BUCKET).key("staging/goes").send().await.unwrap();
    let mut fixture = fixture.reopen().await;
    let mut events = fixture.stores.take_events().unwrap();
    let told = events.recv().await.unwrap();
    assert_eq!((told.key.as_str(), told.size, told.by), ("staging/stays", 5, Creation::Put));
    fixture.stop().await;
    assert!(events.recv().await.is_none());
}

#[tokio::test]
async fn delivery_filters_repeats_what_failed_and_drains_at_the_end() {
    let (sender, events) = mpsc::unbounded_channel();
    let (called, mut calls) = mpsc::unbounded_channel();
    let handler = move |event: S3Event| {
        let key = event.records[0].s3.object.key.clone().unwrap();
        called.send(key.clone()).unwrap();
        async move { if key == "staging/fails" { Err("always") } else { Ok(()) } }
    };
    let end = CancellationToken::new();
    let delivery = tokio::spawn(dispatch(events, "staging/", handler, end.clone()));
    sender.send(created("packages/not-ours")).unwrap();
    sender.send(created("staging/fails")).unwrap();
    for _ in 0..4 {
        assert_eq!(calls.recv().await.as_deref(), Some("staging/fails"));
    }

    for number in 0..20 {
        sender.send(created(&format!("staging/{number}"))).unwrap();
    }
    end.cancel();
    delivery.await.unwrap();
    let rest: Vec<_> = std::iter::from_fn(|| calls.try_recv().ok()).collect();
    assert_eq!(rest, (0..20).map(|number| format!("staging/{number}")).collect::<Vec<_>>());
    assert!(sender.send(created("staging/late")).is_err());
}

#[tokio::test]
async fn no_more_than_four_events_are_handled_at_once() {
    let (sender, events) = mpsc::unbounded_channel();
    let (started, mut starts) = mpsc::unbounded_channel();
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let opened = Arc::clone(&gate);
    let handler = move |_event: S3Event| {
        let (started, gate) = (started.clone(), Arc::clone(&opened));
        async move {
            started.send(()).unwrap();
            gate.acquire().await.map(|_| ())
        }
    };
    for number in 0..12 {
        sender.send(created(&format!("staging/{number}"))).unwrap();
    }
    drop(sender);
    let delivery = tokio::spawn(dispatch(events, "staging/", handler, CancellationToken::new()));
    for _ in 0..4 {
        starts.recv().await.unwrap();
    }
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(starts.try_recv().is_err(), "a fifth was started");
    gate.add_permits(12);
    delivery.await.unwrap();
    assert_eq!(std::iter::from_fn(|| starts.try_recv().ok()).count(), 8);
}
