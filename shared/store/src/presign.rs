//! Presigned URLs: who holds one may do one thing with one object for a while.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::iter;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aws_credential_types::Credentials;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_sdk_s3::Client;
use aws_sdk_s3::config::Region;
use aws_sdk_s3::presigning::PresigningConfig;
use aws_sigv4::http_request::{
    PercentEncodingMode, SignableBody, SignableRequest, SignatureLocation, SigningSettings, UriPathNormalizationMode,
    sign,
};
use aws_sigv4::sign::v4;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use skillhub_protocol::{HttpsUrl, PackageDeclaration, UploadId, UtcMillis};
use tokio::sync::OnceCell;

use crate::error::{StoreError, sdk_error};
use crate::keys::ObjectKey;
use crate::objects::Objects;

/// Something that lets its holder do one thing with one object for a while.
#[derive(Debug, Clone)]
pub struct Credential {
    /// The presigned URL; it prints without its signature.
    pub url: HttpsUrl,
    /// The headers that must be sent with it, `host` left out.
    pub headers: BTreeMap<String, String>,
    /// When it stops working.
    pub expires_at: UtcMillis,
}

/// The headers that a presigned upload must bind; without one of them the URL would let other bytes in.
const BOUND_BY_UPLOAD: [&str; 4] = ["content-length", "host", "if-none-match", "x-amz-checksum-sha256"];

impl Objects {
    /// Life of a download URL.
    pub const DOWNLOAD_TTL: Duration = Duration::from_secs(300);
    /// Life of an upload URL.
    pub const UPLOAD_TTL: Duration = Duration::from_secs(900);

    /// A URL for one PUT of exactly the declared bytes, while nothing is there. No I/O beyond the credentials' own.
    ///
    /// # Errors
    /// If the credentials are away, or the signature would not bind length, digest and absence.
    pub async fn presign_upload(
        &self,
        session: &UploadId,
        declared: PackageDeclaration,
        now: UtcMillis,
    ) -> Result<Credential, StoreError> {
        let length = i64::try_from(declared.size_bytes).map_err(|e| StoreError::corrupt("declared size", e))?;
        let signer = &self.presigner;
        let key = ObjectKey::Staging(session.clone()).to_string();
        let request = signer.client.put_object().bucket(&signer.bucket).key(key);
        let request = request
            .content_length(length)
            .content_type("application/zip")
            .checksum_sha256(BASE64.encode(declared.sha256.as_bytes()))
            .if_none_match("*");
        let life = signer.life("presign PutObject", now, Self::UPLOAD_TTL).await?;
        let config = PresigningConfig::builder().start_time(life.start).expires_in(life.ttl).build();
        let config = config.map_err(|e| refused("presign PutObject", e))?;
        let signed = request.presigned(config).await.map_err(|e| sdk_error("presign PutObject", e))?;
        let url = parse(signed.uri())?;
        check_bound("presign PutObject", &url, &BOUND_BY_UPLOAD)?;
        let headers = signed.headers().map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        Ok(Credential { url, headers, expires_at: life.expires_at })
    }

    /// A URL for reading an artifact as an attachment called `file_name`. No I/O beyond the credentials' own.
    ///
    /// # Errors
    /// If the credentials are away.
    pub async fn presign_download(
        &self,
        key: &ObjectKey,
        file_name: &str,
        now: UtcMillis,
    ) -> Result<Credential, StoreError> {
        let signer = &self.presigner;
        let life = signer.life("presign GetObject", now, Self::DOWNLOAD_TTL).await?;
        let query = [
            ("x-id", "GetObject"),
            ("response-content-disposition", &format!("attachment; filename=\"{file_name}\"")),
            ("response-content-type", "application/zip"),
        ];
        let url = signer.get(&key.to_string(), &query, &life).await?;
        Ok(Credential { url, headers: BTreeMap::new(), expires_at: life.expires_at })
    }
}

/// What a presigned URL depends on beside its request.
struct Life {
    credentials: Credentials,
    start: SystemTime,
    ttl: Duration,
    expires_at: UtcMillis,
}

