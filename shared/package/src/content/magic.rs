//! Whether the first bytes of a file contradict its extension.

use skillhub_protocol::Finding;

use crate::contents::PackageFile;
use crate::findings::quote;

/// What a file is by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Image(&'static str),
    Pdf,
    Font,
    Executable(&'static str),
    Archive(&'static str),
    Script,
}

/// Types whose bytes are no text.
const BINARY: [&str; 7] = ["png", "jpg", "jpeg", "gif", "webp", "pdf", "ttf"];
/// Types that are text, so that no program or archive can have them.
const TEXT: [&str; 23] = [
    "md", "txt", "json", "yaml", "yml", "js", "cjs", "mjs", "ts", "py", "sh", "svg", "html", "css", "csv", "xml",
    "xsd", "toml", "jsx", "tsx", "rs", "go", "sql",
];
/// How far into a file its PDF header may be.
const PDF_WINDOW: usize = 1024;

/// Whether a file of this name is not text, and so not scanned as text.
pub(super) fn is_binary_type(path: &str) -> bool {
    has_extension(path, &BINARY)
}

pub(super) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Whether a file of this name must be text: by its extension, or because it is one of the names that need none.
fn is_text_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    has_extension(path, &TEXT) || !name.contains('.') || name.starts_with("Dockerfile.")
}

pub(crate) fn check(file: &PackageFile) -> Option<Finding> {
    let path = file.path().as_str();
    let found = kind(file.data());
    let claimed = if let Some(claimed) = claimed(path) {
        claimed
    } else {
        let foreign = found.filter(|kind| matches!(kind, Kind::Executable(_) | Kind::Archive(_)));
        return foreign.filter(|_| is_text_name(path)).map(|kind| refuse(file, Some(kind)));
    };
    match found {
        Some(found) if found == claimed => None,
        // A picture under the name of another kind of picture is a common slip, and shows all the same.
        Some(Kind::Image(found)) if matches!(claimed, Kind::Image(_)) => {
            let message = format!("the content of {} is {found}, which its name does not say", quote(path));
            Some(Finding::warning("file_content", at(file), message).hint("rename the file"))
        }
        found => Some(refuse(file, found)),
    }
}

fn refuse(file: &PackageFile, found: Option<Kind>) -> Finding {
    let what = match found {
        Some(Kind::Image(name) | Kind::Executable(name) | Kind::Archive(name)) => name,
        Some(Kind::Pdf) => "PDF",
        Some(Kind::Font) => "a font",
        Some(Kind::Script) => "a script",
        None => "something else",
    };
    let message = format!("the content of {} is {what}, which its name does not say", quote(file.path().as_str()));
    let finding = Finding::error("file_content", at(file), message);
    if file.data().starts_with(b"version https://git-lfs") {
        return finding.hint("this is a pointer of Git LFS: fetch the file with `git lfs pull`");
    }
    finding
}

fn at(file: &PackageFile) -> String {
    format!("files[{}].content", file.index)
}

fn claimed(path: &str) -> Option<Kind> {
    let extensions: [(&[&str], Kind); 6] = [
        (&["png"], Kind::Image("PNG")),
        (&["jpg", "jpeg"], Kind::Image("JPEG")),
        (&["gif"], Kind::Image("GIF")),
        (&["webp"], Kind::Image("WebP")),
        (&["pdf"], Kind::Pdf),
        (&["ttf"], Kind::Font),
    ];
    extensions.into_iter().find(|(names, _)| has_extension(path, names)).map(|(_, kind)| kind)
}

fn kind(data: &[u8]) -> Option<Kind> {
    const STARTS: [(&[u8], Kind); 21] = [
        (b"\x89PNG\r\n\x1a\n", Kind::Image("PNG")),
        (b"\xff\xd8\xff", Kind::Image("JPEG")),
        (b"GIF87a", Kind::Image("GIF")),
        (b"GIF89a", Kind::Image("GIF")),
        (b"\0\x01\0\0", Kind::Font),
        (b"OTTO", Kind::Font),
        (b"true\0", Kind::Font),
        (b"ttcf", Kind::Font),
        (b"\x7fELF", Kind::Executable("an ELF program")),
        (b"\xfe\xed\xfa\xce", Kind::Executable("a Mach-O program")),
        (b"\xfe\xed\xfa\xcf", Kind::Executable("a Mach-O program")),
        (b"\xce\xfa\xed\xfe", Kind::Executable("a Mach-O program")),
        (b"\xcf\xfa\xed\xfe", Kind::Executable("a Mach-O program")),
        (b"\xca\xfe\xba\xbe", Kind::Executable("a Mach-O or Java program")),
        (b"\0asm", Kind::Executable("a WebAssembly program")),
        (b"#!", Kind::Script),
        (b"PK\x03\x04", Kind::Archive("a ZIP archive")),
        (b"\x1f\x8b\x08", Kind::Archive("a gzip archive")),
        (b"7z\xbc\xaf\x27\x1c", Kind::Archive("a 7z archive")),
        (b"\xfd7zXZ\0", Kind::Archive("an xz archive")),
        (b"\x28\xb5\x2f\xfd", Kind::Archive("a zstd archive")),
    ];
    if data.starts_with(b"RIFF") && data.get(8..12) == Some(b"WEBP") {
        return Some(Kind::Image("WebP"));
    }
    // Text may begin with these letters, but has no NUL.
    if data.starts_with(b"MZ") && data.iter().take(64).any(|b| *b == 0) {
        return Some(Kind::Executable("a Windows program"));
    }
    let known = STARTS.into_iter().find(|(start, _)| data.starts_with(start)).map(|(_, kind)| kind);
    known.or_else(|| {
        let head = data.get(..PDF_WINDOW).unwrap_or(data);
        head.windows(5).any(|window| window == b"%PDF-").then_some(Kind::Pdf)
    })
}
