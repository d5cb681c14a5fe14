//! Places where tests end the process, as a power cut would, or interrupt it, as a person would. Only test builds have them.

/// Ends the process here if `SKILLHUB_FAIL_POINT` names this place; interrupts it if `SKILLHUB_INTERRUPT_POINT` does.
#[cfg(feature = "fail-points")]
pub(crate) fn fail_point(name: &str) {
    use rustix::process::{Signal, getpid, kill_process};
    let is_here = |variable: &str| std::env::var_os(variable).is_some_and(|chosen| chosen == name);
    if is_here("SKILLHUB_FAIL_POINT") {
        let _ = kill_process(getpid(), Signal::KILL);
    }
    if is_here("SKILLHUB_INTERRUPT_POINT") {
        let _ = kill_process(getpid(), Signal::INT);
        // The handler ends the process.
        loop {
            std::thread::park();
        }
    }
}

#[cfg(not(feature = "fail-points"))]
#[inline]
pub(crate) fn fail_point(_: &str) {}
