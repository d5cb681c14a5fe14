//! From a folder or a ZIP on disk to the files of a package.

mod find;
mod walk;
mod write;

use std::fs;
use std::path::{Path, PathBuf};

use skillhub_package::pack::{LeftOut, Packed, from_files, from_zip};
use skillhub_package::{Contents, Limits};
use skillhub_protocol::Finding;

pub(crate) use find::find_skills;
pub(crate) use write::{beside, write};

use crate::error::Failure;

/// What a source holds, and what of it is not published.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) contents: Contents,
    pub(crate) left_out: Vec<LeftOut>,
}

/// Packs a folder or a ZIP.
pub(crate) fn pack(path: &Path) -> Result<Source, Failure> {
    let metadata = fs::metadata(path).map_err(|e| Failure::io("read", path, &e).hint("name a folder or a ZIP"))?;
    let Packed { contents, left_out } =
        if metadata.is_dir() { pack_folder(path) } else { pack_zip(path, metadata.len()) }?;
    Ok(Source { path: path.to_owned(), contents, left_out })
}

fn pack_folder(dir: &Path) -> Result<Packed, Failure> {
    let walked = walk::walk(dir)?;
    if !walked.findings.is_empty() {
        return Err(refused(dir, walked.findings));
    }
    let mut packed = from_files(walked.files).map_err(|findings| refused(dir, findings))?;
    packed.left_out.extend(walked.left_out);
    packed.left_out.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(packed)
}

fn pack_zip(path: &Path, bytes: u64) -> Result<Packed, Failure> {
    let limits = Limits::default();
    if bytes > limits.archive_bytes {
        let message = format!("the archive has {bytes} bytes, at most {} are allowed", limits.archive_bytes);
        return Err(refused(path, vec![Finding::error("package_too_large", "archive", message)]));
    }
    let archive = fs::read(path).map_err(|e| Failure::io("read", path, &e))?;
    from_zip(&archive, &limits).map_err(|findings| refused(path, findings))
}

fn refused(path: &Path, findings: Vec<Finding>) -> Failure {
    Failure::refused(format!("{} cannot be published", path.display()), findings)
}
