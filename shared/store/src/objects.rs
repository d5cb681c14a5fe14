//! The bucket: presigned URLs, one read of an upload, write-once artifacts.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_sdk_s3::Client;
use aws_sdk_s3::presigning::{PresignedRequest, PresigningConfig};
use aws_sdk_s3::types::ChecksumMode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use skillhub_protocol::{HttpsUrl, PackageDeclaration, Sha256, UploadId, UtcMillis};

use crate::error::{StoreError, sdk_error};
use crate::keys::ObjectKey;
use crate::origin::Origin;

/// The packages of a registry.
#[derive(Debug, Clone)]
pub struct Objects {
    client: Client,
    /// Signs for the address that clients use.
    public: Client,
    credentials: Option<SharedCredentialsProvider>,
    bucket: String,
}

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

/// What stands at a staging key.
#[derive(Debug)]
pub enum StagedBytes {
    /// Nothing.
    Missing,
    /// More than was declared; not read to its end.
    TooLong,
    /// All of it.
    Bytes(Vec<u8>),
}

/// The headers that a presigned upload must bind; without one of them the URL would let other bytes in.
const BOUND_BY_UPLOAD: [&str; 4] = ["content-length", "host", "if-none-match", "x-amz-checksum-sha256"];

impl Objects {
    /// Life of a download URL.
    pub const DOWNLOAD_TTL: Duration = Duration::from_secs(300);
    /// Life of an upload URL.
    pub const UPLOAD_TTL: Duration = Duration::from_secs(900);

    pub(crate) fn new(
        client: Client,
        public: Client,
        credentials: Option<SharedCredentialsProvider>,
        bucket: impl Into<String>,
    ) -> Self {
        Self { client, public, credentials, bucket: bucket.into() }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn bucket(&self) -> &str {
        &self.bucket
    }

    /// Makes the first connection. Whether that worked, the first call tells.
    pub async fn warm_up(&self) {
        let _told_later = self.client.head_bucket().bucket(&self.bucket).send().await;
    }

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
        let request =
            self.public.put_object().bucket(&self.bucket).key(ObjectKey::Staging(session.clone()).to_string());
        let request = request
            .content_length(length)
            .content_type("application/zip")
            .checksum_sha256(BASE64.encode(declared.sha256.as_bytes()))
            .if_none_match("*");
        let (config, expires_at) = self.presigning("presign PutObject", now, Self::UPLOAD_TTL).await?;
        let signed = request.presigned(config).await.map_err(|e| sdk_error("presign PutObject", e))?;
        let credential = credential(&signed, expires_at)?;
        check_bound("presign PutObject", &credential.url, &BOUND_BY_UPLOAD)?;
        Ok(credential)
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
        let request = self.public.get_object().bucket(&self.bucket).key(key.to_string());
        let request = request
            .response_content_type("application/zip")
            .response_content_disposition(format!("attachment; filename=\"{file_name}\""));
        let (config, expires_at) = self.presigning("presign GetObject", now, Self::DOWNLOAD_TTL).await?;
        let signed = request.presigned(config).await.map_err(|e| sdk_error("presign GetObject", e))?;
        credential(&signed, expires_at)
    }

    /// A URL dies with the credentials that signed it, so it never claims to live longer.
    async fn presigning(
        &self,
        operation: &'static str,
        now: UtcMillis,
        ttl: Duration,
    ) -> Result<(PresigningConfig, UtcMillis), StoreError> {
        let unavailable = |cause: String| StoreError::Unavailable { operation, cause };
        let start = SystemTime::UNIX_EPOCH + Duration::from_millis(now.epoch_millis().unsigned_abs());
        let credentials = match &self.credentials {
            Some(provider) => provider.provide_credentials().await.map_err(|e| unavailable(e.to_string()))?,
            None => return Err(unavailable(String::from("there are no credentials to sign with"))),
        };
        let left = credentials.expiry().map(|end| end.duration_since(start).unwrap_or_default());
        // Signatures count whole seconds.
        let ttl = Duration::from_secs(left.map_or(ttl, |left| left.min(ttl)).as_secs());
        let config = PresigningConfig::builder().start_time(start).expires_in(ttl).build();
        let config = config.map_err(|e| unavailable(e.to_string()))?;
        // The signature's start is cut to the second before.
        let start = now.plus_millis(-now.epoch_millis().rem_euclid(1000));
        Ok((config, start.plus_millis(i64::try_from(ttl.as_millis()).unwrap_or(0))))
    }

