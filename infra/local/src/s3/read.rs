//! Streaming a body from its file.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc;

use super::checksum::base64_of;
use super::footer::ObjectMeta;

/// Bytes read at once.
const CHUNK: u64 = 256 * 1024;
/// Chunks read ahead of the client.
const READ_AHEAD: usize = 2;

/// A part of a file. A whole body is checked against its SHA-256 before its last chunk is sent, so a damaged one never
/// arrives complete.
pub(crate) struct FileBody {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    left: u64,
}

impl FileBody {
    /// Streams `range` of the body at the beginning of `file`.
    pub(crate) fn new(file: File, meta: &ObjectMeta, range: Range<u64>) -> Self {
        let (sender, chunks) = mpsc::channel(READ_AHEAD);
        let left = range.end.saturating_sub(range.start);
        let whole = left == meta.size;
        let expected = whole.then(|| meta.checksums.sha256.clone());
        let key = meta.key.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = send_chunks(file, range, expected.as_deref(), &sender) {
                tracing::error!(key, %error, "an object can't be read");
                // Where the client is gone there is nobody to tell.
                let _gone = sender.blocking_send(Err(error));
            }
        });
        Self { chunks, left }
    }
}

fn send_chunks(
    mut file: File,
    range: Range<u64>,
    expected: Option<&str>,
    sender: &mpsc::Sender<io::Result<Bytes>>,
) -> io::Result<()> {
    let mut hasher = Sha256::new();
    let mut left = range.end.saturating_sub(range.start);
    file.seek(SeekFrom::Start(range.start))?;
    while left > 0 {
        let mut chunk = vec![0; usize::try_from(left.min(CHUNK)).map_err(io::Error::other)?];
        file.read_exact(&mut chunk)?;
        left = left.saturating_sub(chunk.len() as u64);
        if let Some(expected) = expected {
            hasher.update(&chunk);
            if left == 0 && base64_of(&hasher.finalize_reset()) != expected {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the body differs from its SHA-256"));
            }
        }
        if sender.blocking_send(Ok(chunk.into())).is_err() {
            break;
        }
    }
    Ok(())
}

impl Body for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let chunk = ready!(self.chunks.poll_recv(cx));
        Poll::Ready(chunk.map(|chunk| {
            let chunk = chunk?;
            self.left = self.left.saturating_sub(chunk.len() as u64);
            Ok(Frame::data(chunk))
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
