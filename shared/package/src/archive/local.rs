//! Local headers: each must repeat its record of the directory, and they must fill the body without gap or overlap.

use skillhub_protocol::Finding;

use super::bytes::Fields;
use super::directory::Record;
use super::header::{Fixed, Header};

const SIGNATURE: u32 = 0x0403_4b50;
const DESCRIPTOR_SIGNATURE: u32 = 0x0807_4b50;

/// Walks over the body, entry by entry.
pub(super) struct Walk<'a> {
    body: &'a [u8],
    rest: Fields<'a>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(body: &'a [u8]) -> Self {
        Self { body, rest: Fields::new(body) }
    }

    /// The packed data of the next entry.
    pub(super) fn next(&mut self, record: &Record<'a>) -> Result<&'a [u8], Finding> {
        let position = self.position();
        if usize::try_from(record.offset) != Ok(position) {
            let message = format!(
                "entry {} must begin at byte {position}, where the one before it ends, not at {}: entries lie in the order \
                 of the directory, without gap or overlap",
                record.index, record.offset
            );
            return Err(layout(message));
        }
        let header = read_header(&mut self.rest);
        let header = header.ok_or_else(|| layout(format!("there is no local header at byte {position}")))?;
        compare(record, &header)?;
        header.check(record.index)?;
        let packed = usize::try_from(record.header.packed_bytes).ok().and_then(|len| self.rest.take(len));
        let packed =
            packed.ok_or_else(|| layout(format!("the data of entry {} runs into the directory", record.index)))?;
        if record.header.has_descriptor() {
            read_descriptor(&mut self.rest, record)?;
        }
        Ok(packed)
    }

    /// Demands that the last entry ends where the directory begins.
    pub(super) fn finish(self) -> Result<(), Finding> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(layout(format!("{left} bytes between the last entry and the directory belong to no entry"))),
        }
    }

    fn position(&self) -> usize {
        self.body.len().saturating_sub(self.rest.len())
    }
}

fn read_header<'a>(fields: &mut Fields<'a>) -> Option<Header<'a>> {
    fields.signature(SIGNATURE)?;
    let fixed = Fixed::read(fields)?;
    let name = fields.take(usize::from(fixed.name_len))?;
    Some(fixed.with(name, fields.take(usize::from(fixed.extra_len))?))
}

/// Extra fields may differ: tools write more times in the local header than in the directory.
fn compare(record: &Record<'_>, local: &Header<'_>) -> Result<(), Finding> {
    let listed = &record.header;
    let mismatch = |field: &str, message: String| {
        Err(Finding::error("zip_header_mismatch", format!("files[{}].{field}", record.index), message))
    };
    if listed.name != local.name {
        let message = format!(
            "the directory calls the entry {}, its local header {}",
            crate::findings::quote_bytes(listed.name),
            crate::findings::quote_bytes(local.name)
        );
        return mismatch("path", message);
    }
    let deferred = listed.has_descriptor() && local.has_descriptor();
    let pairs = [
        ("version", u32::from(listed.needed), u32::from(local.needed), false),
        ("flags", u32::from(listed.flags), u32::from(local.flags), false),
        ("method", u32::from(listed.method), u32::from(local.method), false),
        ("time", u32::from(listed.time), u32::from(local.time), false),
        ("time", u32::from(listed.date), u32::from(local.date), false),
        ("crc", listed.crc, local.crc, deferred),
        ("size", listed.packed_bytes, local.packed_bytes, deferred),
        ("size", listed.bytes, local.bytes, deferred),
    ];
    match pairs.into_iter().find(|(_, listed, local, may_be_zero)| listed != local && !(*may_be_zero && *local == 0)) {
        None => Ok(()),
        Some((field, listed, local, _)) => {
            mismatch(field, format!("the directory says {listed}, the local header {local}"))
        }
    }
}

fn read_descriptor(fields: &mut Fields<'_>, record: &Record<'_>) -> Result<(), Finding> {
    let Header { crc, packed_bytes, bytes, .. } = record.header;
    let found =
        fields.signature(DESCRIPTOR_SIGNATURE).and_then(|()| Some((fields.u32()?, fields.u32()?, fields.u32()?)));
    if found == Some((crc, packed_bytes, bytes)) {
        return Ok(());
    }
    let message = "must have 16 bytes behind the data: a signature, then the CRC and sizes of the directory";
    Err(Finding::error("zip_data_descriptor", format!("files[{}].descriptor", record.index), message))
}

fn layout(message: String) -> Finding {
    Finding::error("zip_layout", "archive", message).hint("pack the folder again with `skillhub pack`")
}