    /// Reads an upload once, into memory, at most `declared_bytes`.
    ///
    /// # Errors
    /// If the store fails; a truncated answer is one.
    pub async fn read_staging(&self, session: &UploadId, declared_bytes: u64) -> Result<StagedBytes, StoreError> {
        let key = ObjectKey::Staging(session.clone()).to_string();
        let answer = match self.client.get_object().bucket(&self.bucket).key(key).send().await {
            Ok(answer) => answer,
            Err(e) if e.as_service_error().is_some_and(|e| e.is_no_such_key()) => return Ok(StagedBytes::Missing),
            Err(e) => return Err(sdk_error("GetObject", e)),
        };
        let length = answer.content_length.and_then(|n| u64::try_from(n).ok());
        let mut body = answer.body;
        let mut bytes = Vec::new();
        while let Some(chunk) = body.next().await {
            let chunk = chunk.map_err(|e| StoreError::Unavailable { operation: "GetObject", cause: e.to_string() })?;
            if (bytes.len() + chunk.len()) as u64 > declared_bytes {
                return Ok(StagedBytes::TooLong);
            }
            bytes.extend_from_slice(&chunk);
        }
        if length.is_some_and(|length| length != bytes.len() as u64) {
            let cause = String::from("the body ended before its length");
            return Err(StoreError::Unavailable { operation: "GetObject", cause });
        }
        Ok(StagedBytes::Bytes(bytes))
    }

    /// Whether an upload has landed.
    ///
    /// # Errors
    /// If the store fails; a missing permission is one.
    pub async fn staging_exists(&self, session: &UploadId) -> Result<bool, StoreError> {
        let key = ObjectKey::Staging(session.clone()).to_string();
        match self.client.head_object().bucket(&self.bucket).key(key).send().await {
            Ok(_) => Ok(true),
            Err(e) if e.as_service_error().is_some_and(|e| e.is_not_found()) => Ok(false),
            Err(e) => Err(sdk_error("HeadObject", e)),
        }
    }

    /// Removes an upload; one that is not there is fine.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn delete_staging(&self, session: &UploadId) -> Result<(), StoreError> {
        let key = ObjectKey::Staging(session.clone()).to_string();
        self.client
            .delete_object()
            .bucket(&self.bucket)
            .key(key)
            .send()
            .await
            .map_err(|e| sdk_error("DeleteObject", e))?;
        Ok(())
    }

    /// Writes an artifact where nothing is. If something is there, it must be the same bytes.
    ///
    /// # Errors
    /// If the store fails, or other bytes stand at the key.
    pub async fn put_artifact(
        &self,
        key: &ObjectKey,
        sha256: Sha256,
        bytes: Vec<u8>,
        origin: Option<&Origin>,
    ) -> Result<(), StoreError> {
        let (checksum, length) = (BASE64.encode(sha256.as_bytes()), bytes.len());
        let metadata = origin.map(Origin::metadata).transpose()?;
        if self.put_new(key, "application/zip", sha256, bytes, metadata).await? {
            return Ok(());
        }
        let head = self.client.head_object().bucket(&self.bucket).key(key.to_string());
        let head = head.checksum_mode(ChecksumMode::Enabled).send().await.map_err(|e| sdk_error("HeadObject", e))?;
        let same = head.checksum_sha256() == Some(&checksum) && head.content_length() == i64::try_from(length).ok();
        if same { Ok(()) } else { Err(StoreError::corrupt("artifact", format_args!("other bytes stand at {key}"))) }
    }
}

fn credential(signed: &PresignedRequest, expires_at: UtcMillis) -> Result<Credential, StoreError> {
    let url = signed.uri().parse().map_err(|e| StoreError::corrupt("presigned URL", e))?;
    let headers = signed.headers().map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
    Ok(Credential { url, headers, expires_at })
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
