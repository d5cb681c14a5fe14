//! The operations of S3 that skillhub uses.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use s3s::dto::*;
use s3s::{Body, S3, S3Request, S3Response, S3Result, s3_error};
use tokio::sync::mpsc::UnboundedSender;

use super::checksum::Declared;
use super::error::{check_key, check_read, etag, internal, refuse_unsupported, write_condition};
use super::footer::{ContentHeaders, ObjectMeta};
use super::list::{self, Query};
use super::read::FileBody;
use super::store::{Condition, Store, StoreError};
use super::upload::{self, Received, milliseconds};
use super::{Creation, ObjectCreated, REGION};

/// The most entries that one page of a listing has.
const MAX_PAGE: i32 = 1000;

/// The end of the year 9999, after which S3 can't write dates.
const LAST_DATE_MS: u64 = 253_402_300_799_999;

/// [`Store`] as an S3 service. Every stored object is told to `created`.
pub(crate) struct Api {
    pub(crate) store: Arc<Store>,
    pub(crate) created: UnboundedSender<ObjectCreated>,
}

#[async_trait::async_trait]
impl S3 for Api {
    async fn create_bucket(&self, req: S3Request<CreateBucketInput>) -> S3Result<S3Response<CreateBucketOutput>> {
        let name = req.input.bucket;
        let location = format!("/{name}");
        self.blocking(move |store| Ok(store.create_bucket(&name)?)).await?;
        Ok(S3Response::new(CreateBucketOutput { location: Some(location) }))
    }

    async fn head_bucket(&self, req: S3Request<HeadBucketInput>) -> S3Result<S3Response<HeadBucketOutput>> {
        self.store.has_bucket(&req.input.bucket)?;
        let region = Some(REGION.to_owned());
        Ok(S3Response::new(HeadBucketOutput { bucket_region: region, ..HeadBucketOutput::default() }))
    }

    async fn put_object(&self, req: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let declared = Declared::of(&req.input, &req.headers);
        let mut input = req.input;
        check_key(&input.key)?;
        refuse_unsupported(&[
            ("x-amz-write-offset-bytes", input.write_offset_bytes.is_some()),
            ("x-amz-server-side-encryption-customer-key", input.sse_customer_key.is_some()),
            ("x-amz-website-redirect-location", input.website_redirect_location.is_some()),
            ("x-amz-tagging", input.tagging.is_some()),
        ])?;
        let condition = write_condition(input.if_match.as_ref(), input.if_none_match.as_ref())?;
        let length = input.content_length.and_then(|length| u64::try_from(length).ok());
        let length = length.ok_or_else(|| s3_error!(MissingContentLength, "content-length is missing"))?;
        let (bucket, key, demanded) = (input.bucket.clone(), input.key.clone(), condition.clone());
        self.blocking(move |store| Ok(store.check(&bucket, &key, &demanded)?)).await?;

        let received = upload::receive(&self.store, &input.bucket, input.body.take(), declared.hasher()).await?;
        if received.size != length {
            return Err(s3_error!(IncompleteBody, "{} bytes came, {length} were announced", received.size));
        }
        declared.verify(&received.digests, req.trailing_headers.as_ref())?;

        let headers = ContentHeaders {
            content_type: input.content_type,
            cache_control: input.cache_control,
            content_disposition: input.content_disposition,
            content_encoding: input.content_encoding.and_then(without_aws_chunked),
            content_language: input.content_language,
        };
        let user = input.metadata.unwrap_or_default().into_iter().collect();
        let meta = object_meta(input.key, &received, headers, user);
        let meta = self.commit(input.bucket, meta, received, condition, Creation::Put).await?;
        Ok(S3Response::new(PutObjectOutput {
            e_tag: Some(etag(&meta)),
            checksum_crc32: meta.checksums.crc32,
            checksum_crc32c: meta.checksums.crc32c,
            checksum_crc64nvme: meta.checksums.crc64nvme,
            checksum_sha1: meta.checksums.sha1,
            checksum_sha256: Some(meta.checksums.sha256),
            ..PutObjectOutput::default()
        }))
    }

