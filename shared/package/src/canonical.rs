//! The one archive that a tree of files has.

use flate2::{Compress, Compression, FlushCompress, Status};
use serde::{Deserialize, Serialize};

use crate::archive::header::{DEFLATED, FLAG_UTF8, STORED, VERSION};
use crate::contents::{Contents, PackageFile};

/// Part of the format: another level is another archive.
const LEVEL: u32 = 6;
/// 1980-01-01, the first day that the format can name, as a DOS date. The time is 0.
const DATE: u16 = 1 << 5 | 1;
/// Version 2.0 of the format, written by Unix: so that the mode is read.
const MADE_BY: u16 = 3 << 8 | VERSION;
/// The version that stored files need.
const VERSION_STORED: u16 = 10;

/// An archive whose bytes depend on the files alone, and where each file is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canonical {
    /// The archive.
    pub bytes: Vec<u8>,
    /// Where the files are, in the order of a manifest.
    pub locations: Vec<FileLocation>,
}

/// Where the data of one file is in an archive, so that it can be had with one ranged request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileLocation {
    /// The first byte of the (compressed) data, from the start of the archive.
    pub offset: u64,
    /// How many bytes the (compressed) data has in the archive.
    pub compressed_bytes: u64,
    /// How the data is kept.
    pub method: Method,
}

/// How the data of a file is kept in an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// As it is.
    Stored,
    /// As a raw deflate stream (RFC 1951).
    Deflated,
}

/// The canonical archive of some files: entries in the order of a manifest, no folders, a fixed time, modes that follow from the
/// content, deflated at one level of one pinned compressor or stored where that is not larger.
///
/// `canonical(read(canonical(x))) = canonical(x)`, and equal files give equal bytes on every platform.
pub fn canonical(contents: &Contents) -> Canonical {
    let mut writer = Writer::default();
    let mut compressor = Compress::new(Compression::new(LEVEL), false);
    let locations = contents.files().iter().map(|file| writer.add(file, &mut compressor)).collect();
    Canonical { bytes: writer.finish(), locations }
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    entries: u16,
}

impl Writer {
    fn add(&mut self, file: &PackageFile, compressor: &mut Compress) -> FileLocation {
        let deflated = deflate(file.data(), compressor);
        let (method, data) = match &deflated {
            Some(deflated) => (Method::Deflated, deflated.as_slice()),
            None => (Method::Stored, file.data()),
        };
        let start = size32(self.bytes.len());
        let header = header(file, method, data.len());
        let name = file.path().as_str().as_bytes();
        self.bytes.extend_from_slice(b"PK\x03\x04");
        self.bytes.extend_from_slice(&header);
        self.bytes.extend_from_slice(name);
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(data);

        let mode: u32 = if file.is_executable() { 0o100_755 } else { 0o100_644 };
        self.directory.extend_from_slice(b"PK\x01\x02");
        self.directory.extend_from_slice(&MADE_BY.to_le_bytes());
        self.directory.extend_from_slice(&header);
        // Comment length, disk and internal attributes.
        self.directory.extend_from_slice(&[0; 6]);
        self.directory.extend_from_slice(&(mode << 16).to_le_bytes());
        self.directory.extend_from_slice(&start.to_le_bytes());
        self.directory.extend_from_slice(name);
        self.entries = self.entries.saturating_add(1);
        FileLocation { offset: size64(offset), compressed_bytes: size64(data.len()), method }
    }

    fn finish(mut self) -> Vec<u8> {
        let offset = size32(self.bytes.len());
        self.bytes.extend_from_slice(&self.directory);
        self.bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        self.bytes.extend_from_slice(&self.entries.to_le_bytes());
        self.bytes.extend_from_slice(&self.entries.to_le_bytes());
        self.bytes.extend_from_slice(&size32(self.directory.len()).to_le_bytes());
        self.bytes.extend_from_slice(&offset.to_le_bytes());
        self.bytes.extend_from_slice(&[0; 2]);
        self.bytes
    }
}

/// The fields that the local header and the directory share, from the version needed to the length of the extra fields.
fn header(file: &PackageFile, method: Method, compressed: usize) -> Vec<u8> {
    let name = file.path().as_str();
    let (version, method) = match method {
        Method::Stored => (VERSION_STORED, STORED),
        Method::Deflated => (VERSION, DEFLATED),
    };
    let flags = if name.is_ascii() { 0 } else { FLAG_UTF8 };
    let name_len = u16::try_from(name.len()).unwrap_or(u16::MAX);
    let mut header = Vec::with_capacity(26);
    [version, flags, method, 0, DATE].iter().for_each(|field| header.extend_from_slice(&field.to_le_bytes()));
    [crc32fast::hash(file.data()), size32(compressed), size32(file.data().len())]
        .iter()
        .for_each(|field| header.extend_from_slice(&field.to_le_bytes()));
    [name_len, 0].iter().for_each(|field| header.extend_from_slice(&field.to_le_bytes()));
    header
}

/// The deflated data, if it is smaller than the data.
fn deflate(data: &[u8], compressor: &mut Compress) -> Option<Vec<u8>> {
    compressor.reset();
    // What does not fit here is not smaller.
    let mut deflated = Vec::with_capacity(data.len().saturating_sub(1));
    match compressor.compress_vec(data, &mut deflated, FlushCompress::Finish) {
        Ok(Status::StreamEnd) if deflated.len() < data.len() => Some(deflated),
        _ => None,
    }
}

/// [`Contents`] has fewer than 2^32 bytes, so the bound is never met.
fn size32(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

fn size64(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}
