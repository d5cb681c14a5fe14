//! Packages that come file by file: a ticket for each file, bound to its owner and content, and the bytes until they are part
//! of an upload.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_s3::error::ProvideErrorMetadata;
use aws_sdk_s3::primitives::ByteStream;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use rand::Rng;
use skillhub_protocol::{Sha256, UploadId, UtcMillis};

use crate::codec::decode;
use crate::error::{StoreError, sdk_error};
use crate::ids::{PrincipalId, TicketId, mint_ticket_id};
use crate::items::TicketItem;
use crate::keys::{Key, ObjectKey};
use crate::objects::Objects;
use crate::table::Table;
use crate::transaction::{Expression, Outcome, Transaction};

/// How long a ticket works, in milliseconds.
const TICKET_TTL_MS: i64 = 60 * 60 * 1000;
/// How long an expired ticket stays readable, in seconds.
const KEEP_SECONDS: i64 = 60 * 60;

/// The file that a ticket is for.
#[derive(Debug, Clone, Copy)]
pub struct NewTicket<'a> {
    /// Its path in the package, as it was declared.
    pub path: &'a str,
    /// Its size in bytes.
    pub bytes: u64,
    /// The digest of its bytes.
    pub sha256: Sha256,
}

impl Table {
    /// Makes a ticket for one file, which works for an hour: one write.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn open_ticket(
        &self,
        principal: &PrincipalId,
        file: NewTicket<'_>,
        now: UtcMillis,
        rng: &mut impl Rng,
    ) -> Result<TicketId, StoreError> {
        let (id, expires_at) = (mint_ticket_id(now, rng), now.plus_millis(TICKET_TTL_MS));
        let item = TicketItem {
            principal: principal.clone(),
            path: file.path.to_owned(),
            bytes: file.bytes,
            sha256: file.sha256,
            expires_at,
            session_id: None,
            ttl: expires_at.epoch_millis() / 1000 + KEEP_SECONDS,
        };
        self.put(&Key::ticket(&id), &item).await?;
        Ok(id)
    }

    /// The tickets with these ids (at most 100, each once) that are there: one call.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn tickets(&self, ids: &[TicketId]) -> Result<HashMap<TicketId, TicketItem>, StoreError> {
        let keys: Vec<_> = ids.iter().map(Key::ticket).collect();
        let mut found = if keys.is_empty() { HashMap::new() } else { self.get_batch(&keys).await? };
        let tickets = ids.iter().zip(&keys).filter_map(|(id, key)| Some((id.clone(), found.remove(key)?)));
        tickets.map(|(id, item)| Ok((id, decode(item)?))).collect()
    }

    /// Uses tickets (at most 100) up for a session, all or none; says whether it did. That of the same session again is fine.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn use_tickets(&self, ids: &[TicketId], session: &UploadId) -> Result<bool, StoreError> {
        let mut transaction = Transaction::new();
        for id in ids {
            let values = vec![(":session", AttributeValue::S(session.to_string()))];
            let change = Expression { text: "SET session_id = :session", names: &[], values };
            let unused = "attribute_exists(pk) AND (attribute_not_exists(session_id) OR session_id = :session)";
            transaction.update(&Key::ticket(id), change, unused)?;
        }
        match self.transact(transaction).await? {
            Outcome::Committed => Ok(true),
            Outcome::ConditionsFailed(_) => Ok(false),
            Outcome::Busy => Err(StoreError::busy()),
        }
    }
}

impl Objects {
    /// Keeps a file until it is part of an upload. That it is there already is fine: its ticket binds its content.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn put_part(&self, ticket: &TicketId, sha256: Sha256, bytes: Vec<u8>) -> Result<(), StoreError> {
        self.put_new(&ObjectKey::Part(ticket.clone()), "application/octet-stream", sha256, bytes, None)
            .await
            .map(|_| ())
    }

    /// The bytes of a part; `None` if there are none.
    ///
    /// # Errors
    /// If the store fails; a truncated answer is one.
    pub async fn read_part(&self, ticket: &TicketId) -> Result<Option<Vec<u8>>, StoreError> {
        let key = ObjectKey::Part(ticket.clone()).to_string();
        let answer = match self.client().get_object().bucket(self.bucket()).key(key).send().await {
            Ok(answer) => answer,
            Err(e) if e.as_service_error().is_some_and(|e| e.is_no_such_key()) => return Ok(None),
            Err(e) => return Err(sdk_error("GetObject", e)),
        };
        let bytes = answer.body.collect().await;
        let bytes = bytes.map_err(|e| StoreError::Unavailable { operation: "GetObject", cause: e.to_string() })?;
        Ok(Some(bytes.to_vec()))
    }

    /// Removes a part; one that is not there is fine.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn delete_part(&self, ticket: &TicketId) -> Result<(), StoreError> {
        let key = ObjectKey::Part(ticket.clone()).to_string();
        let answer = self.client().delete_object().bucket(self.bucket()).key(key).send().await;
        answer.map(|_| ()).map_err(|e| sdk_error("DeleteObject", e))
    }

    /// Uploads the bytes that a session waits for, as the holder of its URL would. That something is there already is fine:
    /// the validator compares it with what was declared.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn put_staging(&self, session: &UploadId, sha256: Sha256, bytes: Vec<u8>) -> Result<(), StoreError> {
        self.put_new(&ObjectKey::Staging(session.clone()), "application/zip", sha256, bytes, None).await.map(|_| ())
    }

    /// Writes an object where nothing is; says whether it did.
    pub(crate) async fn put_new(
        &self,
        key: &ObjectKey,
        content_type: &str,
        sha256: Sha256,
        bytes: Vec<u8>,
        metadata: Option<HashMap<String, String>>,
    ) -> Result<bool, StoreError> {
        let request = self.client().put_object().bucket(self.bucket()).key(key.to_string());
        let request = request.content_type(content_type).if_none_match("*").set_metadata(metadata);
        let request = request.checksum_sha256(BASE64.encode(sha256.as_bytes()));
        match request.body(ByteStream::from(bytes)).send().await {
            Ok(_) => Ok(true),
            Err(e) if e.as_service_error().and_then(|e| e.code()) == Some("PreconditionFailed") => Ok(false),
            Err(e) => Err(sdk_error("PutObject", e)),
        }
    }
}
