//! From the files of a folder.

use skillhub_protocol::{Finding, PackagePath};
use unicode_normalization::UnicodeNormalization;

use super::{LeftOut, Packed, SourceFile, left_out_reason};
use crate::contents::{Contents, PackageFile};
use crate::findings::finish;
use crate::limits::{self, Limits, Sized};
use crate::path::{Placed, Taken, path_finding};

/// Packs the files of a folder that was walked. Bytes are kept as they are; names are brought into NFC, since macOS may have
/// decomposed them.
///
/// # Errors
/// All files whose path no package can have, or that collide with another. `files[i]` counts in `files`.
pub fn from_files(files: Vec<SourceFile>) -> Result<Packed, Vec<Finding>> {
    let mut packer = Packer::default();
    for (index, file) in files.into_iter().enumerate() {
        packer.add(index, file.path, file.data);
    }
    packer.finish(Vec::new())
}

/// Collects files, and what is wrong with their paths.
#[derive(Default)]
pub(super) struct Packer {
    files: Vec<PackageFile>,
    taken: Taken,
    left_out: Vec<LeftOut>,
    findings: Vec<Finding>,
}

impl Packer {
    pub(super) fn add(&mut self, index: usize, path: String, data: Vec<u8>) {
        if let Some(reason) = left_out_reason(&path) {
            return self.left_out.push(LeftOut { path, reason });
        }
        match parse(index, &path).and_then(|place| self.taken.check(place)) {
            Ok(place) => self.files.push(PackageFile::new(index, place.path, data)),
            Err(finding) => self.findings.push(finding),
        }
    }

    pub(super) fn finish(mut self, left_out: Vec<LeftOut>) -> Result<Packed, Vec<Finding>> {
        let sizes = self.files.iter().map(|file| Sized {
            index: file.index,
            name: file.path().as_str().as_bytes(),
            bytes: file.data().len(),
        });
        self.findings.extend(limits::check_sizes(&Limits::FORMAT, sizes));
        if !self.findings.is_empty() {
            return Err(finish(self.findings));
        }
        self.left_out.extend(left_out);
        Ok(Packed { contents: Contents::from_unique(self.files), left_out: self.left_out })
    }
}

fn parse(index: usize, path: &str) -> Result<Placed, Finding> {
    let path: String = path.nfc().collect();
    match path.parse::<PackagePath>() {
        Ok(path) => Ok(Placed { index, path, is_directory: false }),
        Err(fault) => Err(path_finding(format!("files[{index}].path"), &path, fault)),
    }
}
