//! Places where a test lets the process die, as a crash would. They are compiled into debug builds with the feature
//! `fail-points` alone, which only the tests enable; everywhere else they are nothing.

/// Ends the process by SIGKILL if the environment variable `SKILLHUB_FAIL_POINT` names this place, or `place#n` for the `n`th
/// time that it is passed.
#[cfg(all(feature = "fail-points", debug_assertions))]
pub fn fail_point(place: &str) {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    static CHOSEN: LazyLock<Option<(String, u32)>> = LazyLock::new(|| {
        let text = std::env::var("SKILLHUB_FAIL_POINT").ok()?;
        match text.split_once('#') {
            Some((place, n)) => Some((place.to_owned(), n.parse().ok()?)),
            None => Some((text, 1)),
        }
    });
    static PASSED: AtomicU32 = AtomicU32::new(0);
    if let Some((_, n)) = CHOSEN.as_ref().filter(|(chosen, _)| chosen == place)
        && PASSED.fetch_add(1, Ordering::SeqCst) + 1 == *n
    {
        die();
    }
}

#[cfg(all(feature = "fail-points", debug_assertions))]
fn die() -> ! {
    let pid = std::process::id().to_string();
    // Nothing is flushed, dropped or answered.
    let _killing = std::process::Command::new("kill").args(["-KILL", &pid]).status();
    loop {
        std::thread::park();
    }
}

/// Nothing.
#[cfg(not(all(feature = "fail-points", debug_assertions)))]
#[inline(always)]
pub fn fail_point(_place: &str) {}
