//! Failures as S3 tells them.

use s3s::dto::{ETag, ETagCondition};
use s3s::{S3Error, S3ErrorCode, S3Result, s3_error};

use super::footer::ObjectMeta;
use super::store::{Condition, StoreError};

impl From<StoreError> for S3Error {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::NoSuchBucket => S3ErrorCode::NoSuchBucket,
            StoreError::BucketExists => S3ErrorCode::BucketAlreadyOwnedByYou,
            StoreError::NoSuchKey => S3ErrorCode::NoSuchKey,
            StoreError::PreconditionFailed => S3ErrorCode::PreconditionFailed,
            StoreError::NoListings => S3ErrorCode::ServiceUnavailable,
            StoreError::Damaged { .. } | StoreError::Io { .. } => return internal(error),
        };
        S3Error::with_message(code, error.to_string())
    }
}

/// An error whose cause is for the log, not for the client.
pub(crate) fn internal(error: impl std::error::Error) -> S3Error {
    tracing::error!(%error, "the object store failed");
    s3_error!(InternalError, "the object store failed; its log says why")
}

/// The condition of a write.
pub(crate) fn write_condition(
    if_match: Option<&ETagCondition>,
    if_none_match: Option<&ETagCondition>,
) -> S3Result<Condition> {
    match (if_match, if_none_match) {
        (None, None) => Ok(Condition::Always),
        (None, Some(ETagCondition::Any)) => Ok(Condition::Absent),
        (Some(ETagCondition::Any), None) => Ok(Condition::Present),
        (Some(ETagCondition::ETag(etag)), None) => Ok(Condition::Etag(etag.value().to_owned())),
        _ => Err(s3_error!(NotImplemented, "only If-Match, or If-None-Match: *, is supported on writes")),
    }
}

/// Fails if a read is conditional and the object doesn't satisfy it.
pub(crate) fn check_read(
    meta: &ObjectMeta,
    if_match: Option<&ETagCondition>,
    if_none_match: Option<&ETagCondition>,
) -> S3Result<()> {
    let is = |condition: &ETagCondition| condition.as_etag().is_none_or(|etag| etag.value() == meta.etag);
    if if_match.is_some_and(|condition| !is(condition)) {
        return Err(StoreError::PreconditionFailed.into());
    }
    if if_none_match.is_some_and(is) {
        return Err(s3_error!(NotModified, "the object has this ETag"));
    }
    Ok(())
}

/// Refuses what would otherwise be ignored in silence.
pub(crate) fn refuse_unsupported(parameters: &[(&str, bool)]) -> S3Result<()> {
    match parameters.iter().find(|(_, present)| *present) {
        Some((name, _)) => Err(s3_error!(NotImplemented, "{name} is not supported by this store")),
        None => Ok(()),
    }
}

/// Refuses keys that no listing could show: XML 1.0 can't hold these characters.
pub(crate) fn check_key(key: &str) -> S3Result<()> {
    if key.chars().any(|c| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}')) {
        return Err(s3_error!(InvalidArgument, "a key must not hold control characters"));
    }
    Ok(())
}

/// The ETag of an object as a header.
pub(crate) fn etag(meta: &ObjectMeta) -> ETag {
    ETag::Strong(meta.etag.clone())
}
