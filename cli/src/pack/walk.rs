//! Reading the files of a skill's folder.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, Walk, WalkBuilder};
use skillhub_package::Limits;
use skillhub_package::pack::{LeftOut, SourceFile, left_out_reason};
use skillhub_protocol::{Finding, Manifest};

use crate::error::Failure;

/// Ignore rules of our own, in the syntax of `.gitignore`.
const IGNORE_FILE: &str = ".skillhubignore";
/// More is read by mistake only, such as of a whole home folder.
const MAX_BYTES: u64 = 64 << 20;

/// What a folder holds: files to pack, what is left out before packing, and what keeps the folder from being published.
#[derive(Default)]
pub(super) struct Walked {
    pub(super) files: Vec<SourceFile>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) findings: Vec<Finding>,
    bytes: u64,
}

/// Walks a folder in order of names. Ignored files are passed over; no link is followed, and one that would be published is a
/// finding.
pub(super) fn walk(dir: &Path) -> Result<Walked, Failure> {
    let mut walked = Walked::default();
    for entry in entries(dir) {
        let entry = entry.map_err(|e| Failure::io("read", dir, &e))?;
        if entry.depth() > 0 {
            walked.add(dir, &entry)?;
        }
        if walked.bytes > MAX_BYTES {
            let message = format!("the folder holds more than {MAX_BYTES} bytes");
            walked.findings.push(Finding::error("package_too_large", "archive", message));
            break;
        }
    }
    walked.explain_missing_skill_md(dir);
    Ok(walked)
}

/// The entries of a folder that ignore rules let through, in order. A folder that is not packed comes without what is in it.
pub(super) fn entries(dir: &Path) -> Walk {
    // Inside a repository its rules hold as Git has them. Elsewhere the folder alone decides, not what happens to be above it.
    let in_repository = dir.canonicalize().is_ok_and(|dir| dir.ancestors().any(|above| above.join(".git").exists()));
    let mut builder = WalkBuilder::new(dir);
    builder.standard_filters(false).git_ignore(true).add_custom_ignore_filename(IGNORE_FILE);
    builder.parents(in_repository).require_git(in_repository);
    builder.follow_links(false).sort_by_file_name(std::ffi::OsStr::cmp);
    builder.filter_entry(|entry| entry.depth() < 2 || !entry.path().parent().is_some_and(is_left_out));
    builder.build()
}

fn is_left_out(path: &Path) -> bool {
    path.file_name().is_some_and(|name| left_out_reason(&name.to_string_lossy()).is_some())
}

impl Walked {
    fn add(&mut self, dir: &Path, entry: &DirEntry) -> Result<(), Failure> {
        let relative = entry.path().strip_prefix(dir).unwrap_or(entry.path());
        let Some(name) = slashed(relative) else {
            let message = format!("{} is not UTF-8: rename the file", relative.display());
            self.findings.push(Finding::error("path_not_utf8", relative.to_string_lossy(), message));
            return Ok(());
        };
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        // Asked before the file is read, which may be large, or a link.
        if let Some(reason) = left_out_reason(&name) {
            let path = if is_dir { format!("{name}/") } else { name };
            self.left_out.push(LeftOut { path, reason });
            return Ok(());
        }
        if is_dir { Ok(()) } else { self.add_file(entry, name) }
    }

    fn add_file(&mut self, entry: &DirEntry, name: String) -> Result<(), Failure> {
        let path = entry.path();
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            let what = if entry.path_is_symlink() { "a link" } else { "no regular file" };
            let finding =
                Finding::error("not_regular_file", name.clone(), format!("is {what}, which is never followed"));
            let hint =
                format!("put the file itself in its place, or leave it out with a line `/{name}` in {IGNORE_FILE}");
            self.findings.push(finding.hint(hint));
            return Ok(());
        }
        let size = fs::symlink_metadata(path).map_err(|e| Failure::io("read", path, &e))?.len();
        let limit = Limits::default().file_bytes;
        if size > limit {
            let message = format!("has {size} bytes, at most {limit} are allowed");
            let hint = format!("make it smaller, or leave it out with a line `/{name}` in {IGNORE_FILE}");
            self.findings.push(Finding::error("file_too_large", name, message).hint(hint));
            return Ok(());
        }
        let data = fs::read(path).map_err(|e| Failure::io("read", path, &e))?;
        self.bytes = self.bytes.saturating_add(size);
        self.files.push(SourceFile { path: name, data });
        Ok(())
    }

    fn explain_missing_skill_md(&mut self, dir: &Path) {
        let has = |name: &str| self.files.iter().any(|file| file.path == name);
        let named = |name: &str| self.findings.iter().any(|finding| finding.path == name);
        if !has(Manifest::SKILL_MD) && !named(Manifest::SKILL_MD) && dir.join(Manifest::SKILL_MD).exists() {
            let finding = Finding::error("skill_md_missing", Manifest::SKILL_MD, "an ignore rule leaves SKILL.md out");
            self.findings.push(finding.hint(format!("add a line `!/SKILL.md` to {IGNORE_FILE} in the folder")));
        }
    }
}

/// The relative path with `/` between its segments; `None` if it is not UTF-8.
fn slashed(path: &Path) -> Option<String> {
    let segments: Option<Vec<&str>> = path.iter().map(std::ffi::OsStr::to_str).collect();
    Some(segments?.join("/"))
}

/// The folder of `path`, for a file that is known to have one.
pub(super) fn folder_of(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}
