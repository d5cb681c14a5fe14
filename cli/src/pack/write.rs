//! Writing a package.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use crate::error::{Exit, Failure};

/// Writes a file in one step: whatever fails leaves what was there. Something that is there is kept, unless `force` is given.
pub(crate) fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), Failure> {
    let placed = fill(beside(path), bytes).and_then(|file| {
        let placed = if force { file.persist(path) } else { file.persist_noclobber(path) };
        placed.map_err(|fault| fault.error)
    });
    placed.map(drop).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists => Failure::new(Exit::Conflict, "conflict", format!("{} is there", path.display()))
            .hint("name another file with `-o`, or overwrite it with `--force`"),
        _ => Failure::io("write", path, &e),
    })
}

/// The folder that a file is in.
pub(crate) fn beside(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn fill(folder: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = builder().tempfile_in(folder)?;
    file.write_all(bytes)?;
    Ok(file)
}

fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".skillhub-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any file; the user's mask is taken off.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}
