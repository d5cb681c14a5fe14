//! Namespaces and scopes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::InvalidValue;
use crate::newtype::serde_as_text;
use crate::slug::is_kebab_case;

/// The owner of slugs, written `@handle`: the handle is kebab-case, 1-64 characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "openapi",
    derive(utoipa::ToSchema),
    schema(value_type = String, pattern = r"^@[a-z0-9]+(?:-[a-z0-9]+)*$", max_length = 65, example = "@my-team")
)]
pub struct Namespace(String);

impl Namespace {
    /// The curated namespace that a bare slug means when reading.
    pub fn global() -> Self {
        Self(String::from("global"))
    }

    /// Whether this is `@global`.
    pub fn is_global(&self) -> bool {
        self.0 == "global"
    }

    /// The namespace with this handle, given without `@`.
    ///
    /// # Errors
    /// If the handle is not kebab-case.
    pub fn from_handle(handle: &str) -> Result<Self, InvalidValue> {
        const DEMAND: InvalidValue =
            InvalidValue::new("must be \"@\" and a kebab-case handle of 1-64 characters, such as @my-team");
        if is_kebab_case(handle) { Ok(Self(handle.to_owned())) } else { Err(DEMAND) }
    }

    /// The handle, without `@`.
    pub fn handle(&self) -> &str {
        &self.0
    }
}

impl FromStr for Namespace {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Without "@" the empty handle is checked, which gives the right demand.
        Self::from_handle(text.strip_prefix('@').unwrap_or_default())
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)
    }
}

impl fmt::Debug for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

serde_as_text!(Namespace);

/// Who may see a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Every authenticated identity (everybody, where the registry allows anonymous reading).
    Public,
    /// The members of the organization.
    Organization,
    /// One person.
    Personal,
}

impl Scope {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Organization => "organization",
            Self::Personal => "personal",
        }
    }
}

impl FromStr for Scope {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const DEMAND: InvalidValue = InvalidValue::new("must be \"public\", \"organization\" or \"personal\"");
        [Self::Public, Self::Organization, Self::Personal].into_iter().find(|s| s.as_str() == text).ok_or(DEMAND)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
