//! Archives made by hand, so that each header field can be wrong.
#![allow(dead_code, reason = "each test binary uses another part")]

use flate2::{Compress, Compression, FlushCompress};
use skillhub_package::pack::{self, SourceFile};
use skillhub_package::{Contents, Declared, Policy, Report, check};
use skillhub_protocol::{Finding, Scope};

pub(crate) const SKILL_MD: &str = "---\nname: a\ndescription: b\n---\n# A\n";
pub(crate) const DECLARED: Declared<'_> = Declared { slug: "a", scope: Scope::Public };

/// One entry, with what its two headers say.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    pub(crate) data: Vec<u8>,
    pub(crate) packed: Vec<u8>,
    pub(crate) method: u16,
    pub(crate) flags: u16,
    pub(crate) made_by: u16,
    pub(crate) mode: u32,
    pub(crate) extra: Vec<u8>,
    pub(crate) size: u32,
    pub(crate) crc: u32,
    /// The local header's name, where it differs.
    pub(crate) local_name: Option<Vec<u8>>,
    /// Bytes before the local header.
    pub(crate) gap: Vec<u8>,
}

impl Entry {
    pub(crate) fn stored(name: &str, data: &[u8]) -> Self {
        Self {
            name: name.into(),
            data: data.into(),
            packed: data.into(),
            method: 0,
            flags: if name.is_ascii() { 0 } else { 1 << 11 },
            made_by: 3 << 8 | 20,
            mode: 0o100_644,
            extra: Vec::new(),
            size: data.len() as u32,
            crc: crc32fast::hash(data),
            local_name: None,
            gap: Vec::new(),
        }
    }

    pub(crate) fn deflated(name: &str, data: &[u8]) -> Self {
        let mut packed = Vec::with_capacity(data.len() + 100);
        let mut compress = Compress::new(Compression::new(9), false);
        compress.compress_vec(data, &mut packed, FlushCompress::Finish).unwrap();
        Self { method: 8, packed, ..Self::stored(name, data) }
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn header(&self, name: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        [20, self.flags, self.method, 0, 0x21].iter().for_each(|n| out.extend(n.to_le_bytes()));
        [self.crc, self.packed.len() as u32, self.size].iter().for_each(|n| out.extend(n.to_le_bytes()));
        [name.len() as u16, self.extra.len() as u16].iter().for_each(|n| out.extend(n.to_le_bytes()));
        out
    }
}

/// The archive of some entries.
pub(crate) fn archive(entries: &[Entry]) -> Vec<u8> {
    let (mut body, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        body.extend(&entry.gap);
        let offset = body.len() as u32;
        let local_name = entry.local_name.as_ref().unwrap_or(&entry.name);
        body.extend(b"PK\x03\x04");
        body.extend(entry.header(local_name));
        body.extend(local_name);
        body.extend(&entry.extra);
        body.extend(&entry.packed);
        directory.extend(b"PK\x01\x02");
        directory.extend(entry.made_by.to_le_bytes());
        directory.extend(entry.header(&entry.name));
        directory.extend([0; 6]);
        directory.extend((entry.mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(&entry.name);
        directory.extend(&entry.extra);
    }
    let (offset, count) = (body.len() as u32, entries.len() as u16);
    let size = directory.len() as u32;
    body.extend(directory);
    body.extend(b"PK\x05\x06\0\0\0\0");
    [count, count].iter().for_each(|n| body.extend(n.to_le_bytes()));
    [size, offset].iter().for_each(|n| body.extend(n.to_le_bytes()));
    body.extend([0; 2]);
    body
}

/// A sound `SKILL.md` and this entry.
pub(crate) fn with_skill_md(entry: Entry) -> Vec<u8> {
    archive(&[Entry::stored("SKILL.md", SKILL_MD.as_bytes()), entry])
}

pub(crate) fn check_default(archive: &[u8]) -> Report {
    check(archive, &DECLARED, &Policy::default())
}

pub(crate) fn source(path: &str, data: impl Into<Vec<u8>>) -> SourceFile {
    SourceFile { path: path.into(), data: data.into() }
}

pub(crate) fn contents(files: &[(&str, &[u8])]) -> Contents {
    pack::from_files(files.iter().map(|(path, data)| source(path, *data)).collect()).unwrap().contents
}

pub(crate) fn show(findings: &[Finding]) -> String {
    findings.iter().map(|finding| format!("\n    {finding}")).collect()
}

/// A small generator of pseudo-random numbers (SplitMix64): the same seed gives the same numbers everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}
