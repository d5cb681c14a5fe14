//! Places where tests end the process, as a power cut would.

/// Ends the process here if `SKILLHUB_FAIL_POINT` names this place. Only test builds have it.
#[cfg(feature = "fail-points")]
pub(crate) fn fail_point(name: &str) {
    if std::env::var_os("SKILLHUB_FAIL_POINT").is_some_and(|chosen| chosen == name) {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

#[cfg(not(feature = "fail-points"))]
#[inline]
pub(crate) fn fail_point(_: &str) {}