    async fn get_object(&self, req: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        let input = req.input;
        refuse_unsupported(&[
            ("versionId", input.version_id.is_some()),
            ("partNumber", input.part_number.is_some()),
            ("If-Unmodified-Since", input.if_unmodified_since.is_some()),
        ])?;
        let (bucket, key) = (input.bucket, input.key);
        let (file, meta) = self.blocking(move |store| Ok(store.open_object(&bucket, &key)?)).await?;
        check_read(&meta, input.if_match.as_ref(), input.if_none_match.as_ref())?;

        let range = input.range.map(|range| check_range(range, meta.size)).transpose()?;
        let bytes = range.clone().unwrap_or(0..meta.size);
        let body = FileBody::new(file, &meta, bytes.clone());
        let head = head_output(&meta, range.is_none() && input.checksum_mode.is_some());
        Ok(S3Response::new(GetObjectOutput {
            accept_ranges: head.accept_ranges,
            body: Some(StreamingBlob::from(Body::http_body(body))),
            cache_control: input.response_cache_control.or(head.cache_control),
            checksum_crc32: head.checksum_crc32,
            checksum_crc32c: head.checksum_crc32c,
            checksum_crc64nvme: head.checksum_crc64nvme,
            checksum_sha1: head.checksum_sha1,
            checksum_sha256: head.checksum_sha256,
            content_disposition: input.response_content_disposition.or(head.content_disposition),
            content_encoding: input.response_content_encoding.or(head.content_encoding),
            content_language: input.response_content_language.or(head.content_language),
            content_length: i64::try_from(bytes.end - bytes.start).ok(),
            content_range: range.map(|range| content_range(&range, meta.size)),
            content_type: input.response_content_type.or(head.content_type),
            e_tag: head.e_tag,
            expires: input.response_expires,
            last_modified: head.last_modified,
            metadata: head.metadata,
            ..GetObjectOutput::default()
        }))
    }

    async fn head_object(&self, req: S3Request<HeadObjectInput>) -> S3Result<S3Response<HeadObjectOutput>> {
        let input = req.input;
        refuse_unsupported(&[
            ("versionId", input.version_id.is_some()),
            ("partNumber", input.part_number.is_some()),
            ("Range", input.range.is_some()),
            ("If-Unmodified-Since", input.if_unmodified_since.is_some()),
        ])?;
        let (bucket, key) = (input.bucket, input.key);
        let meta = self.blocking(move |store| Ok(store.head(&bucket, &key)?)).await?;
        check_read(&meta, input.if_match.as_ref(), input.if_none_match.as_ref())?;
        Ok(S3Response::new(head_output(&meta, input.checksum_mode.is_some())))
    }

    async fn delete_object(&self, req: S3Request<DeleteObjectInput>) -> S3Result<S3Response<DeleteObjectOutput>> {
        let input = req.input;
        refuse_unsupported(&[
            ("versionId", input.version_id.is_some()),
            ("x-amz-if-match-size", input.if_match_size.is_some()),
            ("x-amz-if-match-last-modified-time", input.if_match_last_modified_time.is_some()),
        ])?;
        let condition = write_condition(input.if_match.as_ref(), None)?;
        self.blocking(move |store| Ok(store.delete(&input.bucket, &input.key, &condition)?)).await?;
        Ok(S3Response::with_status(DeleteObjectOutput::default(), http::StatusCode::NO_CONTENT))
    }

