//! Packages to publish.

use std::io::{Cursor, Write};
use std::path::Path;

use serde_json::{Value, json};
use skillhub_package::sha256;
use zip::write::SimpleFileOptions;

/// A skill of a few files.
#[derive(Debug, Clone)]
pub struct Skill {
    /// Its name and slug.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its files in manifest order.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Skill {
    /// A good one, whose content depends on `seed`.
    pub fn new(name: &str, seed: &str) -> Self {
        let skill_md = format!("---\nname: {name}\ndescription: Says {seed} when asked.\n---\n\n# {name}\n\n{seed}\n");
        let script = format!("#!/bin/sh\necho {seed}\n");
        let files = [
            ("SKILL.md", skill_md),
            ("references/notes.md", format!("# Notes\n\n{seed}\n")),
            ("scripts/say.sh", script),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.into_bytes())).into();
        Self { name: name.to_owned(), version: String::from("1.0.0"), files }
    }

    /// The same under another version number.
    pub fn version(mut self, version: &str) -> Self {
        self.version = version.to_owned();
        self
    }

    /// The manifest of its files as they are.
    ///
    /// # Panics
    /// If it has no file.
    pub fn manifest(&self) -> Value {
        let skill_md = String::from_utf8_lossy(&self.files[0].1).into_owned();
        let description = skill_md.lines().find_map(|line| line.strip_prefix("description: ")).unwrap_or("none");
        let file = |(path, data): &(String, Vec<u8>)| json!({ "path": path, "sizeBytes": data.len(), "sha256": sha256(data).to_string() });
        json!({
            "schemaVersion": 1,
            "slug": self.name,
            "name": self.name,
            "description": description,
            "version": self.version,
            "files": self.files.iter().map(file).collect::<Vec<_>>(),
        })
    }

    /// An ordinary ZIP of its files.
    pub fn archive(&self) -> Vec<u8> {
        archive_of(&self.files)
    }

    /// Writes it as a folder of its name below `dir`.
    ///
    /// # Panics
    /// If that fails.
    pub fn write_below(&self, dir: &Path) {
        for (path, data) in &self.files {
            let path = dir.join(&self.name).join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, data).unwrap();
        }
    }

    /// The request that opens its upload to `@global`.
    pub fn request(&self) -> Value {
        open_request(&self.manifest(), &self.archive())
    }
}

/// A ZIP of these entries, without any check of their names.
///
/// # Panics
/// If they are more than a ZIP can hold.
pub fn archive_of(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, data) in files {
        zip.start_file(path.as_str(), SimpleFileOptions::default()).unwrap();
        zip.write_all(data).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The request that opens an upload of `archive` to `@global`, with this manifest.
pub fn open_request(manifest: &Value, archive: &[u8]) -> Value {
    json!({
        "namespace": "@global",
        "package": { "sizeBytes": archive.len(), "sha256": sha256(archive).to_string() },
        "manifest": manifest,
    })
}
