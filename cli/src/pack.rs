//! From a folder or a ZIP on disk to the files of a package.

mod find;
mod walk;

use std::fs;
use std::path::Path;

use skillhub_package::pack::{LeftOut, Packed, from_files, from_zip};
use skillhub_package::{Contents, Limits};
use skillhub_protocol::Finding;

pub(crate) use find::find_skills;

use crate::error::Failure;

/// What a source holds, and what of it is not published.
pub(crate) struct Source {
    pub(crate) contents: Contents,
    pub(crate) left_out: Vec<LeftOut>,
}

/// Packs a folder or a ZIP.
pub(crate) fn pack(path: &Path) -> Result<Source, Failure> {
    let metadata = fs::metadata(path).map_err(|e| Failure::io("read", path, &e).hint("name a folder or a ZIP"))?;
    let packed = if metadata.is_dir() { pack_folder(path) } else { pack_zip(path, metadata.len()) }?;
    Ok(packed)
}

fn pack_folder(dir: &Path) -> Result<Source, Failure> {
    let walked = walk::walk(dir)?;
    if !walked.findings.is_empty() {
        return Err(refused(dir, walked.findings));
    }
    let Packed { contents, mut left_out } = from_files(walked.files).map_err(|findings| refused(dir, findings))?;
    left_out.splice(0..0, walked.left_out);
    left_out.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Source { contents, left_out })
}

fn pack_zip(path: &Path, bytes: u64) -> Result<Source, Failure> {
    let limits = Limits::default();
    if bytes > limits.archive_bytes {
        let message = format!("the archive has {bytes} bytes, at most {} are allowed", limits.archive_bytes);
        return Err(refused(path, vec![Finding::error("package_too_large", "archive", message)]));
    }
    let archive = fs::read(path).map_err(|e| Failure::io("read", path, &e))?;
    let Packed { contents, left_out } = from_zip(&archive, &limits).map_err(|findings| refused(path, findings))?;
    Ok(Source { contents, left_out })
}

fn refused(path: &Path, findings: Vec<Finding>) -> Failure {
    Failure::refused(format!("{} cannot be published", path.display()), findings)
}
