//! The least that a validator has to do: inflate each file and hash it, and hash the archive.

use std::hint::black_box;

use flate2::{Decompress, FlushDecompress, Status};
use skillhub_package::{FileLocation, Method, sha256};

/// What the loop is told, and a validator has to find out.
pub(crate) struct Bare {
    pub(crate) locations: Vec<FileLocation>,
    pub(crate) sizes: Vec<usize>,
}

impl Bare {
    /// The loop of a validator that goes on to look at the files.
    pub(crate) fn keep(&self, archive: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        black_box(sha256(archive));
        let mut inflater = Decompress::new(false);
        let mut kept = Vec::with_capacity(self.sizes.len());
        for (location, size) in self.locations.iter().zip(&self.sizes) {
            let mut data = Vec::with_capacity(*size);
            inflate(&mut inflater, archive, location, &mut data)?;
            black_box(sha256(&data));
            kept.push(data);
        }
        Ok(kept)
    }

    /// The same in one buffer.
    pub(crate) fn drop(&self, archive: &[u8]) -> Result<Vec<u8>, String> {
        black_box(sha256(archive));
        let mut inflater = Decompress::new(false);
        let mut data = Vec::with_capacity(self.sizes.iter().copied().max().unwrap_or_default());
        for location in &self.locations {
            data.clear();
            inflate(&mut inflater, archive, location, &mut data)?;
            black_box(sha256(&data));
        }
        Ok(data)
    }
}

fn inflate(
    inflater: &mut Decompress,
    archive: &[u8],
    location: &FileLocation,
    data: &mut Vec<u8>,
) -> Result<(), String> {
    let start = location.offset as usize;
    let packed = &archive[start..start + location.compressed_bytes as usize];
    if location.method == Method::Stored {
        data.extend_from_slice(packed);
        return Ok(());
    }
    inflater.reset(false);
    match inflater.decompress_vec(packed, data, FlushDecompress::Finish) {
        Ok(Status::StreamEnd) => Ok(()),
        other => Err(format!("the bare loop cannot inflate: {other:?}")),
    }
}
