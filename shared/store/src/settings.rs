//! What an operator sets, read once at start.

use crate::issuers::Issuer;

/// Settings of a registry. No default hides a missing name: a function without its table does not start.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name of the table: `SKILLHUB_TABLE`.
    pub table: String,
    /// Name of the bucket: `SKILLHUB_BUCKET`.
    pub bucket: String,
    /// Whether public skills are open to callers without a token: `SKILLHUB_ANONYMOUS_READ`, `true` or `false` (default).
    pub anonymous_read: bool,
    /// Largest upload in bytes: `SKILLHUB_MAX_ARCHIVE_BYTES`, default 11 MiB.
    pub max_archive_bytes: u64,
    /// The object store's address in presigned URLs, where it differs from the one that functions use:
    /// `SKILLHUB_OBJECTS_PUBLIC_URL`.
    pub objects_public_url: Option<String>,
    /// Whether the bucket's name stands in the path: set when `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` is.
    pub path_style: bool,
    /// The issuer whose JWTs are accepted besides API tokens: its URL in `SKILLHUB_OIDC_ISSUER`, what their `aud` must
    /// contain in `SKILLHUB_OIDC_AUDIENCE`. Both or neither.
    pub issuer: Option<Issuer>,
}

/// A setting that is missing or no value of its kind.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {problem}")]
pub struct SettingsError {
    name: &'static str,
    problem: &'static str,
}

impl Settings {
    /// Largest upload in bytes, unless set otherwise.
    pub const DEFAULT_MAX_ARCHIVE_BYTES: u64 = 11 << 20;

    /// Reads the settings from `variable`, a look-up of environment variables.
    ///
    /// # Errors
    /// If a variable is missing or malformed; the error names it.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, SettingsError> {
        let required =
            |name| variable(name).filter(|v| !v.is_empty()).ok_or(SettingsError { name, problem: "must be set" });
        let max_archive_bytes = match variable("SKILLHUB_MAX_ARCHIVE_BYTES") {
            None => Self::DEFAULT_MAX_ARCHIVE_BYTES,
            Some(text) => text.parse().ok().filter(|bytes| *bytes > 0).ok_or(SettingsError {
                name: "SKILLHUB_MAX_ARCHIVE_BYTES",
                problem: "must be a positive number of bytes",
            })?,
        };
        let anonymous_read = match variable("SKILLHUB_ANONYMOUS_READ").as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => return Err(SettingsError { name: "SKILLHUB_ANONYMOUS_READ", problem: "must be true or false" }),
        };
        Ok(Self {
            table: required("SKILLHUB_TABLE")?,
            bucket: required("SKILLHUB_BUCKET")?,
            anonymous_read,
            max_archive_bytes,
            objects_public_url: variable("SKILLHUB_OBJECTS_PUBLIC_URL"),
            path_style: variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL")).is_some(),
            issuer: Self::issuer(variable("SKILLHUB_OIDC_ISSUER"), variable("SKILLHUB_OIDC_AUDIENCE"))?,
        })
    }

    /// The issuer in these two values, of which an empty one counts as absent.
    ///
    /// # Errors
    /// If only one is there, or the first is no URL of an issuer; the error names the variable.
    pub fn issuer(url: Option<String>, audience: Option<String>) -> Result<Option<Issuer>, SettingsError> {
        const URL: &str = "SKILLHUB_OIDC_ISSUER";
        const AUDIENCE: &str = "SKILLHUB_OIDC_AUDIENCE";
        let given = |value: Option<String>| value.filter(|value| !value.is_empty());
        match (given(url), given(audience)) {
            (None, None) => Ok(None),
            (Some(_), None) => Err(SettingsError { name: AUDIENCE, problem: "must be set, because the issuer is" }),
            (None, Some(_)) => Err(SettingsError { name: URL, problem: "must be set, because the audience is" }),
            (Some(url), Some(audience)) => {
                Issuer::new(&url, &audience).map(Some).map_err(|problem| SettingsError { name: URL, problem })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_needs_url_and_audience_or_neither() {
        let settings = |url: &str, audience: &str| {
            Settings::from_variables(|name| match name {
                "SKILLHUB_TABLE" | "SKILLHUB_BUCKET" => Some(String::from("skillhub")),
                "SKILLHUB_OIDC_ISSUER" => Some(url.to_owned()),
                "SKILLHUB_OIDC_AUDIENCE" => Some(audience.to_owned()),
                _ => None,
            })
        };
        let issuer = settings("https://id.example", "skillhub").unwrap().issuer.unwrap();
        assert_eq!((issuer.url(), issuer.audience()), ("https://id.example", "skillhub"));
        assert_eq!(settings("", "").unwrap().issuer, None);
        for (url, audience, named) in [
            ("https://id.example", "", "SKILLHUB_OIDC_AUDIENCE"),
            ("", "skillhub", "SKILLHUB_OIDC_ISSUER"),
            ("http://id.example", "skillhub", "SKILLHUB_OIDC_ISSUER"),
        ] {
            let error = settings(url, audience).unwrap_err().to_string();
            assert!(error.starts_with(named), "{error}");
        }
    }
}
