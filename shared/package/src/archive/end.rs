//! The end record: the last 22 bytes, and nothing else anywhere behind the directory.

use skillhub_protocol::Finding;

use super::bytes::Fields;

const LEN: usize = 22;
const SIGNATURE: u32 = 0x0605_4b50;

/// Where the central directory is.
pub(super) struct EndRecord<'a> {
    /// How many entries the archive says it has.
    pub(super) entries: usize,
    /// The bytes before the directory: local headers and data.
    pub(super) body: &'a [u8],
    /// The bytes of the directory.
    pub(super) directory: &'a [u8],
}

/// Reads the end record.
pub(super) fn read(archive: &[u8]) -> Result<EndRecord<'_>, Finding> {
    let split = archive.len().checked_sub(LEN).and_then(|at| archive.split_at_checked(at));
    let Some((before, end)) = split else {
        return Err(fault(format!("an archive has at least {LEN} bytes, this one has {}", archive.len())));
    };
    let mut fields = Fields::new(end);
    if fields.signature(SIGNATURE).is_none() {
        let message =
            format!("the last {LEN} bytes must be the end record: no comment, no trailing bytes, not cut off");
        return Err(fault(message));
    }
    parse(before, &mut fields).ok_or_else(truncated)?
}

fn parse<'a>(before: &'a [u8], fields: &mut Fields<'_>) -> Option<Result<EndRecord<'a>, Finding>> {
    let (disk, directory_disk) = (fields.u16()?, fields.u16()?);
    let (entries_here, entries) = (fields.u16()?, fields.u16()?);
    let (directory_bytes, offset, comment) = (fields.u32()?, fields.u32()?, fields.u16()?);
    if disk != 0 || directory_disk != 0 || entries_here != entries {
        return Some(Err(fault("the archive must be in one part, not split over several disks")));
    }
    if comment != 0 {
        return Some(Err(fault(format!("the archive must have no comment, the end record declares {comment} bytes"))));
    }
    if u64::from(offset).checked_add(u64::from(directory_bytes)) != u64::try_from(before.len()).ok() {
        let message = format!(
            "the directory must end where the end record begins: it has {directory_bytes} bytes at offset {offset}, the \
             end record is at {}",
            before.len()
        );
        return Some(Err(fault(message)));
    }
    let (body, directory) = before.split_at_checked(usize::try_from(offset).ok()?)?;
    Some(Ok(EndRecord { entries: usize::from(entries), body, directory }))
}

fn truncated() -> Finding {
    fault("the end record is cut off")
}

pub(super) fn fault(message: impl Into<String>) -> Finding {
    Finding::error("zip_framing", "archive", message).hint("pack the folder again with `skillhub pack`")
}
