//! The program itself: killed, stopped, started twice.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::support::{BUCKET, Fixture, dynamodb_client, kept_credentials, s3_client};

const TABLE: &str = "crash";

/// The program on a data directory; killed when dropped.
struct Program {
    child: Child,
    objects: String,
    tables: String,
}

fn command(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillhub-local"));
    command.args(["--port", "0", "--object-port", "0", "--log", "warn", "--data"]).arg(dir);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null());
    command
}

impl Program {
    fn start(dir: &Path) -> Self {
        let mut child = command(dir).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let lines: Vec<_> = lines.map(Result::unwrap).take(5).collect();
        let address = |label: &str| {
            let line = lines.iter().find_map(|line| line.trim().strip_prefix(label)).expect("no greeting");
            line.split_whitespace().next().unwrap().to_owned()
        };
        Self { child, objects: address("objects"), tables: address("tables") }
    }

    fn s3(&self, dir: &Path) -> aws_sdk_s3::Client {
        let (id, secret) = kept_credentials(dir);
        s3_client(&self.objects, &std::fs::read(dir.join("ca.pem")).unwrap(), &id, &secret)
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A body that tells of itself, of a length that varies.
fn body(key: &str) -> Vec<u8> {
    key.bytes().cycle().take(1000 + key.bytes().map(usize::from).sum::<usize>() * 97 % 70_000).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_by_kill() {
    let dir = TempDir::new().unwrap();
    let mut acknowledged = BTreeMap::new();
    for round in 0..4 {
        let mut program = Program::start(dir.path());
        let (s3, dynamodb) = (program.s3(dir.path()), dynamodb_client(&program.tables));
        if round == 0 {
            s3.create_bucket().bucket(BUCKET).send().await.unwrap();
            create_table(&dynamodb).await;
        }
        let (report, mut reports) = mpsc::unbounded_channel();
        for writer in 0..4 {
            tokio::spawn(write_until_killed(s3.clone(), dynamodb.clone(), round, writer, report.clone()));
        }
        drop(report);
        // Killed in the middle of things: after so many acknowledgements, with four writes under way.
        for _ in 0..25 + round * 13 {
            acknowledged.extend(reports.recv().await);
        }
        program.kill();
        while let Some(late) = reports.recv().await {
            acknowledged.extend([late]);
        }
    }

    let fixture = Fixture::open(dir).await;
    assert_eq!(fixture.stores.report().damaged, Vec::<std::path::PathBuf>::new());
    let mut listed = 0;
    let mut pages = fixture.s3.list_objects_v2().bucket(BUCKET).into_paginator().send();
    while let Some(page) = pages.next().await {
        for object in page.unwrap().contents() {
            let key = object.key().unwrap();
            assert!(fixture.get(key).await.unwrap() == body(key), "{key} is not what was written");
            listed += 1;
        }
    }
    let dynamodb = fixture.dynamodb();
    for (key, stored) in &acknowledged {
        let found = match stored {
            Stored::Object => fixture.get(key).await.is_ok(),
            Stored::Item => {
                let get = dynamodb.get_item().table_name(TABLE).key("pk", AttributeValue::S(key.clone()));
                get.send().await.unwrap().item.is_some()
            }
        };
        assert!(found, "{key}: {stored:?} was acknowledged and is gone");
    }
    let objects = acknowledged.values().filter(|stored| matches!(stored, Stored::Object)).count();
    assert!((objects..=objects + 16).contains(&listed), "{listed} objects, {objects} acknowledged");
    fixture.stop().await;
}

#[derive(Debug, Clone, Copy)]
enum Stored {
    Object,
    Item,
}

/// Writes objects and items in turn until the server is gone; reports what was acknowledged.
async fn write_until_killed(
    s3: aws_sdk_s3::Client,
    dynamodb: aws_sdk_dynamodb::Client,
    round: usize,
    writer: usize,
    report: mpsc::UnboundedSender<(String, Stored)>,
) {
    for number in 0..10_000 {
        let key = format!("{round}/{writer}/{number}");
        let put = s3.put_object().bucket(BUCKET).key(&key).if_none_match("*").body(body(&key).into());
        if put.send().await.is_err() {
            return;
        }
        report.send((key, Stored::Object)).unwrap();
        let key = format!("item/{round}/{writer}/{number}");
        if dynamodb.put_item().table_name(TABLE).item("pk", AttributeValue::S(key.clone())).send().await.is_err() {
            return;
        }
        report.send((key, Stored::Item)).unwrap();
    }
}

async fn create_table(client: &aws_sdk_dynamodb::Client) {
    let attribute = AttributeDefinition::builder().attribute_name("pk").attribute_type(ScalarAttributeType::S);
    let key = KeySchemaElement::builder().attribute_name("pk").key_type(KeyType::Hash);
    let table = client.create_table().table_name(TABLE).billing_mode(BillingMode::PayPerRequest);
    let table = table.attribute_definitions(attribute.build().unwrap()).key_schema(key.build().unwrap());
    table.send().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_refuses_a_second_start_and_ends_cleanly_on_sigterm() {
    let dir = TempDir::new().unwrap();
    let mut program = Program::start(dir.path());
    let second = command(dir.path()).output().unwrap();
    let text = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(1), "{text}");
    assert!(text.contains(&format!("is in use by process {};", program.child.id())), "{text}");

    // An idle connection is open, as browsers and SDKs leave them.
    let s3 = program.s3(dir.path());
    s3.create_bucket().bucket(BUCKET).send().await.unwrap();
    let terminated = Command::new("kill").arg(program.child.id().to_string()).status().unwrap();
    assert!(terminated.success());
    let status = program.child.wait().unwrap();
    let mut log = String::new();
    program.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert_eq!((status.code(), log.as_str()), (Some(0), ""));
    let fixture = Fixture::open(dir).await;
    fixture.put("bucket/is-there", b"").await;
    fixture.stop().await;
}
