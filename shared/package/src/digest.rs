//! SHA-256.

use sha2::Digest;
use skillhub_protocol::Sha256;

/// The SHA-256 digest of some bytes.
pub fn sha256(bytes: &[u8]) -> Sha256 {
    Sha256::from_bytes(sha2::Sha256::digest(bytes).into())
}
