//! Progress bars.

use std::io::Read;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on a terminal, nothing elsewhere; it disappears when it is dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    pub(super) fn bytes(label: &str) -> Self {
        Self::styled(label, 0, "{msg} [{bar:30}] {bytes}/{total_bytes}")
    }

    pub(super) fn items(label: &str, items: u64) -> Self {
        Self::styled(label, items, "{msg} [{bar:30}] {pos}/{len}")
    }

    fn styled(label: &str, len: u64, template: &str) -> Self {
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(ProgressBar::new(len).with_style(style.progress_chars("=> ")).with_message(label.to_owned()))
    }

    /// A reader of `bytes`, counted by the bar from its beginning.
    pub(crate) fn read<R: Read>(&self, reader: R, bytes: u64) -> impl Read + use<R> {
        self.0.set_length(bytes);
        self.0.set_position(0);
        self.0.wrap_read(reader)
    }

    /// One item is done.
    pub(crate) fn advance(&self) {
        self.0.inc(1);
    }

    /// Runs `print` with the bar out of the way.
    pub(crate) fn aside(&self, print: impl FnOnce()) {
        self.0.suspend(print);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