    async fn copy_object(&self, req: S3Request<CopyObjectInput>) -> S3Result<S3Response<CopyObjectOutput>> {
        let input = req.input;
        check_key(&input.key)?;
        refuse_unsupported(&[
            ("If-Match", req.headers.contains_key(http::header::IF_MATCH)),
            ("If-None-Match", req.headers.contains_key(http::header::IF_NONE_MATCH)),
            ("x-amz-copy-source-if-modified-since", input.copy_source_if_modified_since.is_some()),
            ("x-amz-copy-source-if-unmodified-since", input.copy_source_if_unmodified_since.is_some()),
        ])?;
        let CopySource::Bucket { bucket: source_bucket, key: source_key, version_id: None } = input.copy_source else {
            return Err(s3_error!(NotImplemented, "the source must be bucket/key"));
        };
        let (if_match, if_none_match) = (input.copy_source_if_match, input.copy_source_if_none_match);
        let bucket = input.bucket.clone();
        let (source, received) = self
            .blocking(move |store| {
                let (file, source) = store.open_object(&source_bucket, &source_key)?;
                check_read(&source, if_match.as_ref(), if_none_match.as_ref())?;
                let hasher = Declared::of(&PutObjectInput::default(), &http::HeaderMap::new()).hasher();
                let received = upload::copy(store, &bucket, file, source.size, hasher)?;
                Ok((source, received))
            })
            .await?;
        if received.digests.sums.sha256 != source.checksums.sha256 {
            return Err(s3_error!(InternalError, "the source differs from its SHA-256"));
        }

        let replace = input.metadata_directive.as_ref().is_some_and(|d| d.as_str() == MetadataDirective::REPLACE);
        let headers = ContentHeaders {
            content_type: input.content_type,
            cache_control: input.cache_control,
            content_disposition: input.content_disposition,
            content_encoding: input.content_encoding,
            content_language: input.content_language,
        };
        let user = input.metadata.unwrap_or_default().into_iter().collect();
        let (headers, user) = if replace { (headers, user) } else { (source.headers, source.user) };
        let meta = object_meta(input.key, &received, headers, user);
        let meta = self.commit(input.bucket, meta, received, Condition::Always, Creation::Copy).await?;
        let result = CopyObjectResult {
            e_tag: Some(etag(&meta)),
            last_modified: Some(timestamp(meta.modified_ms)),
            ..CopyObjectResult::default()
        };
        Ok(S3Response::new(CopyObjectOutput { copy_object_result: Some(result), ..CopyObjectOutput::default() }))
    }

