//! Stores to test against, SDK clients for them, and a client that can be rude.

use std::net::SocketAddr;
use std::path::Path;
use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sdk_s3::config::{BehaviorVersion, Region, SharedHttpClient};
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use skillhub_local::{DataDir, Ports, Stores, start_stores};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::TlsConnector;

pub(crate) const BUCKET: &str = "skills";

/// Running stores in a directory that goes away with them.
pub(crate) struct Fixture {
    pub(crate) stores: Stores,
    pub(crate) s3: aws_sdk_s3::Client,
    pub(crate) dir: TempDir,
}

impl Fixture {
    pub(crate) async fn start() -> Self {
        let fixture = Self::open(TempDir::new().unwrap()).await;
        fixture.s3.create_bucket().bucket(BUCKET).send().await.unwrap();
        fixture
    }

    pub(crate) async fn open(dir: TempDir) -> Self {
        let data = DataDir::open(dir.path()).unwrap();
        let stores = start_stores(data, Ports::default(), [7; 40], SystemTime::now()).await.unwrap();
        let s3 = s3_client(
            &stores.object_endpoint(),
            stores.ca_pem.as_bytes(),
            &stores.credentials.access_key_id,
            stores.credentials.secret_access_key.expose(),
        );
        Self { stores, s3, dir }
    }

    /// Stops the stores and opens them again on the same data.
    pub(crate) async fn reopen(self) -> Self {
        let dir = self.stop().await;
        Self::open(dir).await
    }

    pub(crate) async fn stop(self) -> TempDir {
        self.stores.stop().await;
        self.dir
    }

    pub(crate) async fn put(&self, key: &str, body: &[u8]) {
        self.s3.put_object().bucket(BUCKET).key(key).body(body.to_vec().into()).send().await.unwrap();
    }

    /// The body, or the code of the error.
    pub(crate) async fn get(&self, key: &str) -> Result<Vec<u8>, String> {
        get(&self.s3, key).await
    }

    pub(crate) fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        dynamodb_client(&self.stores.dynamodb_endpoint())
    }

    pub(crate) async fn raw(&self, request: &[u8]) -> Response {
        raw(self.stores.object_address, self.stores.ca_pem.as_bytes(), request).await
    }

    /// The files of all objects.
    pub(crate) fn object_files(&self) -> Vec<std::path::PathBuf> {
        let dir = self.dir.path().join("objects").join(BUCKET);
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

pub(crate) async fn get(s3: &aws_sdk_s3::Client, key: &str) -> Result<Vec<u8>, String> {
    let got = s3.get_object().bucket(BUCKET).key(key).send().await.map_err(code)?;
    got.body.collect().await.map(|body| body.to_vec()).map_err(|error| error.to_string())
}

/// The code of a service's error; anything else in full.
pub(crate) fn code<E: ProvideErrorMetadata + std::fmt::Debug, R: std::fmt::Debug>(error: SdkError<E, R>) -> String {
    match error.as_service_error().and_then(ProvideErrorMetadata::code) {
        Some(code) => code.to_owned(),
        None => format!("{error:?}"),
    }
}

pub(crate) fn s3_client(endpoint: &str, ca_pem: &[u8], id: &str, secret: &str) -> aws_sdk_s3::Client {
    let config = aws_sdk_s3::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .endpoint_url(endpoint)
        .force_path_style(true)
        .credentials_provider(Credentials::new(id, secret, None, None, "test"))
        .http_client(https_client(ca_pem));
    aws_sdk_s3::Client::from_conf(config.build())
}

fn https_client(ca_pem: &[u8]) -> SharedHttpClient {
    let trust = TrustStore::empty().with_pem_certificate(ca_pem);
    let context = TlsContext::builder().with_trust_store(trust).build().unwrap();
    Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).tls_context(context).build_https()
}

pub(crate) fn dynamodb_client(endpoint: &str) -> aws_sdk_dynamodb::Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(aws_sdk_dynamodb::config::BehaviorVersion::latest())
        .region(aws_sdk_dynamodb::config::Region::new("us-east-1"))
        .endpoint_url(endpoint)
        .credentials_provider(Credentials::new("any", "any", None, None, "test"))
        .http_client(Builder::new().build_http());
    aws_sdk_dynamodb::Client::from_conf(config.build())
}

/// What came back on the wire.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// Sends the bytes as they are, then reads until the server closes.
pub(crate) async fn raw(address: SocketAddr, ca_pem: &[u8], request: &[u8]) -> Response {
    let mut stream = connect(address, ca_pem).await;
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").expect("no answer");
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Response { status, head, body: answer[end + 4..].to_vec() }
}

pub(crate) async fn connect(
    address: SocketAddr,
    ca_pem: &[u8],
) -> tokio_rustls::client::TlsStream<tokio::net::TcpStream> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(ca_pem).unwrap()).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let tcp = tokio::net::TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    TlsConnector::from(std::sync::Arc::new(config)).connect(name, tcp).await.unwrap()
}

/// The access key that a data directory keeps.
pub(crate) fn kept_credentials(dir: &Path) -> (String, String) {
    let text = std::fs::read_to_string(dir.join("store-credentials.json")).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&text).unwrap();
    let field = |name: &str| kept[name].as_str().unwrap().to_owned();
    (field("accessKeyId"), field("secretAccessKey"))
}
