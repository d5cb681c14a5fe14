//! Reading and replacing the file that agents read.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::error::{Exit, Failure};
use crate::pack::{beside, write as create};

/// The text of the file, if there is one.
pub(super) fn read(path: &Path) -> Result<Option<String>, Failure> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::io("read", path, &error)),
    };
    if metadata.is_symlink() {
        return Err(link(path));
    }
    if !metadata.is_file() {
        return Err(Failure::io("read", path, &"it is no file"));
    }
    fs::read_to_string(path).map(Some).map_err(|e| Failure::io("read", path, &e))
}

/// A project may come from anybody, so a link in it must not decide which file is written.
fn link(path: &Path) -> Failure {
    let failure = Failure::new(Exit::Conflict, "conflict", format!("{} is a link", path.display()));
    match fs::canonicalize(path) {
        Ok(target) => failure.hint(format!("if it is meant, name its target: `--file {}`", target.display())),
        Err(_) => failure.hint("remove the link, or name another file with `--file`"),
    }
}

/// Writes the file in one step: whatever fails leaves what was there. A file that is replaced keeps its mode.
pub(super) fn write(path: &Path, text: &str, is_there: bool) -> Result<(), Failure> {
    if is_there {
        return replace(path, text).map_err(|e| Failure::io("write", path, &e));
    }
    create(path, text.as_bytes(), false).map_err(|failure| match failure.exit() {
        Exit::Conflict => failure.hint("it was made in the meantime: sync again"),
        _ => failure,
    })
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut file = NamedTempFile::with_prefix_in(".skillhub-", beside(path))?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs::metadata(path)?.permissions())?;
    file.persist(path)?;
    Ok(())
}