    async fn list_objects_v2(&self, req: S3Request<ListObjectsV2Input>) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = req.input;
        let limit = input.max_keys.unwrap_or(MAX_PAGE).min(MAX_PAGE);
        let wanted = usize::try_from(limit).map_err(|_| s3_error!(InvalidArgument, "max-keys must not be negative"))?;
        let token = input.continuation_token.as_deref().map(list::parse_token).transpose()?;
        let (bucket, prefix, delimiter) = (input.bucket.clone(), input.prefix.clone(), input.delimiter.clone());
        let start_after = input.start_after.clone();
        let list = move |store: &Store| {
            let query = Query {
                prefix: prefix.as_deref().unwrap_or_default(),
                delimiter: delimiter.as_deref(),
                from: list::Start::new(start_after.as_deref(), token.as_deref()),
                limit: wanted,
            };
            let page = store.with_keys(&bucket, |keys| list::list(keys, &query))?;
            let mut objects = Vec::new();
            for key in &page.keys {
                match store.head(&bucket, key) {
                    Ok(object) => objects.push(object),
                    Err(StoreError::NoSuchKey) => {}
                    // It would hide all the others of its page.
                    Err(error @ StoreError::Damaged { .. }) => {
                        tracing::error!(%error, "an object is left out of a list")
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            Ok((objects, page.prefixes, page.next))
        };
        let (objects, prefixes, next) = self.blocking(list).await?;

        let encoded = input.encoding_type.is_some();
        let show = |text: &str| if encoded { crate::events::form_encode(text) } else { text.to_owned() };
        let contents: ObjectList = objects.iter().map(|meta| list_entry(meta, show(&meta.key))).collect();
        let prefixes = prefixes.iter().map(|prefix| CommonPrefix { prefix: Some(show(prefix)) });
        let prefixes: CommonPrefixList = prefixes.collect();
        Ok(S3Response::new(ListObjectsV2Output {
            key_count: i32::try_from(contents.len() + prefixes.len()).ok(),
            is_truncated: Some(next.is_some()),
            next_continuation_token: next.as_deref().map(hex::encode),
            contents: Some(contents),
            common_prefixes: Some(prefixes),
            continuation_token: input.continuation_token,
            delimiter: input.delimiter.as_deref().map(show),
            encoding_type: input.encoding_type,
            max_keys: Some(limit),
            name: Some(input.bucket),
            prefix: Some(show(input.prefix.as_deref().unwrap_or_default())),
            start_after: input.start_after.as_deref().map(show),
            ..ListObjectsV2Output::default()
        }))
    }
}

impl Api {
    async fn commit(
        &self,
        bucket: String,
        meta: ObjectMeta,
        received: Received,
        condition: Condition,
        by: Creation,
    ) -> S3Result<ObjectMeta> {
        let created = ObjectCreated::of(&bucket, &meta, by);
        let stored = meta.clone();
        self.blocking(move |store| Ok(store.commit(received.file, &bucket, meta, &condition)?)).await?;
        if self.created.send(created).is_err() {
            tracing::debug!("nobody takes events any more");
        }
        Ok(stored)
    }

    /// Runs file work off the threads that serve connections.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> S3Result<T> + Send + 'static,
    ) -> S3Result<T> {
        let store = Arc::clone(&self.store);
        tokio::task::spawn_blocking(move || work(&store)).await.map_err(internal)?
    }
}

fn object_meta(
    key: String,
    received: &Received,
    headers: ContentHeaders,
    user: std::collections::BTreeMap<String, String>,
) -> ObjectMeta {
    ObjectMeta {
        key,
        size: received.size,
        etag: received.digests.etag(),
        modified_ms: milliseconds(SystemTime::now()),
        checksums: received.digests.sums.clone(),
        headers,
        user,
    }
}

/// `checksums`: whether the client asked for them. They are those of the whole body, so they don't go with a range.
fn head_output(meta: &ObjectMeta, checksums: bool) -> HeadObjectOutput {
    let sums = if checksums { meta.checksums.clone() } else { Default::default() };
    HeadObjectOutput {
        accept_ranges: Some("bytes".to_owned()),
        cache_control: meta.headers.cache_control.clone(),
        checksum_crc32: sums.crc32,
        checksum_crc32c: sums.crc32c,
        checksum_crc64nvme: sums.crc64nvme,
        checksum_sha1: sums.sha1,
        checksum_sha256: Some(sums.sha256).filter(|sum| !sum.is_empty()),
        content_disposition: meta.headers.content_disposition.clone(),
        content_encoding: meta.headers.content_encoding.clone(),
        content_language: meta.headers.content_language.clone(),
        content_length: i64::try_from(meta.size).ok(),
        content_type: meta.headers.content_type.clone(),
        e_tag: Some(etag(meta)),
        last_modified: Some(timestamp(meta.modified_ms)),
        metadata: (!meta.user.is_empty()).then(|| meta.user.clone().into_iter().collect()),
        ..HeadObjectOutput::default()
    }
}

fn list_entry(meta: &ObjectMeta, key: String) -> Object {
    Object {
        e_tag: Some(etag(meta)),
        key: Some(key),
        last_modified: Some(timestamp(meta.modified_ms)),
        size: i64::try_from(meta.size).ok(),
        ..Object::default()
    }
}

fn check_range(range: Range, size: u64) -> S3Result<std::ops::Range<u64>> {
    // No part of an empty object can be asked for, not even its end.
    if size == 0 { Err(s3_error!(InvalidRange)) } else { Ok(range.check(size)?) }
}

fn content_range(range: &std::ops::Range<u64>, size: u64) -> String {
    format!("bytes {}-{}/{size}", range.start, range.end.saturating_sub(1))
}

/// `aws-chunked` describes the transfer, not the object.
fn without_aws_chunked(encoding: String) -> Option<String> {
    let kept: Vec<_> = encoding.split(',').map(str::trim).filter(|coding| *coding != "aws-chunked").collect();
    Some(kept.join(",")).filter(|kept| !kept.is_empty())
}

fn timestamp(milliseconds: u64) -> Timestamp {
    Timestamp::from(UNIX_EPOCH + Duration::from_millis(milliseconds.min(LAST_DATE_MS)))
}