/// Signs for the address that clients use.
#[derive(Debug, Clone)]
pub(crate) struct Presigner {
    client: Client,
    credentials: Option<SharedCredentialsProvider>,
    bucket: String,
    /// The URL of the bucket, up to the key of an object.
    base: Arc<OnceCell<String>>,
}

impl Presigner {
    pub(crate) fn new(client: Client, credentials: Option<SharedCredentialsProvider>, bucket: String) -> Self {
        Self { client, credentials, bucket, base: Arc::default() }
    }

    /// A URL dies with the credentials that signed it, so it never claims to live longer.
    async fn life(&self, operation: &'static str, now: UtcMillis, ttl: Duration) -> Result<Life, StoreError> {
        let unavailable = |cause: String| StoreError::Unavailable { operation, cause };
        let start = SystemTime::UNIX_EPOCH + Duration::from_millis(now.epoch_millis().unsigned_abs());
        let credentials = match &self.credentials {
            Some(provider) => provider.provide_credentials().await.map_err(|e| unavailable(e.to_string()))?,
            None => return Err(unavailable(String::from("there are no credentials to sign with"))),
        };
        let left = credentials.expiry().map(|end| end.duration_since(start).unwrap_or_default());
        // Signatures count whole seconds.
        let ttl = Duration::from_secs(left.map_or(ttl, |left| left.min(ttl)).as_secs());
        // The signature's start is cut to the second before.
        let cut = now.plus_millis(-now.epoch_millis().rem_euclid(1000));
        let expires_at = cut.plus_millis(i64::try_from(ttl.as_millis()).unwrap_or(0));
        Ok(Life { credentials, start, ttl, expires_at })
    }

    /// The URL that the SDK would presign for a GET of `key`, by the SDK's own signer, but without the rest of the SDK: that
    /// takes three times as long. The key needs no escaping: that is so by the types of its parts.
    async fn get(&self, key: &str, query: &[(&str, &str)], life: &Life) -> Result<HttpsUrl, StoreError> {
        const OPERATION: &str = "presign GetObject";
        let base = self.base.get_or_try_init(|| self.find_base()).await?;
        let query: Vec<_> = query.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
        let url = format!("{base}{key}?{}", query.join("&"));

        let identity = life.credentials.clone().into();
        let region = self.client.config().region().map_or("", Region::as_ref);
        let parameters = v4::SigningParams::builder().identity(&identity).region(region).name("s3");
        let parameters = parameters.time(life.start).settings(in_query(life.ttl)).build();
        let parameters = parameters.map_err(|e| refused(OPERATION, e))?.into();

        let request = SignableRequest::new("GET", &url, iter::empty(), SignableBody::UnsignedPayload);
        let signed =
            sign(request.map_err(|e| refused(OPERATION, e))?, &parameters).map_err(|e| refused(OPERATION, e))?;
        let signature = signed.output().params().iter().map(|(name, value)| format!("&{name}={}", escaped(value)));
        parse(&signature.fold(url, |url, parameter| url + &parameter))
    }

    /// Where the bucket is: the SDK knows, from address, region, and style of its path.
    async fn find_base(&self) -> Result<String, StoreError> {
        const KEY: &str = "key";
        let config =
            PresigningConfig::expires_in(Duration::from_secs(1)).map_err(|e| refused("presign GetObject", e))?;
        let request = self.client.get_object().bucket(&self.bucket).key(KEY);
        let signed = request.presigned(config).await.map_err(|e| sdk_error("presign GetObject", e))?;
        let path = signed.uri().split('?').next().unwrap_or_default();
        let base =
            path.strip_suffix(KEY).ok_or_else(|| StoreError::corrupt("presigned URL", "does not end with its key"))?;
        Ok(base.to_owned())
    }
}

/// How the SDK signs for S3 in the query of a URL.
fn in_query(ttl: Duration) -> SigningSettings {
    let mut settings = SigningSettings::default();
    settings.percent_encoding_mode = PercentEncodingMode::Single;
    settings.uri_path_normalization_mode = UriPathNormalizationMode::Disabled;
    settings.signature_location = SignatureLocation::QueryParams;
    settings.expires_in = Some(ttl);
    settings
}

/// As the SDK escapes what is in a query: all but the unreserved characters of RFC 3986.
fn escaped(text: &str) -> impl Display + '_ {
    const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, &RESERVED)
}

