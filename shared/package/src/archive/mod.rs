//! The strict reader of archives: a forward walk that settles the whole layout before a byte is inflated.

mod bytes;
mod directory;
mod end;
pub(crate) mod header;
mod inflate;
mod local;

use skillhub_protocol::Finding;

use crate::contents::{Contents, PackageFile};
use crate::findings::{finish, has_error};
use crate::limits::{self, Limits};
use crate::path::{self, Placed};
use crate::skill_md::SKILL_MD;

/// One entry of an archive whose layout is sound.
struct Entry<'a> {
    /// The index in the central directory.
    index: usize,
    name: &'a [u8],
    is_utf8: bool,
    is_directory: bool,
    has_special_bits: bool,
    method: u16,
    crc: u32,
    packed: &'a [u8],
    /// The declared size.
    bytes: usize,
}

/// What an archive with a sound structure holds, faults of names and sizes included.
pub(crate) struct Reading {
    /// The files with legal paths. Where a limit is broken: `SKILL.md` alone.
    pub(crate) contents: Contents,
    /// All legal paths, in the order of the directory.
    pub(crate) listing: Vec<Placed>,
    /// Faults of names and sizes, and warnings about modes.
    pub(crate) findings: Vec<Finding>,
}

/// Reads an archive strictly: sound structure, legal and unique paths, sizes within `limits`, right sizes and CRCs. This is all
/// that an installer needs; a registry also runs [`check`](crate::check).
///
/// At most `limits.unpacked_bytes` and one buffer are ever inflated.
///
/// # Errors
/// One finding for a structural fault, or all findings about paths and sizes, sorted, at most 50.
pub fn read(archive: &[u8], limits: &Limits) -> Result<Contents, Vec<Finding>> {
    let reading = read_all(archive, limits).map_err(|fault| finish(vec![fault]))?;
    if has_error(&reading.findings) {
        return Err(finish(reading.findings.into_iter().filter(Finding::is_error).collect()));
    }
    Ok(reading.contents)
}

pub(crate) fn read_all(archive: &[u8], limits: &Limits) -> Result<Reading, Finding> {
    limits.check_archive(archive.len())?;
    let entries = entries(archive, limits)?;
    let mut findings = limits::check_sizes(limits, entries.iter().filter(|e| !e.is_directory).map(Entry::sized));
    let only_skill_md = has_error(&findings);
    findings.extend(entries.iter().filter(|entry| entry.has_special_bits).map(special_bits));
    let (places, faults) = paths(&entries, limits);
    findings.extend(faults);
    let contents = contents(&entries, &places, |entry| {
        !only_skill_md || (entry.name == SKILL_MD.as_bytes() && limits.allows_file(entry.bytes))
    })?;
    Ok(Reading { contents, listing: places.into_iter().flatten().collect(), findings })
}

/// The entries, after the whole layout is found to be sound. Nothing is inflated.
fn entries<'a>(archive: &'a [u8], limits: &Limits) -> Result<Vec<Entry<'a>>, Finding> {
    let end = end::read(archive)?;
    limits.check_entries(end.entries)?;
    let mut walk = local::Walk::new(end.body);
    let mut entries = Vec::with_capacity(end.entries);
    for record in directory::records(end.directory, end.entries) {
        let record = record?;
        let packed = walk.next(&record)?;
        entries.push(Entry::new(&record, packed));
    }
    walk.finish()?;
    Ok(entries)
}

impl<'a> Entry<'a> {
    fn new(record: &directory::Record<'a>, packed: &'a [u8]) -> Self {
        let header = &record.header;
        Self {
            index: record.index,
            name: header.name,
            is_utf8: header.flags & header::FLAG_UTF8 != 0,
            is_directory: record.is_directory,
            has_special_bits: record.has_special_bits,
            method: header.method,
            crc: header.crc,
            packed,
            bytes: usize::try_from(header.bytes).unwrap_or(usize::MAX),
        }
    }

    fn sized(&self) -> limits::Sized<'_> {
        limits::Sized { index: self.index, name: self.name, bytes: self.bytes }
    }
}

fn special_bits(entry: &Entry<'_>) -> Finding {
    let message = "has set-user-id, set-group-id or sticky bits, which are not kept";
    Finding::warning("special_mode_bits", format!("files[{}].mode", entry.index), message)
}

/// The place of each entry, `None` where its path is at fault or taken.
fn paths(entries: &[Entry<'_>], limits: &Limits) -> (Vec<Option<Placed>>, Vec<Finding>) {
    let (mut places, mut findings) = (Vec::with_capacity(entries.len()), Vec::new());
    let mut taken = path::Taken::default();
    for entry in entries {
        let place = path::place(entry.index, entry.name, entry.is_utf8, entry.is_directory)
            .and_then(|place| limits.check_depth(place))
            .and_then(|place| taken.check(place));
        match place {
            Ok(place) => places.push(Some(place)),
            Err(finding) => {
                places.push(None);
                findings.push(finding);
            }
        }
    }
    (places, findings)
}

/// Inflates the wanted files. Files without a legal path are inflated too: a structural fault in them must be seen.
fn contents(
    entries: &[Entry<'_>],
    places: &[Option<Placed>],
    wanted: impl Fn(&Entry<'_>) -> bool,
) -> Result<Contents, Finding> {
    let mut inflater = inflate::Inflater::new();
    let mut files = Vec::new();
    for (entry, place) in entries.iter().zip(places) {
        if entry.is_directory || !wanted(entry) {
            continue;
        }
        let data = inflater.data(entry)?;
        if let Some(place) = place {
            files.push(PackageFile::new(entry.index, place.path.clone(), data));
        }
    }
    Ok(Contents::from_unique(files))
}
