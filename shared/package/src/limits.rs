//! How large a package may be.

use serde::{Deserialize, Serialize};
use skillhub_protocol::Finding;

use crate::findings::quote_bytes;
use crate::path::Placed;

/// How large a package may be. The defaults are the registry's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Limits {
    /// The archive, in bytes. Default 11 MiB.
    pub archive_bytes: u64,
    /// All files together, unpacked, in bytes. Default 10 MiB.
    pub unpacked_bytes: u64,
    /// One file, unpacked, in bytes. Default 1 MiB.
    pub file_bytes: u64,
    /// How many files. Default 100.
    pub files: usize,
    /// How many folders deep a file may lie; 0 = files at the root only. Default 8.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { archive_bytes: 11 << 20, unpacked_bytes: 10 << 20, file_bytes: 1 << 20, files: 100, depth: 8 }
    }
}

impl Limits {
    /// What the format without ZIP64 and a manifest can hold, whatever a policy says: the canonical archive must exist.
    pub(crate) const FORMAT: Self =
        Self { archive_bytes: 2 << 30, unpacked_bytes: 2 << 30, file_bytes: 2 << 30, files: 65_535, depth: usize::MAX };

    /// These limits, but none beyond the format's.
    fn within_format(&self) -> Self {
        Self {
            archive_bytes: self.archive_bytes,
            unpacked_bytes: self.unpacked_bytes.min(Self::FORMAT.unpacked_bytes),
            file_bytes: self.file_bytes,
            files: self.files.min(Self::FORMAT.files),
            depth: self.depth,
        }
    }
}

/// A file, for the checks of sizes.
pub(crate) struct Sized<'a> {
    pub(crate) index: usize,
    pub(crate) name: &'a [u8],
    pub(crate) bytes: usize,
}

impl Limits {
    pub(crate) fn check_archive(&self, bytes: usize) -> Result<(), Finding> {
        if widen(bytes) <= self.archive_bytes {
            return Ok(());
        }
        let message = format!("the archive has {bytes} bytes, at most {} are allowed", self.archive_bytes);
        Err(Finding::error("package_too_large", "archive", message))
    }

    /// Refuses an archive with more entries than files and all their folders could have, before any of them is looked at.
    pub(crate) fn check_entries(&self, entries: usize) -> Result<(), Finding> {
        if entries <= self.files.saturating_mul(self.depth.saturating_add(1)) {
            return Ok(());
        }
        Err(self.too_many(entries, "entries"))
    }

    fn too_many(&self, count: usize, what: &str) -> Finding {
        let message = format!("the package has {count} {what}, at most {} files are allowed", self.files);
        Finding::error("too_many_files", "archive", message)
    }

    pub(crate) fn allows_file(&self, bytes: usize) -> bool {
        widen(bytes) <= self.file_bytes
    }

    pub(crate) fn check_depth(&self, place: Placed) -> Result<Placed, Finding> {
        let depth = place.depth();
        if depth <= self.depth {
            return Ok(place);
        }
        let message = format!("lies {depth} folders deep, at most {} are allowed", self.depth);
        Err(Finding::error("path_depth", place.at(), message))
    }
}

/// All limits that declared sizes break.
pub(crate) fn check_sizes<'a>(limits: &Limits, files: impl Iterator<Item = Sized<'a>>) -> Vec<Finding> {
    let limits = &limits.within_format();
    let (mut findings, mut count, mut total) = (Vec::new(), 0_usize, 0_u64);
    for file in files {
        count = count.saturating_add(1);
        total = total.saturating_add(widen(file.bytes));
        if !limits.allows_file(file.bytes) {
            let (name, bytes, limit) = (quote_bytes(file.name), file.bytes, limits.file_bytes);
            let message = format!("{name} has {bytes} bytes, at most {limit} are allowed");
            findings.push(Finding::error("file_too_large", format!("files[{}].size", file.index), message));
        }
    }
    if count > limits.files {
        findings.push(limits.too_many(count, "files"));
    }
    if total > limits.unpacked_bytes {
        let message = format!("the files have {total} bytes together, at most {} are allowed", limits.unpacked_bytes);
        findings.push(Finding::error("package_too_large", "archive", message));
    }
    findings
}

fn widen(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
