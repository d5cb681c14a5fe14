//! What is probed: the embedded stores, or those that variables name.
//!
//! | variable | |
//! |---|---|
//! | `SKILLHUB_STORES_SERVER` | a name for the server, as in `differences.toml`; without it the embedded stores are probed |
//! | `SKILLHUB_STORES_S3_URL`, `SKILLHUB_STORES_DYNAMODB_URL` | where it listens; probes of a store without an address do not apply |
//! | `SKILLHUB_STORES_CA` | a file with the certificate that it is trusted by (PEM), for HTTPS with a private authority |
//! | `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` | as everywhere |

use std::env;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_sdk_s3::config::retry::RetryConfig;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::config::{
    BehaviorVersion, Credentials, Region, RequestChecksumCalculation, ResponseChecksumValidation, SharedHttpClient,
};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use skillhub_local::{DataDir, Ports, Stores, start_stores};
use tempfile::TempDir;

use crate::objects::Bucket;
use crate::objects::event::Events;
use crate::table::Partition;
use crate::wire::Wire;

/// How long one call may take.
const CALL: Duration = Duration::from_secs(60);

/// The stores, with a bucket and a table for this run.
pub(crate) struct Target {
    pub(crate) server: String,
    pub(crate) bucket: Option<Bucket>,
    pub(crate) events: Option<Events>,
    pub(crate) table: Option<Partition>,
    embedded: Option<(Stores, TempDir)>,
}

/// Where the stores are, and with what to sign.
struct Access {
    s3_url: Option<String>,
    dynamodb_url: Option<String>,
    credentials: Credentials,
    region: String,
    ca_pem: Option<String>,
}

impl Target {
    /// The stores that the variables name, or the embedded ones on a fresh folder.
    pub(crate) async fn from_env() -> Self {
        match variable("SKILLHUB_STORES_SERVER").filter(|server| server != "embedded") {
            Some(server) => Self::new(server, &Access::from_env()).await,
            None => Self::embedded().await,
        }
    }

    async fn new(server: String, access: &Access) -> Self {
        let millis = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        let name = format!("skillhub-probes-{millis}-{}", std::process::id());
        let key = access.credentials.access_key_id();
        let bucket = match &access.s3_url {
            Some(url) => {
                let wire = Wire::new(url, access.ca_pem.as_deref());
                Some(Bucket::create(access.s3(url), key, wire, &name, &access.region).await)
            }
            None => None,
        };
        let table = match &access.dynamodb_url {
            Some(url) => Some(Partition::create(access.dynamodb(url), key, &name).await),
            None => None,
        };
        Self { server, bucket, events: None, table, embedded: None }
    }

    async fn embedded() -> Self {
        let folder = TempDir::new().unwrap();
        let data = DataDir::open(folder.path()).unwrap();
        let mut stores = start_stores(data, Ports::default(), [7; 40], SystemTime::now()).await.unwrap();
        let credentials = &stores.credentials;
        let secret = credentials.secret_access_key.expose();
        let access = Access {
            s3_url: Some(stores.object_endpoint()),
            dynamodb_url: Some(stores.dynamodb_endpoint()),
            credentials: Credentials::new(&credentials.access_key_id, secret, None, None, "probes"),
            region: "us-east-1".to_owned(),
            ca_pem: Some(stores.ca_pem.clone()),
        };
        let target = Self::new("embedded".to_owned(), &access).await;
        let events = target.bucket.clone().map(|bucket| Events::new(bucket, stores.take_events().unwrap()));
        Self { events, embedded: Some((stores, folder)), ..target }
    }

    /// Removes bucket and table, and ends what was started.
    pub(crate) async fn end(self) {
        match self.embedded {
            Some((stores, _folder)) => stores.stop().await,
            None => {
                if let Some(bucket) = self.bucket {
                    bucket.remove().await;
                }
                if let Some(table) = self.table {
                    table.remove().await;
                }
            }
        }
    }
}

impl Access {
    fn from_env() -> Self {
        let needed = |name| variable(name).unwrap_or_else(|| panic!("{name} must be set"));
        let (key, secret) = (needed("AWS_ACCESS_KEY_ID"), needed("AWS_SECRET_ACCESS_KEY"));
        Self {
            s3_url: variable("SKILLHUB_STORES_S3_URL"),
            dynamodb_url: variable("SKILLHUB_STORES_DYNAMODB_URL"),
            credentials: Credentials::new(key, secret, variable("AWS_SESSION_TOKEN"), None, "probes"),
            region: variable("AWS_REGION").unwrap_or_else(|| "us-east-1".to_owned()),
            ca_pem: variable("SKILLHUB_STORES_CA").map(|path| std::fs::read_to_string(path).unwrap()),
        }
    }

    /// A client with the settings of the registry's own, but for retries, which would hide what a store answers.
    fn s3(&self, url: &str) -> aws_sdk_s3::Client {
        let config = aws_sdk_s3::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(self.region.clone()))
            .credentials_provider(self.credentials.clone())
            .endpoint_url(url)
            .force_path_style(true)
            .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
            .response_checksum_validation(ResponseChecksumValidation::WhenRequired)
            .retry_config(RetryConfig::disabled())
            .timeout_config(TimeoutConfig::builder().operation_timeout(CALL).build())
            .http_client(self.http());
        aws_sdk_s3::Client::from_conf(config.build())
    }

    /// As [`Access::s3`].
    fn dynamodb(&self, url: &str) -> aws_sdk_dynamodb::Client {
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(self.region.clone()))
            .credentials_provider(self.credentials.clone())
            .endpoint_url(url)
            .retry_config(RetryConfig::disabled())
            .timeout_config(TimeoutConfig::builder().operation_timeout(CALL).build())
            .http_client(self.http());
        aws_sdk_dynamodb::Client::from_conf(config.build())
    }

    fn http(&self) -> SharedHttpClient {
        let trust = TrustStore::default();
        let trust = match &self.ca_pem {
            Some(pem) => trust.with_pem_certificate(pem.as_bytes()),
            None => trust,
        };
        let tls = TlsContext::builder().with_trust_store(trust).build().unwrap();
        Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).tls_context(tls).build_https()
    }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
