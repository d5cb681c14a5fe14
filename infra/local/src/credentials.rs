//! The access key of the embedded object store.

use serde::{Deserialize, Serialize};

use crate::data_dir::{DataDir, DataDirError, read_json, write_json};
use crate::secret::Secret;

/// An access key pair, made at random for each data directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Credentials {
    /// Names the key; part of every presigned URL, so no secret.
    pub access_key_id: String,
    /// Signs requests.
    pub secret_access_key: Secret,
}

/// Random bytes that [`Credentials::from_random`] takes.
pub const RANDOM_BYTES: usize = 40;

impl Credentials {
    /// A pair of 80 and 240 random bits.
    pub fn from_random(random: [u8; RANDOM_BYTES]) -> Self {
        let (id, secret) = random.split_at(10);
        Self {
            access_key_id: format!("LOCAL{}", hex::encode_upper(id)),
            secret_access_key: Secret::new(hex::encode(secret)),
        }
    }

    /// The pair of this data directory; made from `random` at the first start.
    pub(crate) fn load(data: &DataDir, random: [u8; RANDOM_BYTES]) -> Result<Self, DataDirError> {
        let path = data.credentials_path();
        if let Some(kept) = read_json(&path)? {
            return Ok(kept);
        }
        let fresh = Self::from_random(random);
        write_json(&path, &fresh)?;
        Ok(fresh)
    }
}
