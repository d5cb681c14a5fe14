//! S3 events: at least once, in any order, with form-encoded keys.

use aws_lambda_events::event::s3::S3Event;
use rand::Rng;
use skillhub_protocol::UploadId;
use skillhub_store::{ObjectKey, StoreError};

use crate::Validator;

/// Validates what an event names. Keys that are no upload are passed over: they are not ours to touch.
///
/// # Errors
/// The first failure, after every record was tried; the event should then be delivered again.
pub async fn handle_event(
    validator: &Validator,
    event: S3Event,
    rng: &mut (impl Rng + Send),
) -> Result<(), StoreError> {
    let mut failure = None;
    for record in event.records {
        let Some(id) = record.s3.object.key.as_deref().and_then(upload_of) else {
            tracing::warn!("an event names a key that is no upload");
            continue;
        };
        if let Err(error) = validator.validate(&id, rng).await {
            tracing::error!(upload = %id, %error, "validation failed and will be tried again");
            failure.get_or_insert(error);
        }
    }
    failure.map_or(Ok(()), Err)
}

/// Like [`handle_event`], for the payload as Lambda delivers it. `s3:TestEvent` has no records and nothing to do.
///
/// # Errors
/// If a store fails, or the payload is no S3 event.
pub async fn handle_payload(
    validator: &Validator,
    payload: serde_json::Value,
    rng: &mut (impl Rng + Send),
) -> Result<(), lambda_runtime::Error> {
    if payload.get("Records").is_none() {
        tracing::info!("an event without records");
        return Ok(());
    }
    Ok(handle_event(validator, serde_json::from_value(payload)?, rng).await?)
}

fn upload_of(form_encoded_key: &str) -> Option<UploadId> {
    // A key is one form-encoded value: decoding it as a form without "=" gives one name.
    let mut decoded = url::form_urlencoded::parse(form_encoded_key.as_bytes());
    let (key, _) = decoded.next()?;
    ObjectKey::parse_staging(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keys_of_uploads_name_a_session() {
        let id = format!("u{}", "0".repeat(24));
        assert!(upload_of(&format!("staging/{id}")).is_some());
        assert!(upload_of(&format!("staging%2F{id}")).is_some());
        for key in
            ["", "staging/", "staging/..%2Fpackages/x", "packages/a/b/c.zip", &format!("staging/{id}+"), "%", "a+b"]
        {
            assert!(upload_of(key).is_none(), "{key}");
        }
    }
}
