//! Whether a package is what its manifest says. The validator and every installer run this same code.

use skillhub_protocol::{FileEntry, Finding, Manifest, text};

use crate::contents::{Contents, PackageFile};
use crate::findings::{finish, quote};
use crate::skill_md::SkillMd;

/// Demands that the files are exactly those of the manifest, with the same sizes and digests.
///
/// # Errors
/// A `manifest_mismatch` for each difference, at `manifest.files[i].sha256`, `.sizeBytes` or `.path`, or at `manifest.files` for
/// a file that the manifest does not list; sorted, at most 50.
pub fn verify(contents: &Contents, manifest: &Manifest) -> Result<(), Vec<Finding>> {
    let mut findings = Vec::new();
    for (i, declared) in manifest.files().iter().enumerate() {
        match contents.get(declared.path.as_str()) {
            Some(file) => findings.extend(difference(i, declared, file)),
            None => findings.push(missing(i, declared)),
        }
    }
    findings.extend(contents.files().iter().filter(|file| !lists(manifest, file)).map(extra));
    if findings.is_empty() { Ok(()) } else { Err(finish(findings)) }
}

/// Demands that the manifest names and describes the skill as its `SKILL.md` does.
///
/// # Errors
/// `name_mismatch` at `manifest.name`, `description_mismatch` at `manifest.description`.
pub fn verify_skill_md(skill_md: &SkillMd, manifest: &Manifest) -> Result<(), Vec<Finding>> {
    let differ = |field: &str, declared: &str, found: &str| {
        (declared != found).then(|| {
            let message = format!("must be {}, as SKILL.md says, not {}", quote(found), quote(declared));
            Finding::error(&format!("{field}_mismatch"), format!("manifest.{field}"), message)
        })
    };
    let name = differ("name", manifest.name.as_str(), skill_md.name.as_str());
    let description = differ("description", manifest.description.as_str(), skill_md.description.as_str());
    let findings: Vec<_> = name.into_iter().chain(description).collect();
    if findings.is_empty() { Ok(()) } else { Err(finish(findings)) }
}

fn lists(manifest: &Manifest, file: &PackageFile) -> bool {
    let path = file.path().as_str();
    manifest.files().binary_search_by(|declared| text::cmp_utf16(declared.path.as_str(), path)).is_ok()
}

fn difference(i: usize, declared: &FileEntry, file: &PackageFile) -> Option<Finding> {
    let path = quote(declared.path.as_str());
    if declared.size_bytes != file.size_bytes() {
        let message = format!("{path} must have {} bytes, it has {}", declared.size_bytes, file.size_bytes());
        return Some(mismatch(format!("manifest.files[{i}].sizeBytes"), message));
    }
    if declared.sha256 != file.sha256() {
        let message = format!("{path} must have the digest {}, it has {}", declared.sha256, file.sha256());
        return Some(mismatch(format!("manifest.files[{i}].sha256"), message));
    }
    None
}

fn missing(i: usize, declared: &FileEntry) -> Finding {
    let message = format!("{} is not in the package", quote(declared.path.as_str()));
    mismatch(format!("manifest.files[{i}].path"), message)
}

fn extra(file: &PackageFile) -> Finding {
    let message = format!("the package also holds {}, which the manifest does not list", quote(file.path().as_str()));
    mismatch("manifest.files".to_owned(), message)
}

fn mismatch(path: String, message: String) -> Finding {
    Finding::error("manifest_mismatch", path, message)
}
