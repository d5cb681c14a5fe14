//! What a package holds, and what the checks warn of, told on the way.

use std::path::Path;

use skillhub_package::pack::LeftOut;
use skillhub_package::{Contents, PackageFile};
use skillhub_protocol::Finding;

use crate::output::{Output, finding_lines};

pub(super) fn show_size(output: &Output, source: &Path, contents: &Contents) {
    let files = contents.files();
    let bytes: u64 = files.iter().map(PackageFile::size_bytes).sum();
    output.note(format!("{}: {}, {bytes} bytes", source.display(), counted(files.len(), "file")));
}

pub(super) fn show_files(output: &Output, source: &Path, contents: &Contents) {
    show_size(output, source, contents);
    for file in contents.files() {
        output.note(format!("  {:>9}  {}", file.size_bytes(), file.path()));
    }
}

pub(super) fn show_left_out(output: &Output, left_out: &[LeftOut]) {
    for left_out in left_out {
        output.note(format!("   left out  {} ({})", left_out.path, left_out.reason));
    }
}

pub(super) fn print_warnings(output: &Output, warnings: &[Finding]) {
    for lines in warnings.iter().map(finding_lines) {
        output.warning_lines(&lines);
    }
}

/// So many of what has this name: `1 skill`, `2 skills`.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
