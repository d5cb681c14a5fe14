//! Taking in a body.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use http_body_util::BodyExt as _;
use s3s::dto::StreamingBlob;
use s3s::{Body, S3Result, s3_error};
use tokio::io::{AsyncWriteExt as _, BufWriter};

use super::checksum::{BodyHasher, Digests};
use super::error::internal;
use super::store::{Store, Temporary};

/// Bytes gathered before they are handed to the file.
const BUFFER: usize = 256 * 1024;

/// A body on disk that isn't an object yet.
pub(crate) struct Received {
    pub(crate) file: (File, Temporary),
    pub(crate) size: u64,
    pub(crate) digests: Digests,
}

/// Writes a request body to a temporary file and hashes it on the way. Memory use doesn't depend on its length.
pub(crate) async fn receive(
    store: &Store,
    bucket: &str,
    body: Option<StreamingBlob>,
    mut hasher: BodyHasher,
) -> S3Result<Received> {
    let (file, temporary) = store.begin(bucket)?;
    let mut file = BufWriter::with_capacity(BUFFER, tokio::fs::File::from_std(file));
    let mut body = body.map(Body::from).unwrap_or_default();
    let mut size = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| s3_error!(IncompleteBody, "the body ended early: {error}"))?;
        if let Ok(chunk) = frame.into_data() {
            size += chunk.len() as u64;
            hasher.update(&chunk);
            file.write_all(&chunk).await.map_err(internal)?;
        }
    }
    file.flush().await.map_err(internal)?;
    let file = file.into_inner().into_std().await;
    Ok(Received { file: (file, temporary), size, digests: hasher.finish() })
}

/// Copies a body from another object's file.
pub(crate) fn copy(store: &Store, bucket: &str, source: File, size: u64, mut hasher: BodyHasher) -> S3Result<Received> {
    let (mut file, temporary) = store.begin(bucket)?;
    let mut source = source.take(size);
    let mut buffer = vec![0; BUFFER];
    let mut copied = 0;
    loop {
        let length = source.read(&mut buffer).map_err(internal)?;
        let Some(chunk) = buffer.get(..length).filter(|chunk| !chunk.is_empty()) else { break };
        hasher.update(chunk);
        file.write_all(chunk).map_err(internal)?;
        copied += chunk.len() as u64;
    }
    if copied != size {
        return Err(internal(io::Error::from(io::ErrorKind::UnexpectedEof)));
    }
    Ok(Received { file: (file, temporary), size, digests: hasher.finish() })
}

/// Milliseconds since 1970; 0 before.
pub(crate) fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