fn refused(operation: &'static str, cause: impl Display) -> StoreError {
    StoreError::Refused { operation, cause: cause.to_string() }
}

fn parse(url: &str) -> Result<HttpsUrl, StoreError> {
    url.parse().map_err(|e| StoreError::corrupt("presigned URL", e))
}

fn check_bound(operation: &'static str, url: &HttpsUrl, demanded: &[&str]) -> Result<(), StoreError> {
    let url = url::Url::parse(url.expose()).map_err(|e| StoreError::corrupt("presigned URL", e))?;
    let signed = url.query_pairs().find(|(name, _)| name == "X-Amz-SignedHeaders").map(|(_, value)| value.into_owned());
    let signed = signed.unwrap_or_default();
    match demanded.iter().find(|name| !signed.split(';').any(|s| s == **name)) {
        None => Ok(()),
        Some(name) => Err(StoreError::Refused { operation, cause: format!("the signature does not bind {name}") }),
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_s3::config::{BehaviorVersion, Builder};

    use super::*;

    /// As in the client that is made for a registry, but for the way to the network, which presigning does not take.
    fn config(credentials: &Credentials) -> Builder {
        let provider = SharedCredentialsProvider::new(credentials.clone());
        Builder::new().behavior_version(BehaviorVersion::latest()).credentials_provider(provider)
    }

    async fn by_the_sdk(client: &Client, bucket: &str, key: &ObjectKey, file_name: &str, now: UtcMillis) -> String {
        let start = SystemTime::UNIX_EPOCH + Duration::from_millis(now.epoch_millis().unsigned_abs());
        let life = PresigningConfig::builder().start_time(start).expires_in(Objects::DOWNLOAD_TTL).build().unwrap();
        let request = client.get_object().bucket(bucket).key(key.to_string()).response_content_type("application/zip");
        let request = request.response_content_disposition(format!("attachment; filename=\"{file_name}\""));
        request.presigned(life).await.unwrap().uri().to_owned()
    }

    #[tokio::test]
    async fn a_download_is_signed_as_the_sdk_signs_it_byte_for_byte() {
        let now = UtcMillis::from_epoch_millis(1_780_000_000_123).unwrap();
        let zeros = "0".repeat(24);
        let key = |version: &str| ObjectKey::Package {
            skill: format!("c{zeros}").parse().unwrap(),
            version: version.parse().unwrap(),
            artifact: skillhub_protocol::Sha256::from_bytes([0xab; 32]),
        };
        let keys = [key(&format!("v{zeros}")), key("V/strange id")];
        let files = ["hello-1.0.0.zip", "a-1.0.0-rc.1+build~7_x.zip", "\u{e9} &=%.zip"];
        let keep = Credentials::new("AKID", "secret", None, None, "test");
        let session = Credentials::new("ASIA", "secret", Some(String::from("to/ken+=")), None, "test");
        for credentials in [keep, session] {
            let aws = |region| config(&credentials).region(Region::new(region));
            let local = aws("us-east-1").endpoint_url("https://127.0.0.1:9000").force_path_style(true);
            let clients = [
                ("skills", aws("eu-central-1")),
                ("skills", aws("us-east-1")),
                ("skills", aws("cn-north-1")),
                ("with.dots", aws("eu-central-1")),
                ("skills", aws("us-west-2").use_dual_stack(true)),
                ("skills", aws("eu-west-1").endpoint_url("https://skills.example")),
                ("skills", local),
            ];
            for (bucket, config) in clients {
                let client = Client::from_conf(config.build());
                let provider = Some(SharedCredentialsProvider::new(credentials.clone()));
                let objects = Objects::new(client.clone(), client.clone(), provider, bucket);
                for (key, file) in keys.iter().flat_map(|key| files.iter().map(move |file| (key, file))) {
                    let signed = objects.presign_download(key, file, now).await.unwrap();
                    assert_eq!(signed.url.expose(), by_the_sdk(&client, bucket, key, file, now).await);
                    assert_eq!(signed.expires_at.epoch_millis(), 1_780_000_300_000);
                }
            }
        }
    }
}
