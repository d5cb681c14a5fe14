//! The bucket: one read of an upload, write-once artifacts.

use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_s3::Client;
use aws_sdk_s3::types::ChecksumMode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use skillhub_protocol::{Sha256, UploadId};

use crate::error::{StoreError, sdk_error};
use crate::keys::ObjectKey;
use crate::origin::Origin;
use crate::presign::Presigner;

/// The packages of a registry.
#[derive(Debug, Clone)]
pub struct Objects {
    client: Client,
    pub(crate) presigner: Presigner,
    bucket: String,
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

impl Objects {
    pub(crate) fn new(
        client: Client,
        public: Client,
        credentials: Option<SharedCredentialsProvider>,
        bucket: impl Into<String>,
    ) -> Self {
        let bucket = bucket.into();
        Self { client, presigner: Presigner::new(public, credentials, bucket.clone()), bucket }
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
