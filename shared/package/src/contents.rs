//! What a package holds.

use std::fmt;

use skillhub_protocol::{
    Error, FileEntry, Finding, Manifest, PackagePath, Sha256, SkillName, Slug, Summary, Version, text,
};

use crate::digest::sha256;

/// The files of a package: regular files only, every path legal, each once (also to a file system that ignores case), in the
/// order of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    files: Vec<PackageFile>,
}

/// One file of a package.
#[derive(Clone)]
pub struct PackageFile {
    /// The index in the source, which findings name.
    pub(crate) index: usize,
    path: PackagePath,
    data: Vec<u8>,
    sha256: Sha256,
}

impl Contents {
    /// Files whose paths have been found to be unique.
    pub(crate) fn from_unique(mut files: Vec<PackageFile>) -> Self {
        files.sort_by(|a, b| text::cmp_utf16(a.path.as_str(), b.path.as_str()));
        Self { files }
    }

    /// The files, in ascending order of the UTF-16 units of their paths.
    pub fn files(&self) -> &[PackageFile] {
        &self.files
    }

    /// The file with this path.
    pub fn get(&self, path: &str) -> Option<&PackageFile> {
        let found = self.files.binary_search_by(|file| text::cmp_utf16(file.path.as_str(), path));
        self.files.get(found.ok()?)
    }

    /// The manifest that describes these files, recomputed from their bytes.
    ///
    /// # Errors
    /// If there is no `SKILL.md` at the root, or it is empty.
    pub fn manifest(
        &self,
        slug: Slug,
        name: SkillName,
        description: Summary,
        version: Version,
    ) -> Result<Manifest, Error> {
        Manifest::new(slug, name, description, version, self.files.iter().map(PackageFile::entry).collect())
    }
}

impl PackageFile {
    pub(crate) fn new(index: usize, path: PackagePath, data: Vec<u8>) -> Self {
        let sha256 = sha256(&data);
        Self { index, path, data, sha256 }
    }

    /// The path in the package.
    pub fn path(&self) -> &PackagePath {
        &self.path
    }

    /// The bytes.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The size in bytes.
    pub fn size_bytes(&self) -> u64 {
        u64::try_from(self.data.len()).unwrap_or(u64::MAX)
    }

    /// The digest of the bytes.
    pub fn sha256(&self) -> Sha256 {
        self.sha256
    }

    /// Whether the file is a script that may be run: its bytes begin with `#!`. Modes of archives don't matter.
    pub fn is_executable(&self) -> bool {
        self.data.starts_with(b"#!")
    }

    /// What a manifest says of this file.
    pub fn entry(&self) -> FileEntry {
        FileEntry { path: self.path.clone(), size_bytes: self.size_bytes(), sha256: self.sha256 }
    }

    /// A finding inside this file, which names it by path.
    pub(crate) fn finding(&self, code: &str, message: impl Into<String>) -> Finding {
        Finding::warning(code, self.path.as_str(), message)
    }
}

/// Without the bytes, which are many and may be private.
impl fmt::Debug for PackageFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ({} bytes, {})", self.path, self.data.len(), self.sha256)
    }
}

/// Equal if path and bytes are: where a file came from does not count.
impl PartialEq for PackageFile {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.sha256 == other.sha256 && self.data == other.data
    }
}

impl Eq for PackageFile {}
