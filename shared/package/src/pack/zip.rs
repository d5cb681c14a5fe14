//! From a ZIP as people make them: Finder's, with a folder around everything, streamed, with names in whatever encoding.

use std::io::{Cursor, Read};

use skillhub_protocol::Finding;
use zip::ZipArchive;
use zip::result::ZipError;

use super::files::Packer;
use super::{LeftOut, Packed, Reason, entry_finding, left_out_reason};
use crate::findings::{finish, quote};
use crate::limits::Limits;
use crate::skill_md::SKILL_MD;

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// Packs an ordinary ZIP. The folder of the uppermost `SKILL.md` becomes the root; files outside of it are left out, and so is
/// what does not belong in a package. At most `limits.unpacked_bytes` and one byte are inflated, whatever the archive declares;
/// `limits.archive_bytes` does not matter, since the archive is packed again.
///
/// # Errors
/// If the archive cannot be read, holds links or other special files, breaks a limit, or has several uppermost `SKILL.md`. All
/// findings of paths are reported at once; `files[i]` counts in the directory of the archive.
pub fn from_zip(archive: &[u8], limits: &Limits) -> Result<Packed, Vec<Finding>> {
    read(archive, limits).map_err(|fault| vec![fault])?.finish()
}

/// The files of an archive, on the way to a package.
struct Reading {
    packer: Packer,
    left_out: Vec<LeftOut>,
}

impl Reading {
    fn finish(self) -> Result<Packed, Vec<Finding>> {
        self.packer.finish(self.left_out).map_err(finish)
    }
}

/// One file of an archive.
struct Member {
    index: usize,
    path: String,
    mode: u32,
    encrypted: bool,
}

fn read(bytes: &[u8], limits: &Limits) -> Result<Reading, Finding> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| unreadable(&e))?;
    if archive.has_duplicate_names() {
        return Err(Finding::error("path_collision", "archive", "the archive holds two entries of the same name"));
    }
    let (members, mut left_out) = members(&mut archive)?;
    let root = root(&members)?;
    let mut packer = Packer::default();
    let mut budget = Budget { left: limits.unpacked_bytes, limits };
    for member in members {
        let Some(path) = member.path.strip_prefix(&root) else {
            left_out.push(LeftOut { path: member.path, reason: Reason::OutsideSkill });
            continue;
        };
        refuse_special(&member)?;
        let data = budget.read(&mut archive, &member)?;
        packer.add(member.index, path.to_owned(), data);
    }
    Ok(Reading { packer, left_out })
}

/// The files that belong in a package, and those that don't.
fn members(archive: &mut Archive<'_>) -> Result<(Vec<Member>, Vec<LeftOut>), Finding> {
    let (mut members, mut left_out) = (Vec::new(), Vec::new());
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(|e| broken(index, "path", &e))?;
        let decoded = match std::str::from_utf8(file.name_raw()) {
            Ok(name) => name.to_owned(),
            Err(_) => file.name().map_err(|e| broken(index, "path", &e))?.into_owned(),
        };
        let path = decoded.replace('\\', "/");
        if path.ends_with('/') {
            continue;
        }
        if let Some(reason) = left_out_reason(&path) {
            left_out.push(LeftOut { path, reason });
        } else {
            members.push(Member { index, path, mode: file.unix_mode().unwrap_or(0), encrypted: file.encrypted() });
        }
    }
    Ok((members, left_out))
}

/// The folder that becomes the root, with its slash: that of the uppermost `SKILL.md`, else the one folder around everything.
fn root(members: &[Member]) -> Result<String, Finding> {
    let folder = |member: &Member| member.path.strip_suffix(SKILL_MD).map(str::to_owned);
    let mut folders: Vec<String> =
        members.iter().filter_map(folder).filter(|f| f.is_empty() || f.ends_with('/')).collect();
    let depth = |folder: &String| folder.matches('/').count();
    let Some(uppermost) = folders.iter().map(depth).min() else {
        return Ok(wrapper(members));
    };
    folders.retain(|folder| depth(folder) == uppermost);
    match folders.as_slice() {
        [root] => Ok(root.clone()),
        several => {
            let names: Vec<_> = several.iter().take(5).map(|folder| quote(&format!("{folder}{SKILL_MD}"))).collect();
            let message = format!("the archive holds {} skills: {}", several.len(), names.join(", "));
            Err(Finding::error("skill_md_missing", "archive", message).hint("pack each of these folders by itself"))
        }
    }
}

fn wrapper(members: &[Member]) -> String {
    let first = members.first().and_then(|member| member.path.split_once('/'));
    let wrapper = first.map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
    let around_all = members.iter().all(|member| member.path.starts_with(&wrapper));
    if around_all && !matches!(wrapper.as_str(), "/" | "./" | "../") { wrapper } else { String::new() }
}

fn refuse_special(member: &Member) -> Result<(), Finding> {
    if member.encrypted {
        let message = format!("{} is encrypted", quote(&member.path));
        return Err(entry_finding("zip_encrypted", member.index, "method", message));
    }
    let kind = match member.mode & 0o170_000 {
        0 | 0o100_000 => return Ok(()),
        0o120_000 => "a symbolic link",
        _ => "no regular file",
    };
    let message = format!("{} is {kind}", quote(&member.path));
    let finding = entry_finding("not_regular_file", member.index, "mode", message);
    Err(finding.hint("replace it by a copy of the file that it points to"))
}

/// How much may still be inflated.
struct Budget<'a> {
    left: u64,
    limits: &'a Limits,
}

impl Budget<'_> {
    fn read(&mut self, archive: &mut Archive<'_>, member: &Member) -> Result<Vec<u8>, Finding> {
        let fault = |e: &dyn std::fmt::Display| broken(member.index, "sha256", e);
        let file = archive.by_index(member.index).map_err(|e| match e {
            ZipError::CompressionMethodNotSupported(_) => broken(member.index, "method", &e),
            other => fault(&other),
        })?;
        let allowed = self.left.min(self.limits.file_bytes);
        let mut data = Vec::new();
        file.take(allowed.saturating_add(1)).read_to_end(&mut data).map_err(|e| fault(&e))?;
        let bytes = u64::try_from(data.len()).unwrap_or(u64::MAX);
        if bytes > allowed {
            return Err(self.too_large(member));
        }
        self.left = self.left.saturating_sub(bytes);
        Ok(data)
    }

    fn too_large(&self, member: &Member) -> Finding {
        let Limits { unpacked_bytes, file_bytes, .. } = self.limits;
        if self.left < *file_bytes {
            let message = format!("the files have more than {unpacked_bytes} bytes together, the most that is allowed");
            return Finding::error("package_too_large", "archive", message);
        }
        let message = format!("{} has more than {file_bytes} bytes, the most that is allowed", quote(&member.path));
        entry_finding("file_too_large", member.index, "size", message)
    }
}

fn unreadable(error: &ZipError) -> Finding {
    Finding::error("zip_framing", "archive", format!("this is no ZIP that can be read: {error}"))
}

fn broken(index: usize, field: &str, error: &dyn std::fmt::Display) -> Finding {
    let code = if field == "method" { "zip_method" } else { "zip_data" };
    entry_finding(code, index, field, format!("the entry cannot be read: {error}"))
}
