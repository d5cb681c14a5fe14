//! What Ctrl-C leaves behind: nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// As shells have it for an interrupt.
const INTERRUPTED: i32 = 130;

/// What to take away.
static STAGING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Held while a new copy takes the place of an old one.
static COMMIT: Mutex<()> = Mutex::new(());
static HANDLER: Once = Once::new();

/// From now on an interrupt takes staged files away; it waits for a change that is under way.
pub(super) fn handle() {
    HANDLER.call_once(|| {
        // Without a handler, the next installation cleans up.
        let _ = ctrlc::set_handler(|| {
            let _commit = commit();
            let staging = staging();
            staging.iter().for_each(|path| drop(fs::remove_dir_all(path).or_else(|_| fs::remove_file(path))));
            exit(INTERRUPTED)
        });
    });
}

/// No interrupt ends the process while this is held.
pub(super) fn commit() -> MutexGuard<'static, ()> {
    COMMIT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a folder or a file that an interrupt takes away.
pub(super) fn stage<T: AsRef<Path>>(make: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    let mut staging = staging();
    let made = make()?;
    staging.push(made.as_ref().to_owned());
    Ok(made)
}

/// From now on an interrupt leaves it alone.
pub(super) fn unstage(path: &Path) {
    staging().retain(|staged| staged != path);
}

fn staging() -> MutexGuard<'static, Vec<PathBuf>> {
    STAGING.lock().unwrap_or_else(PoisonError::into_inner)
}
