//! One file of an artifact, without the rest of it.

use std::io::Read;

use flate2::read::DeflateDecoder;
use sha2::{Digest, Sha256 as Hasher};
use skillhub_protocol::{FileEntry, Sha256};

use crate::artifacts::FileSpan;
use crate::error::{StoreError, sdk_error};
use crate::keys::ObjectKey;
use crate::objects::Objects;

const KIND: &str = "artifact";

impl Objects {
    /// The bytes of a file of the artifact at `key`: one ranged read of `span`, inflated if need be, at most as many bytes as
    /// the manifest says, and of the digest that it says. An empty file takes no call.
    ///
    /// # Errors
    /// If the store fails, or what stands there is not the file.
    pub async fn read_file(&self, key: &ObjectKey, file: &FileEntry, span: FileSpan) -> Result<Vec<u8>, StoreError> {
        let packed = self.read_range(key, span).await?;
        let bytes = if span.deflated { inflate(&packed, file.size_bytes)? } else { packed };
        let digest = Sha256::from_bytes(Hasher::digest(&bytes).into());
        if bytes.len() as u64 == file.size_bytes && digest == file.sha256 {
            return Ok(bytes);
        }
        Err(StoreError::corrupt(KIND, format_args!("{key} does not hold the bytes of {:?}", file.path)))
    }

    async fn read_range(&self, key: &ObjectKey, span: FileSpan) -> Result<Vec<u8>, StoreError> {
        // No range has no bytes.
        let Some(last) = span.offset.saturating_add(span.bytes).checked_sub(1).filter(|_| span.bytes > 0) else {
            return Ok(Vec::new());
        };
        let request = self.client().get_object().bucket(self.bucket()).key(key.to_string());
        let request = request.range(format!("bytes={}-{last}", span.offset));
        let mut body = request.send().await.map_err(|e| sdk_error("GetObject", e))?.body;
        let mut bytes = Vec::new();
        while let Some(chunk) = body.next().await {
            bytes.extend_from_slice(&chunk.map_err(|e| unavailable(e.to_string()))?);
            // A store that ignores the range sends the whole object.
            if bytes.len() as u64 > span.bytes {
                return Err(StoreError::corrupt(KIND, format_args!("{key}: more than the range was sent")));
            }
        }
        if (bytes.len() as u64) < span.bytes {
            return Err(unavailable(String::from("the body ended before its length")));
        }
        Ok(bytes)
    }
}

fn unavailable(cause: String) -> StoreError {
    StoreError::Unavailable { operation: "GetObject", cause }
}

/// At most one byte more than `limit`, so that data that goes on is told from data that ends.
fn inflate(packed: &[u8], limit: u64) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::new();
    let read = DeflateDecoder::new(packed).take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|e| StoreError::corrupt(KIND, e))?;
    Ok(bytes)
}
