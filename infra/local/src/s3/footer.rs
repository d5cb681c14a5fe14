//! The format of an object file.
//!
//! ```text
//! body | metadata (JSON) | body length (u64 LE) | metadata length (u32 LE) | SHA-256 of all before it but the body | magic
//! ```
//!
//! The footer is written last and the file gets its name only after it was synced, so a file without a sound footer
//! is a damaged one. The metadata holds the SHA-256 of the body.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Ends every object file; names the version of the format.
const MAGIC: &[u8; 8] = b"skhobj01";
/// Bytes of the fixed part at the end.
const FOOTER_LEN: usize = 8 + 4 + 32 + 8;
/// Metadata of a request is bounded by the server's header limit, far below this.
const MAX_METADATA: u32 = 1 << 20;

/// All that is known about an object but its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ObjectMeta {
    /// The key within its bucket.
    pub(crate) key: String,
    /// Bytes of the body.
    pub(crate) size: u64,
    /// MD5 of the body in hex, without quotes.
    pub(crate) etag: String,
    /// Milliseconds since 1970.
    pub(crate) modified_ms: u64,
    /// Digests of the body in base64. SHA-256 is always there.
    pub(crate) checksums: Checksums,
    /// Headers given back as they came.
    #[serde(default)]
    pub(crate) headers: ContentHeaders,
    /// `x-amz-meta-*`, without the prefix.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) user: BTreeMap<String, String>,
}

/// Checksums of a whole body, each in base64.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checksums {
    /// SHA-256: computed for every object.
    pub(crate) sha256: String,
    /// CRC-32, where the client sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) crc32: Option<String>,
    /// CRC-32C, where the client sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) crc32c: Option<String>,
    /// CRC-64/NVME, where the client sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) crc64nvme: Option<String>,
    /// SHA-1, where the client sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sha1: Option<String>,
}

/// Headers that S3 keeps with an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ContentHeaders {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cache_control: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content_disposition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content_encoding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content_language: Option<String>,
}

/// What follows the body in the file of this object.
///
/// # Errors
/// If the metadata is longer than 1 MiB.
pub(crate) fn encode(meta: &ObjectMeta) -> io::Result<Vec<u8>> {
    let mut out = serde_json::to_vec(meta).map_err(io::Error::other)?;
    let length = u32::try_from(out.len()).ok().filter(|length| *length <= MAX_METADATA);
    let length = length.ok_or_else(|| io::Error::other("the metadata of an object is longer than 1 MiB"))?;
    out.extend_from_slice(&meta.size.to_le_bytes());
    out.extend_from_slice(&length.to_le_bytes());
    let digest = Sha256::digest(&out);
    out.extend_from_slice(&digest);
    out.extend_from_slice(MAGIC);
    Ok(out)
}

/// Reads the metadata at the end of an object file, and leaves the file at the start of its body.
///
/// # Errors
/// `InvalidData` with the reason if the footer, the metadata or the length of the file is not as [`encode`] made it.
pub(crate) fn decode(file: &mut File) -> io::Result<ObjectMeta> {
    let footer_len = FOOTER_LEN as u64;
    let total = file.seek(SeekFrom::End(0))?;
    let footer_start = total.checked_sub(footer_len).ok_or_else(|| damaged("shorter than a footer"))?;
    file.seek(SeekFrom::Start(footer_start))?;
    let footer = Footer::parse(&read_exact_vec(file, FOOTER_LEN)?)?;

    let metadata_len = u64::from(footer.metadata_len);
    let expected = footer.body_len.checked_add(metadata_len).and_then(|sum| sum.checked_add(footer_len));
    if expected != Some(total) {
        return Err(damaged("the length of the file differs from the footer"));
    }
    file.seek(SeekFrom::Start(footer.body_len))?;
    let metadata = read_exact_vec(file, footer.metadata_len as usize)?;
    if footer.digest_over(&metadata) != footer.digest {
        return Err(damaged("the metadata differs from its digest"));
    }
    let meta: ObjectMeta = serde_json::from_slice(&metadata).map_err(|error| damaged(&error.to_string()))?;
    if meta.size != footer.body_len {
        return Err(damaged("metadata and footer differ in the size"));
    }
    file.rewind()?;
    Ok(meta)
}

struct Footer {
    body_len: u64,
    metadata_len: u32,
    digest: [u8; 32],
}

impl Footer {
    fn parse(bytes: &[u8]) -> io::Result<Self> {
        let (body_len, rest) = bytes.split_first_chunk().ok_or_else(|| damaged("short footer"))?;
        let (metadata_len, rest) = rest.split_first_chunk().ok_or_else(|| damaged("short footer"))?;
        let (digest, magic) = rest.split_first_chunk().ok_or_else(|| damaged("short footer"))?;
        let metadata_len = u32::from_le_bytes(*metadata_len);
        if magic != MAGIC || metadata_len > MAX_METADATA {
            return Err(damaged("no footer"));
        }
        Ok(Self { body_len: u64::from_le_bytes(*body_len), metadata_len, digest: *digest })
    }

    fn digest_over(&self, metadata: &[u8]) -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update(metadata);
        hasher.update(self.body_len.to_le_bytes());
        hasher.update(self.metadata_len.to_le_bytes());
        hasher.finalize().into()
    }
}

fn read_exact_vec(file: &mut File, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn damaged(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;

    const BODY: &[u8] = b"body";

    fn meta() -> ObjectMeta {
        ObjectMeta {
            key: "a/\u{fc}".to_owned(),
            size: BODY.len() as u64,
            etag: "e".to_owned(),
            modified_ms: 1,
            checksums: Checksums { sha256: "s".to_owned(), ..Checksums::default() },
            headers: ContentHeaders { content_type: Some("t".to_owned()), ..ContentHeaders::default() },
            user: [("k".to_owned(), "v".to_owned())].into(),
        }
    }

    fn decode_bytes(bytes: &[u8]) -> io::Result<ObjectMeta> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        decode(&mut file)
    }

    fn object() -> Vec<u8> {
        [BODY, &encode(&meta()).unwrap()].concat()
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(decode_bytes(&object()).unwrap(), meta());
    }

    proptest! {
        #[test]
        fn any_change_behind_the_body_is_noticed(at in BODY.len()..object().len(), bit in 0..8u8) {
            let mut bytes = object();
            bytes[at] ^= 1 << bit;
            prop_assert!(decode_bytes(&bytes).is_err());
        }

        #[test]
        fn any_other_length_is_noticed(length in 0..object().len(), more in proptest::collection::vec(any::<u8>(), 1..99)) {
            prop_assert!(decode_bytes(&object()[..length]).is_err());
            prop_assert!(decode_bytes(&[&object()[..], &more].concat()).is_err());
        }
    }
}
