//! The composition: API, stores and delivery of events under one start and stop.

use std::convert::Infallible;
use std::net::TcpStream;
use std::path::Path;

use aws_lambda_events::event::s3::S3Event;
use axum::routing::get;
use clap::Parser as _;
use skillhub_local::{Base, Config, LocalConfig, Secret, StartError};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

use crate::support::{BUCKET, s3_client};

fn config(dir: &Path) -> Config {
    let dir = dir.to_str().unwrap();
    Config::try_parse_from(["local", "--port", "0", "--object-port", "0", "--data", dir]).unwrap()
}

fn local_config(base: &Base) -> LocalConfig {
    LocalConfig {
        registry: base.api_endpoint(),
        token: Secret::new("sk_x"),
        ca: base.stores.ca_path.clone(),
        namespace: "@global".to_owned(),
    }
}

#[tokio::test]
async fn requests_reach_the_router_and_uploads_the_handler_until_both_end() {
    let dir = TempDir::new().unwrap();
    let base = Base::start(&config(dir.path())).await.unwrap();
    let endpoint = base.api_endpoint();
    let router = axum::Router::new().route("/endpoint", get(async move || endpoint));
    let (told, mut events) = mpsc::unbounded_channel();
    let validate = move |event: S3Event| {
        let key = event.records[0].s3.object.key.clone().unwrap();
        let told = told.send(key).map_err(|error| error.to_string());
        async { told }
    };
    let local = local_config(&base);
    let running = base.serve(router, validate, local).unwrap();

    let mut stream = tokio::net::TcpStream::connect(running.address).await.unwrap();
    stream.write_all(b"GET /endpoint HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with(&format!("http://{}", running.address)), "{answer}");

    let stores = &running.stores;
    let (id, secret) = (&stores.credentials.access_key_id, stores.credentials.secret_access_key.expose());
    let s3 = s3_client(&stores.object_endpoint(), stores.ca_pem.as_bytes(), id, secret);
    s3.create_bucket().bucket(BUCKET).send().await.unwrap();
    for key in ["packages/p", "staging/u"] {
        s3.put_object().bucket(BUCKET).key(key).body(b"x".to_vec().into()).send().await.unwrap();
    }
    assert_eq!(events.recv().await.as_deref(), Some("staging/u"));

    // A connection that never sends a request doesn't hold up the end.
    let idle = TcpStream::connect(stores.object_address).unwrap();
    let (stopping, addresses) = (running.stopping(), [running.address, stores.object_address, stores.dynamodb_address]);
    running.stop().await;
    assert!(stopping.is_cancelled());
    for address in addresses {
        assert!(TcpStream::connect(address).is_err(), "{address} still listens");
    }
    drop(idle);
    assert_eq!(events.recv().await, None);
}

#[tokio::test]
async fn events_can_be_taken_once() {
    let dir = TempDir::new().unwrap();
    let mut base = Base::start(&config(dir.path())).await.unwrap();
    base.stores.take_events().unwrap();
    let nothing = async |_: S3Event| Ok::<(), Infallible>(());
    let local = local_config(&base);
    let refused = base.serve(axum::Router::new(), nothing, local).err();
    assert!(matches!(refused, Some(StartError::EventsTaken)));
}

#[test]
fn the_defaults_are_the_documented_ones() {
    let config = Config::try_parse_from(["local"]).unwrap();
    assert_eq!((config.data.as_path(), config.port, config.object_port), (Path::new("./.skillhub"), 8787, 8788));
    assert_eq!(config.examples(), None, "this directory has no examples/skills");
    assert!(Config::try_parse_from(["local", "--port", "99999"]).is_err());
}
