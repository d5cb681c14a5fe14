//! Connections to the stores: AWS, or whatever speaks its protocols.

use std::env;
use std::time::Duration;

use aws_config::environment::EnvironmentVariableCredentialsProvider;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_s3::config::{RequestChecksumCalculation, ResponseChecksumValidation};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};

use crate::objects::Objects;
use crate::settings::Settings;
use crate::table::Table;

/// Where the stores are and how to sign for them.
#[derive(Debug, Clone)]
pub struct Connection {
    config: SdkConfig,
    dynamodb_url: Option<String>,
    s3_url: Option<String>,
}

/// How long calls may take, and how soon a failed one is repeated.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Until a connection stands.
    pub connect: Duration,
    /// For one attempt at a call.
    pub attempt: Duration,
    /// For a call with all its attempts.
    pub call: Duration,
    /// Longest pause before the second attempt; it doubles with each further one.
    pub backoff: Duration,
}

/// Short time-outs: a function has seconds, and its caller can try again.
impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(2),
            attempt: Duration::from_secs(8),
            call: Duration::from_secs(20),
            backoff: Duration::from_secs(1),
        }
    }
}

/// The certificate authority that was given cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the certificate authority of the object store: {0}")]
pub struct ConnectionError(String);

impl Connection {
    /// The stores that the environment names, as Lambda sets it: AWS in `AWS_REGION`, or the addresses in
    /// `AWS_ENDPOINT_URL_DYNAMODB` and `AWS_ENDPOINT_URL_S3`, or in `AWS_ENDPOINT_URL` for both; credentials in
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, read at every use. The SDK's chain of other
    /// sources is left out: Lambda has none of them, and it would make every function larger.
    pub fn from_env() -> Self {
        let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
        let url = |of| set(of).or_else(|| set("AWS_ENDPOINT_URL"));
        let region = set("AWS_REGION").or_else(|| set("AWS_DEFAULT_REGION"));
        let (dynamodb_url, s3_url) = (url("AWS_ENDPOINT_URL_DYNAMODB"), url("AWS_ENDPOINT_URL_S3"));
        let others = dynamodb_url.iter().chain(&s3_url).any(|url| url.starts_with("https:"));
        let trust = if !others && region.as_deref().is_some_and(is_of_amazons_own_authorities) {
            amazons_own_authorities()
        } else {
            TrustStore::default()
        };
        let credentials = SharedCredentialsProvider::new(EnvironmentVariableCredentialsProvider::new());
        // A context of authorities alone always builds; otherwise it trusts those of the system.
        let tls = TlsContext::builder().with_trust_store(trust).build().unwrap_or_default();
        Self { config: config(tls, region.map(Region::new), credentials), dynamodb_url, s3_url }
    }

    /// Stores at these addresses, with fixed credentials, trusting the authority in `ca_pem` and no other.
    ///
    /// # Errors
    /// If `ca_pem` is no certificate.
    pub fn to(
        dynamodb_url: &str,
        s3_url: &str,
        (access_key, secret_key): (&str, &str),
        ca_pem: &str,
    ) -> Result<Self, ConnectionError> {
        let trust = TrustStore::empty().with_pem_certificate(ca_pem.as_bytes());
        let tls = TlsContext::builder().with_trust_store(trust).build().map_err(|e| ConnectionError(e.to_string()))?;
        let credentials = Credentials::new(access_key, secret_key, None, None, "fixed");
        let region = Some(Region::from_static("us-east-1"));
        let config = config(tls, region, SharedCredentialsProvider::new(credentials));
        Ok(Self { config, dynamodb_url: Some(dynamodb_url.to_owned()), s3_url: Some(s3_url.to_owned()) })
    }

    /// The same stores with another patience.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        let config = self.config.into_builder();
        let config = config.timeout_config(patience.timeouts()).retry_config(patience.retries()).build();
        Self { config, ..self }
    }

    /// The metadata.
    pub fn table(&self, settings: &Settings) -> Table {
        let mut config = aws_sdk_dynamodb::config::Builder::from(&self.config);
        if let Some(url) = &self.dynamodb_url {
            config = config.endpoint_url(url);
        }
        let client = aws_sdk_dynamodb::Client::from_conf(config.build());
        Table::new(client, &settings.table).with_token_epoch(settings.token_epoch)
    }

    /// The bytes.
    pub fn objects(&self, settings: &Settings) -> Objects {
        let client = |url: Option<&String>| {
            // Our own digests go further than the SDK's default checksums, which would add unsigned demands to presigned URLs.
            let mut config = aws_sdk_s3::config::Builder::from(&self.config)
                .force_path_style(settings.path_style)
                .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
                .response_checksum_validation(ResponseChecksumValidation::WhenRequired);
            if let Some(url) = url.or(self.s3_url.as_ref()) {
                config = config.endpoint_url(url);
            }
            aws_sdk_s3::Client::from_conf(config.build())
        };
        let public = client(settings.objects_public_url.as_ref());
        Objects::new(client(None), public, self.config.credentials_provider(), &settings.bucket)
    }
}

/// The certificates of Amazon Trust Services, which AWS asks its customers to trust for its endpoints: Amazon Root CA 1 to 4,
/// and Starfield Services Root Certificate Authority - G2.
const AMAZONS_ROOTS: &str = include_str!("amazon_roots.pem");

/// Nobody else needs to be trusted, and to read all authorities of the system would be two thirds of a cold start.
fn amazons_own_authorities() -> TrustStore {
    TrustStore::empty().with_pem_certificate(AMAZONS_ROOTS)
}

/// Whether the endpoints of a region have certificates of [`AMAZONS_ROOTS`]: those of the commercial regions and of GovCloud have,
/// those of China, of the European Sovereign Cloud and of isolated regions need not.
fn is_of_amazons_own_authorities(region: &str) -> bool {
    const AREAS: [&str; 9] = ["af", "ap", "ca", "eu", "il", "me", "mx", "sa", "us"];
    let area = region.split('-').next().unwrap_or_default();
    AREAS.contains(&area) && !region.contains("-iso")
}

fn config(tls: TlsContext, region: Option<Region>, credentials: SharedCredentialsProvider) -> SdkConfig {
    let https = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).tls_context(tls).build_https();
    let patience = Patience::default();
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(https)
        .region(region)
        .credentials_provider(credentials)
        .timeout_config(patience.timeouts())
        .retry_config(patience.retries())
        .build()
}

impl Patience {
    /// Attempts at one call.
    const ATTEMPTS: u32 = 3;

    fn timeouts(self) -> TimeoutConfig {
        let timeouts = TimeoutConfig::builder().connect_timeout(self.connect);
        timeouts.operation_attempt_timeout(self.attempt).operation_timeout(self.call).build()
    }

    fn retries(self) -> RetryConfig {
        RetryConfig::standard().with_max_attempts(Self::ATTEMPTS).with_initial_backoff(self.backoff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amazons_own_authorities_are_trusted_where_they_are_used() {
        assert_eq!(AMAZONS_ROOTS.matches("BEGIN CERTIFICATE").count(), 5);
        assert!(TlsContext::builder().with_trust_store(amazons_own_authorities()).build().is_ok());
        for region in ["us-east-1", "eu-central-1", "ap-southeast-5", "us-gov-west-1", "mx-central-1"] {
            assert!(is_of_amazons_own_authorities(region), "{region}");
        }
        for region in ["cn-north-1", "us-iso-east-1", "eu-isoe-west-1", "eusc-de-east-1", "", "local"] {
            assert!(!is_of_amazons_own_authorities(region), "{region}");
        }
    }
}
