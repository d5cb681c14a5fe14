//! Getting at the bytes of an entry, never more than it declares.

use flate2::{Decompress, FlushDecompress, Status};
use skillhub_protocol::Finding;

use super::Entry;
use super::header::STORED;

/// A decompressor that is used for one entry after the other.
pub(super) struct Inflater(Decompress);

impl Inflater {
    pub(super) fn new() -> Self {
        Self(Decompress::new(false))
    }

    /// The bytes of a file entry, whose declared size has been found to be within the limits. Allocates and writes at most one
    /// byte more than that size.
    pub(super) fn data(&mut self, entry: &Entry<'_>) -> Result<Vec<u8>, Finding> {
        let data = if entry.method == STORED { entry.packed.to_vec() } else { self.inflate(entry)? };
        let crc = crc32fast::hash(&data);
        if crc == entry.crc {
            return Ok(data);
        }
        let message = format!("the CRC-32 of the data is {crc:08x}, the archive says {:08x}", entry.crc);
        Err(Finding::error("zip_data", format!("files[{}].sha256", entry.index), message))
    }

    fn inflate(&mut self, entry: &Entry<'_>) -> Result<Vec<u8>, Finding> {
        let Some(capacity) = entry.bytes.checked_add(1) else {
            return Err(fault(entry, "size", format!("{} bytes do not fit in memory", entry.bytes)));
        };
        self.0.reset(false);
        // One byte more than declared, so that data that goes on is told from data that ends.
        let mut data = Vec::with_capacity(capacity);
        let status = self.0.decompress_vec(entry.packed, &mut data, FlushDecompress::Finish);
        let status = status.map_err(|e| fault(entry, "sha256", format!("the deflate stream is broken ({e})")))?;
        if data.len() > entry.bytes {
            return Err(fault(entry, "size", format!("must inflate to {} bytes, but there are more", entry.bytes)));
        }
        if status != Status::StreamEnd {
            return Err(fault(entry, "sha256", "the deflate stream is cut off".to_owned()));
        }
        if data.len() != entry.bytes {
            let message = format!("must inflate to {} bytes, but there are {}", entry.bytes, data.len());
            return Err(fault(entry, "size", message));
        }
        if usize::try_from(self.0.total_in()) != Ok(entry.packed.len()) {
            return Err(fault(entry, "size", "bytes follow the end of the deflate stream".to_owned()));
        }
        Ok(data)
    }
}

fn fault(entry: &Entry<'_>, field: &str, message: String) -> Finding {
    Finding::error("zip_data", format!("files[{}].{field}", entry.index), message)
}
