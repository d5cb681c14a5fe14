//! The central directory: one record for each entry.

use skillhub_protocol::Finding;

use super::bytes::Fields;
use super::end::fault;
use super::header::{Fixed, Header, STORED};

const SIGNATURE: u32 = 0x0201_4b50;

/// The directory flag of DOS attributes.
const DOS_DIRECTORY: u32 = 1 << 4;
/// The volume label flag of DOS attributes.
const DOS_VOLUME: u32 = 1 << 3;

const TYPE_MASK: u32 = 0o170_000;
const TYPE_DIRECTORY: u32 = 0o040_000;
const TYPE_REGULAR: u32 = 0o100_000;
const SPECIAL_BITS: u32 = 0o7_000;

/// One record of the directory.
pub(super) struct Record<'a> {
    pub(super) index: usize,
    pub(super) header: Header<'a>,
    pub(super) offset: u32,
    pub(super) is_directory: bool,
    /// Whether the entry has set-user-id, set-group-id or sticky bits.
    pub(super) has_special_bits: bool,
}

/// The records of a directory that must have exactly `count` of them.
pub(super) fn records(directory: &[u8], count: usize) -> impl Iterator<Item = Result<Record<'_>, Finding>> {
    let mut fields = Fields::new(directory);
    let mut index = 0_usize;
    std::iter::from_fn(move || {
        if index == count {
            let left = std::mem::replace(&mut fields, Fields::new(&[])).len();
            let message =
                || format!("the end record counts {count} entries, but {left} bytes of directory follow them");
            return (left != 0).then(|| Err(fault(message())));
        }
        let record = Raw::read(&mut fields).ok_or_else(|| no_record(index, count));
        let record = record.and_then(|raw| raw.check(index));
        index = index.saturating_add(1);
        Some(record)
    })
}

fn no_record(index: usize, count: usize) -> Finding {
    fault(format!(
        "the directory must have {count} records, as the end record says: record {index} is missing or cut off"
    ))
}

struct Raw<'a> {
    header: Header<'a>,
    comment_len: u16,
    disk: u16,
    attributes: u32,
    offset: u32,
}

impl<'a> Raw<'a> {
    fn read(fields: &mut Fields<'a>) -> Option<Self> {
        fields.signature(SIGNATURE)?;
        let _made_by = fields.u16()?;
        let fixed = Fixed::read(fields)?;
        let (comment_len, disk, _internal) = (fields.u16()?, fields.u16()?, fields.u16()?);
        let (attributes, offset) = (fields.u32()?, fields.u32()?);
        let name = fields.take(usize::from(fixed.name_len))?;
        let extra = fields.take(usize::from(fixed.extra_len))?;
        fields.take(usize::from(comment_len))?;
        Some(Self { header: fixed.with(name, extra), comment_len, disk, attributes, offset })
    }

    fn check(self, index: usize) -> Result<Record<'a>, Finding> {
        if self.comment_len != 0 {
            let message = format!("an entry must have no comment, this one has {} bytes", self.comment_len);
            return Err(Finding::error("zip_entry_comment", format!("files[{index}].comment"), message));
        }
        if self.disk != 0 {
            return Err(fault(format!("entry {index} must be on this disk, not on disk {}", self.disk)));
        }
        self.header.check(index)?;
        let is_directory = self.header.name.ends_with(b"/");
        self.check_mode(index, is_directory)?;
        if is_directory {
            check_directory(index, &self.header)?;
        }
        let has_special_bits = (self.attributes >> 16) & SPECIAL_BITS != 0;
        Ok(Record { index, header: self.header, offset: self.offset, is_directory, has_special_bits })
    }

    /// The type in the Unix mode counts whatever system the record claims to come from: extractors differ in whether they ask.
    fn check_mode(&self, index: usize, is_directory: bool) -> Result<(), Finding> {
        let mode = self.attributes >> 16;
        let dos_fault = self.attributes & DOS_VOLUME != 0 || (self.attributes & DOS_DIRECTORY != 0 && !is_directory);
        let legal = match mode & TYPE_MASK {
            0 => true,
            TYPE_REGULAR => !is_directory,
            TYPE_DIRECTORY => is_directory,
            _ => false,
        };
        if legal && !dos_fault {
            return Ok(());
        }
        let message = format!("must be a regular file or a folder, not {}", describe_type(mode));
        Err(Finding::error("not_regular_file", format!("files[{index}].mode"), message)
            .hint("replace a link by a copy of the file that it points to"))
    }
}

fn describe_type(mode: u32) -> String {
    let what = match mode & TYPE_MASK {
        0o120_000 => "a symbolic link",
        0o010_000 => "a named pipe",
        0o020_000 | 0o060_000 => "a device",
        0o140_000 => "a socket",
        _ => "an entry whose mode and name disagree",
    };
    format!("{what} (mode {mode:06o})")
}

fn check_directory(index: usize, header: &Header<'_>) -> Result<(), Finding> {
    if header.packed_bytes == 0 && header.bytes == 0 && header.method == STORED && header.crc == 0 {
        return Ok(());
    }
    let message = format!("a folder must be stored without data, this one has {} bytes", header.packed_bytes);
    Err(Finding::error("zip_directory_data", format!("files[{index}].size"), message))
}
