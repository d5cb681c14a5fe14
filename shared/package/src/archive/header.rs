//! What a local header and its record in the directory have in common.

use skillhub_protocol::Finding;

use super::bytes::Fields;

/// The sizes and CRC follow the data.
pub(super) const FLAG_DESCRIPTOR: u16 = 1 << 3;
/// The name is UTF-8.
pub(crate) const FLAG_UTF8: u16 = 1 << 11;
/// Ordinary, patched-in and "masked header" encryption.
const FLAGS_ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
/// How hard the compressor tried: says nothing about the data.
const FLAGS_LEVEL: u16 = 0b110;

/// Bytes as they are.
pub(crate) const STORED: u16 = 0;
/// Raw deflate.
pub(crate) const DEFLATED: u16 = 8;
/// The version of the format that deflate and folders need.
pub(crate) const VERSION: u16 = 20;

/// Times and Unix ids, which many tools write and no reader of packages uses: extended time, two of user and group, NTFS.
const EXTRA_ALLOWED: [u16; 4] = [0x5455, 0x7875, 0x5855, 0x000a];

#[derive(Clone, Copy)]
pub(super) struct Header<'a> {
    pub(super) needed: u16,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) time: u16,
    pub(super) date: u16,
    pub(super) crc: u32,
    pub(super) packed_bytes: u32,
    pub(super) bytes: u32,
    pub(super) name: &'a [u8],
    pub(super) extra: &'a [u8],
}

/// The fixed fields; the name and extra fields follow at different places.
pub(super) struct Fixed {
    needed: u16,
    flags: u16,
    method: u16,
    time: u16,
    date: u16,
    crc: u32,
    packed_bytes: u32,
    bytes: u32,
    pub(super) name_len: u16,
    pub(super) extra_len: u16,
}

impl Fixed {
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Self {
            needed: fields.u16()?,
            flags: fields.u16()?,
            method: fields.u16()?,
            time: fields.u16()?,
            date: fields.u16()?,
            crc: fields.u32()?,
            packed_bytes: fields.u32()?,
            bytes: fields.u32()?,
            name_len: fields.u16()?,
            extra_len: fields.u16()?,
        })
    }

    pub(super) fn with<'a>(&self, name: &'a [u8], extra: &'a [u8]) -> Header<'a> {
        let Self { needed, flags, method, time, date, crc, packed_bytes, bytes, .. } = *self;
        Header { needed, flags, method, time, date, crc, packed_bytes, bytes, name, extra }
    }
}

impl Header<'_> {
    pub(super) fn has_descriptor(&self) -> bool {
        self.flags & FLAG_DESCRIPTOR != 0
    }

    /// Everything about a header that can be wrong by itself.
    pub(super) fn check(&self, index: usize) -> Result<(), Finding> {
        let at = |field: &str| format!("files[{index}].{field}");
        if self.flags & FLAGS_ENCRYPTED != 0 {
            return Err(Finding::error("zip_encrypted", at("method"), "the entry is encrypted")
                .hint("packages are public to their readers: pack without a password"));
        }
        let unknown = self.flags & !(FLAG_DESCRIPTOR | FLAG_UTF8 | FLAGS_LEVEL);
        if unknown != 0 {
            return Err(Finding::error("zip_flags", at("flags"), format!("the flags {unknown:#06x} are not allowed")));
        }
        if !matches!(self.method, STORED | DEFLATED) {
            let message = format!("the compression method must be 0 (stored) or 8 (deflated), not {}", self.method);
            return Err(Finding::error("zip_method", at("method"), message));
        }
        check_extra(self.extra, &at("extra"))?;
        if self.needed > VERSION {
            let message = format!("version {} of the format is needed, at most {VERSION} is read", self.needed);
            return Err(Finding::error("zip_version", at("version"), message));
        }
        if self.has_descriptor() && self.method != DEFLATED {
            let message = "only deflated data says where it ends: a stored entry can have no data descriptor";
            return Err(Finding::error("zip_data_descriptor", at("descriptor"), message));
        }
        if self.method == STORED && self.packed_bytes != self.bytes {
            let message = format!("stored data has one size, not {} and {} bytes", self.packed_bytes, self.bytes);
            return Err(Finding::error("zip_data", at("size"), message));
        }
        Ok(())
    }
}

fn check_extra(extra: &[u8], path: &str) -> Result<(), Finding> {
    let mut fields = Fields::new(extra);
    while !fields.is_empty() {
        let id = fields.u16();
        let data = fields.u16().and_then(|len| fields.take(usize::from(len)));
        let (Some(id), Some(_)) = (id, data) else {
            return Err(Finding::error("zip_extra", path, "the extra fields are cut off"));
        };
        if !EXTRA_ALLOWED.contains(&id) {
            let message = format!("the extra field {id:#06x} is not allowed: readers may take the entry for another");
            return Err(Finding::error("zip_extra_field", path, message).hint("only times and Unix ids are allowed"));
        }
    }
    Ok(())
}
