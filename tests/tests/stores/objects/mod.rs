//! What the registry needs of S3.

pub(crate) mod event;
mod list;
mod presigned_get;
mod presigned_put;
mod put;
mod read;

use std::time::{Duration, SystemTime};

use aws_sdk_s3::Client;
use aws_sdk_s3::config::Credentials;
use aws_sdk_s3::operation::delete_object::builders::DeleteObjectFluentBuilder;
use aws_sdk_s3::operation::get_object::builders::GetObjectFluentBuilder;
use aws_sdk_s3::operation::head_object::builders::HeadObjectFluentBuilder;
use aws_sdk_s3::operation::put_object::builders::PutObjectFluentBuilder;
use aws_sdk_s3::presigning::PresigningConfig;
use aws_sdk_s3::types::{BucketLocationConstraint, CreateBucketConfiguration};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::probe::{Probe, Refusal, Scoped, Seen, Verdict, demand, ok};
use crate::wire::Wire;

/// What most probes store.
const BODY: &[u8] = b"the very bytes";
/// As long as [`BODY`].
const OTHER: &[u8] = b"not those byte";
/// What a GET of a key without an object answers.
const MISSING: &str = "404 NoSuchKey";
/// What a conditional PUT answers where something is.
const TAKEN: &str = "412 PreconditionFailed";

/// Every probe of this store.
pub(crate) fn probes() -> impl Iterator<Item = &'static Probe<Bucket>> {
    [put::PROBES, read::PROBES, list::PROBES, presigned_put::PROBES, presigned_get::PROBES].into_iter().flatten()
}

/// The bucket of a run, and the prefix of one probe in it.
#[derive(Clone)]
pub(crate) struct Bucket {
    client: Client,
    access_key: String,
    wire: Wire,
    name: String,
    scope: &'static str,
}

impl Scoped for Bucket {
    fn scoped(&self, id: &'static str) -> Self {
        Self { scope: id, ..self.clone() }
    }
}

impl Bucket {
    /// A new bucket.
    pub(crate) async fn create(client: Client, access_key: &str, wire: Wire, name: &str, region: &str) -> Self {
        let place = CreateBucketConfiguration::builder().location_constraint(BucketLocationConstraint::from(region));
        let place = (region != "us-east-1").then(|| place.build());
        client.create_bucket().bucket(name).set_create_bucket_configuration(place).send().await.unwrap();
        Self { client, access_key: access_key.to_owned(), wire, name: name.to_owned(), scope: "" }
    }

    /// Removes the bucket and all that is in it.
    pub(crate) async fn remove(self) {
        while let Ok(page) = self.client.list_objects_v2().bucket(&self.name).send().await {
            let keys: Vec<&str> = page.contents().iter().filter_map(|object| object.key()).collect();
            for key in &keys {
                self.client.delete_object().bucket(&self.name).key(*key).send().await.unwrap();
            }
            if keys.is_empty() {
                break;
            }
        }
        self.client.delete_bucket().bucket(&self.name).send().await.unwrap();
    }

    /// The same bucket for one who signs with another secret.
    fn with_wrong_secret(&self) -> Self {
        let stranger = Credentials::new(&self.access_key, "wrong", None, None, "probes");
        let config = self.client.config().to_builder().credentials_provider(stranger);
        Self { client: Client::from_conf(config.build()), ..self.clone() }
    }

    /// A key of this probe.
    fn key(&self, name: &str) -> String {
        format!("{}/{name}", self.scope)
    }

    fn put(&self, key: &str, body: &[u8]) -> PutObjectFluentBuilder {
        self.client.put_object().bucket(&self.name).key(key).body(body.to_vec().into())
    }

    fn put_if_absent(&self, key: &str, body: &[u8]) -> PutObjectFluentBuilder {
        self.put(key, body).if_none_match("*")
    }

    fn get(&self, key: &str) -> GetObjectFluentBuilder {
        self.client.get_object().bucket(&self.name).key(key)
    }

    fn head(&self, key: &str) -> HeadObjectFluentBuilder {
        self.client.head_object().bucket(&self.name).key(key)
    }

    fn delete(&self, key: &str) -> DeleteObjectFluentBuilder {
        self.client.delete_object().bucket(&self.name).key(key)
    }

    /// Stores an object, whatever is there.
    async fn store(&self, key: &str, body: &[u8]) -> Verdict {
        ok("a plain PUT", self.put(key, body).send().await).map(drop)
    }

    async fn read(&self, key: &str) -> Result<Vec<u8>, Seen> {
        let got = ok("GET", self.get(key).send().await)?;
        let body = got.body.collect().await.map_err(|error| Seen(format!("GET breaks off: {error}")))?;
        Ok(body.to_vec())
    }

    /// Demands that a GET gives exactly these bytes.
    async fn holds(&self, when: &str, key: &str, body: &[u8]) -> Verdict {
        let seen = self.read(key).await.map_err(|Seen(seen)| Seen(format!("{when}, {seen}")))?;
        demand(seen == body, || format!("{when}, the object has other bytes"))
    }

    /// Demands that nothing is visible at a key.
    async fn is_free(&self, when: &str, key: &str) -> Verdict {
        match self.get(key).send().await.as_ref().map_err(Refusal::from) {
            Ok(_) => Err(Seen(format!("{when}, the object is visible"))),
            Err(Refusal(seen)) => demand(seen == MISSING, || format!("{when}, GET: {seen}")),
        }
    }
}

/// 11 MiB, the largest upload. No part of it that begins at a round number is like another.
fn large() -> Vec<u8> {
    let mut body = (0..251).collect::<Vec<u8>>().repeat((11 << 20) / 251 + 1);
    body.truncate(11 << 20);
    body
}

/// The SHA-256 as S3 writes it.
fn sha256(bytes: &[u8]) -> String {
    STANDARD.encode(Sha256::digest(bytes))
}

/// A signature for 60 s, made so long ago.
fn signed(ago: Duration) -> PresigningConfig {
    let start = SystemTime::now() - ago;
    PresigningConfig::builder().start_time(start).expires_in(Duration::from_secs(60)).build().unwrap()
}

/// So old that [`signed`] has ended.
const TOO_OLD: Duration = Duration::from_secs(90);
