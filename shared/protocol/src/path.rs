//! Paths inside a package.

use unicode_normalization::is_nfc;

use crate::newtype::text_newtype;
use crate::text::{is_device_name, utf16_len};

text_newtype! {
    /// A relative POSIX path of a file in a package: NFC, at most [`PackagePath::MAX_UTF16`] UTF-16 units, safe as a file name on
    /// macOS, Windows and Linux. Publishing is stricter (hidden files, invisible characters, depth): that is policy.
    ///
    /// Source: the contract's constraints on `files[].path`.
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(
            value_type = String,
            pattern = r#"^[^\x00-\x1f\\:*?"<>|/]*[^\x00-\x1f\\:*?"<>|/. ](?:/[^\x00-\x1f\\:*?"<>|/]*[^\x00-\x1f\\:*?"<>|/. ])*$"#,
            max_length = 240, example = "references/notes.md"
        )
    )]
    PackagePath, check_path, PathFault
}

impl PackagePath {
    /// The longest path, in UTF-16 units.
    pub const MAX_UTF16: usize = 240;

    /// The path as a file system that ignores case would see it: JavaScript's `toLowerCase`, which like Rust's knows the
    /// final sigma. Two files of one package must differ in it.
    pub fn collision_key(&self) -> String {
        self.as_str().to_lowercase()
    }

    /// The segments, in order.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.as_str().split('/')
    }
}

/// Why a text is no [`PackagePath`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// The empty text.
    #[error("must not be empty")]
    Empty,
    /// More than 240 UTF-16 units.
    #[error("must have at most 240 UTF-16 units")]
    TooLong,
    /// Not in Unicode normalization form C.
    #[error("must be in Unicode normalization form C (NFC)")]
    NotNfc,
    /// An empty, `.` or `..` segment; an absolute path begins with an empty one.
    #[error("must be a relative path without empty, \".\" or \"..\" segments")]
    Segment,
    /// A character that Windows does not allow in names, or a backslash or control character.
    #[error("must not hold a control character or any of \\ : * ? \" < > |")]
    Char,
    /// A dot or space at the end of a segment.
    #[error("must not have a segment that ends with a dot or a space")]
    Trailing,
    /// A device name of Windows, with or without an extension.
    #[error("must not have a segment that is a device name of Windows")]
    Reserved,
}

impl PathFault {
    /// The stable code of this fault.
    pub fn code(self) -> &'static str {
        match self {
            Self::Empty => "path_empty",
            Self::TooLong => "path_too_long",
            Self::NotNfc => "path_not_nfc",
            Self::Segment => "path_segment",
            Self::Char => "path_char",
            Self::Trailing => "path_trailing",
            Self::Reserved => "path_reserved",
        }
    }
}

fn check_path(path: &str) -> Result<(), PathFault> {
    if path.is_empty() {
        return Err(PathFault::Empty);
    }
    if utf16_len(path) > PackagePath::MAX_UTF16 {
        return Err(PathFault::TooLong);
    }
    if path.chars().any(|c| c < ' ' || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')) {
        return Err(PathFault::Char);
    }
    if !is_nfc(path) {
        return Err(PathFault::NotNfc);
    }
    path.split('/').try_for_each(check_segment)
}

fn check_segment(segment: &str) -> Result<(), PathFault> {
    if matches!(segment, "" | "." | "..") {
        return Err(PathFault::Segment);
    }
    if segment.ends_with(['.', ' ']) {
        return Err(PathFault::Trailing);
    }
    let (stem, extension) = segment.split_once('.').unwrap_or((segment, ""));
    // The contract's pattern ends in `.*`, which stops at a line separator.
    if is_device_name(stem) && !extension.contains(['\u{2028}', '\u{2029}']) {
        return Err(PathFault::Reserved);
    }
    Ok(())
}
