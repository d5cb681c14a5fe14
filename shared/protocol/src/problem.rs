//! Errors of the API: RFC 9457, `application/problem+json`.

use serde::{Deserialize, Serialize};

/// The body of every answer with an error status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Problem {
    /// A URI for the kind of problem; `about:blank` says that the status tells all.
    #[serde(rename = "type", default = "about_blank")]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub kind: String,
    /// The status' words.
    pub title: String,
    /// The HTTP status.
    #[cfg_attr(feature = "openapi", schema(minimum = 400, maximum = 599))]
    pub status: u16,
    /// What is wrong and what to do next.
    pub detail: String,
    /// The stable code.
    #[cfg_attr(feature = "openapi", schema(pattern = "^[a-z_]+$"))]
    pub code: String,
    /// The single faults, where there are several or where they have a field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ProblemItem>,
}

/// One fault of a [`Problem`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProblemItem {
    /// The stable code.
    #[cfg_attr(feature = "openapi", schema(pattern = "^[a-z_]+$"))]
    pub code: String,
    /// The field, such as `manifest.files[3].sha256`.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
}

fn about_blank() -> String {
    String::from("about:blank")
}

impl Problem {
    /// A problem without single faults.
    pub fn new(status: u16, title: &str, code: &str, detail: impl Into<String>) -> Self {
        Self {
            kind: about_blank(),
            title: title.to_owned(),
            status,
            detail: detail.into(),
            code: code.to_owned(),
            errors: Vec::new(),
        }
    }
}
