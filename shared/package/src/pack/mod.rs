//! The pure part of a packer: from the files of a folder, or from a ZIP as people make them, to the files of a package.
//!
//! What does not belong in a package is left out and listed. Everything else is kept, so that
//! [`check_contents`](crate::check_contents) can say what a registry will not take.

mod files;
mod ignore;
mod zip;

use skillhub_protocol::Finding;

pub use self::files::from_files;
pub use self::ignore::{Reason, left_out_reason};
pub use self::zip::from_zip;

use crate::contents::Contents;

/// A file of a folder that was walked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The path from the folder to the file, with `/` between segments.
    pub path: String,
    /// The bytes.
    pub data: Vec<u8>,
}

/// A file that is not packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its path in the source.
    pub path: String,
    /// Why it is not packed.
    pub reason: Reason,
}

/// What a packer made.
#[derive(Debug)]
pub struct Packed {
    /// The files of the package.
    pub contents: Contents,
    /// The files that are not in it, in the order of the source.
    pub left_out: Vec<LeftOut>,
}

fn entry_finding(code: &str, index: usize, field: &str, message: String) -> Finding {
    Finding::error(code, format!("files[{index}].{field}"), message)
}
