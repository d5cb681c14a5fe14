//! What an operator sets, read once at start.

use std::str::FromStr;

use crate::ids::PrincipalId;
use crate::issuers::Issuer;
use crate::rate::Rate;
use crate::sessions::Quota;

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
    /// How often one principal may write: `SKILLHUB_WRITES_PER_MINUTE` (default 120) and `SKILLHUB_WRITE_BURST` (default 240).
    pub write_rate: Rate,
    /// How much one principal may have open: `SKILLHUB_MAX_OPEN_UPLOADS` (default 100) and `SKILLHUB_MAX_STAGED_BYTES`
    /// (default 1 GiB).
    pub quota: Quota,
    /// The registry's administrator, who owns `@global`: `SKILLHUB_ADMINISTRATOR`, issuer and subject of its identity with a
    /// space between them.
    pub administrator: Option<PrincipalId>,
    /// Which API tokens are good: those made in this epoch, `SKILLHUB_TOKEN_EPOCH`, default 0. Another number revokes all that were
    /// made before, which is what a restored table needs.
    pub token_epoch: u32,
    /// Whether the sweeper removes items that have outlived their time to live, because the store does not:
    /// `SKILLHUB_SWEEP_EXPIRED`, `true` or `false` (default).
    pub sweep_expired: bool,
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
    /// How often one principal may write, unless set otherwise.
    pub const DEFAULT_WRITE_RATE: Rate = Rate { per_minute: 120, burst: 240 };
    /// How much one principal may have open, unless set otherwise.
    pub const DEFAULT_QUOTA: Quota = Quota { sessions: 100, staged_bytes: 1 << 30 };

    /// Reads the settings from `variable`, a look-up of environment variables.
    ///
    /// # Errors
    /// If a variable is missing or malformed; the error names it.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, SettingsError> {
        let required =
            |name| variable(name).filter(|v| !v.is_empty()).ok_or(SettingsError { name, problem: "must be set" });
        Ok(Self {
            table: required("SKILLHUB_TABLE")?,
            bucket: required("SKILLHUB_BUCKET")?,
            anonymous_read: flag(&variable, "SKILLHUB_ANONYMOUS_READ")?,
            max_archive_bytes: positive(&variable, "SKILLHUB_MAX_ARCHIVE_BYTES", Self::DEFAULT_MAX_ARCHIVE_BYTES)?,
            write_rate: Rate {
                per_minute: positive(&variable, "SKILLHUB_WRITES_PER_MINUTE", Self::DEFAULT_WRITE_RATE.per_minute)?,
                burst: positive(&variable, "SKILLHUB_WRITE_BURST", Self::DEFAULT_WRITE_RATE.burst)?,
            },
            quota: Quota {
                sessions: positive(&variable, "SKILLHUB_MAX_OPEN_UPLOADS", Self::DEFAULT_QUOTA.sessions)?,
                staged_bytes: positive(&variable, "SKILLHUB_MAX_STAGED_BYTES", Self::DEFAULT_QUOTA.staged_bytes)?,
            },
            administrator: administrator(&variable)?,
            token_epoch: epoch(&variable)?,
            sweep_expired: flag(&variable, "SKILLHUB_SWEEP_EXPIRED")?,
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

fn flag(variable: impl Fn(&str) -> Option<String>, name: &'static str) -> Result<bool, SettingsError> {
    match variable(name).as_deref() {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(SettingsError { name, problem: "must be true or false" }),
    }
}

fn positive<T: FromStr + Default + PartialOrd>(
    variable: impl Fn(&str) -> Option<String>,
    name: &'static str,
    default: T,
) -> Result<T, SettingsError> {
    let Some(text) = variable(name) else { return Ok(default) };
    let number = text.parse().ok().filter(|number| *number > T::default());
    number.ok_or(SettingsError { name, problem: "must be a positive number" })
}

fn epoch(variable: impl Fn(&str) -> Option<String>) -> Result<u32, SettingsError> {
    const NAME: &str = "SKILLHUB_TOKEN_EPOCH";
    let number = variable(NAME).map_or(Ok(0), |text| text.parse());
    number.map_err(|_| SettingsError { name: NAME, problem: "must be a number from 0 to 4294967295" })
}

fn administrator(variable: impl Fn(&str) -> Option<String>) -> Result<Option<PrincipalId>, SettingsError> {
    const NAME: &str = "SKILLHUB_ADMINISTRATOR";
    let Some(text) = variable(NAME).filter(|text| !text.is_empty()) else { return Ok(None) };
    match text.split_once(' ') {
        Some((issuer, subject)) if !issuer.is_empty() && !subject.is_empty() => {
            Ok(Some(PrincipalId::derive(issuer, subject)))
        }
        _ => Err(SettingsError { name: NAME, problem: "must be an issuer and a subject with a space between them" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(extra: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let given = [("SKILLHUB_TABLE", "t"), ("SKILLHUB_BUCKET", "b")];
        let all: Vec<_> = given.iter().chain(extra).collect();
        Settings::from_variables(|name| all.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn a_setting_that_is_malformed_is_named() {
        for (name, value) in [
            ("SKILLHUB_ANONYMOUS_READ", "yes"),
            ("SKILLHUB_MAX_ARCHIVE_BYTES", "0"),
            ("SKILLHUB_WRITES_PER_MINUTE", "-1"),
            ("SKILLHUB_WRITE_BURST", "many"),
            ("SKILLHUB_MAX_STAGED_BYTES", ""),
            ("SKILLHUB_ADMINISTRATOR", "nobody"),
            ("SKILLHUB_TOKEN_EPOCH", "-1"),
        ] {
            assert!(read(&[(name, value)]).unwrap_err().to_string().starts_with(name), "{name}");
        }
        assert!(Settings::from_variables(|_| None).unwrap_err().to_string().starts_with("SKILLHUB_TABLE"));
    }

    #[test]
    fn what_is_not_set_has_its_default() {
        let settings = read(&[("SKILLHUB_ADMINISTRATOR", "https://issuer.example me")]).unwrap();
        assert_eq!(settings.write_rate, Settings::DEFAULT_WRITE_RATE);
        assert_eq!(settings.quota, Settings::DEFAULT_QUOTA);
        assert_eq!(settings.administrator, Some(PrincipalId::derive("https://issuer.example", "me")));
        assert_eq!(settings.token_epoch, 0);
        assert!(!settings.anonymous_read && !settings.sweep_expired && !settings.path_style);
    }

    #[test]
    fn an_issuer_needs_url_and_audience_or_neither() {
        let settings = |url, audience| read(&[("SKILLHUB_OIDC_ISSUER", url), ("SKILLHUB_OIDC_AUDIENCE", audience)]);
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
