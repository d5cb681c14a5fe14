//! Where a document is wrong, and how.

use std::borrow::Cow;

/// A document that does not follow the contract: the path of the field, and what is wrong with it.
///
/// Displays as `manifest.files[3].sha256: must be 64 lowercase hex digits`. The path's root is the contract's:
/// `manifest`, `skills[0]` or `response`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct Error {
    path: String,
    kind: Kind,
    message: Cow<'static, str>,
}

/// What kind of fault an [`Error`] reports, for callers that decide by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The text is no JSON, or no text at all.
    Json,
    /// The field is absent.
    Missing,
    /// The field has another JSON type than the contract says.
    Type,
    /// The value is outside of what the contract allows.
    Value,
    /// A list is not in the contract's order.
    Order,
    /// Two fields that must agree do not.
    Disagreement,
    /// A schema version that this crate does not know. A client keeps what it has and says that a newer client is needed.
    UnsupportedSchemaVersion,
}

impl Error {
    /// An error at `path`.
    pub fn new(path: impl Into<String>, kind: Kind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { path: path.into(), kind, message: message.into() }
    }

    /// The path of the field, such as `manifest.files[3].sha256`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What kind of fault this is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What is wrong, without the path.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// A text that is no value of its type: what the type demands, beginning with "must".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidValue(pub(crate) Cow<'static, str>);

impl InvalidValue {
    pub(crate) const fn new(demand: &'static str) -> Self {
        Self(Cow::Borrowed(demand))
    }
}
