//! Where a registry is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::{Host, Url};

/// The base URL of a registry: https, or http on this machine only (a token must not travel in the clear). It has no user
/// info, query or fragment, and is written without a slash at its end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegistryUrl(Url);

/// Why a text is no [`RegistryUrl`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRegistryUrl {
    /// No URL at all, or one of another scheme.
    #[error("must be an https URL such as https://skills.example.com")]
    Form,
    /// User info, query or fragment.
    #[error("must have no user name, password, query or fragment")]
    Extra,
    /// Plain HTTP to another machine.
    #[error(
        "must be https: plain http is for 127.0.0.1, [::1] and localhost only, because a token must not travel in the clear"
    )]
    PlainHttp,
}

impl RegistryUrl {
    /// The URL of a route, from segments that are encoded here.
    pub(crate) fn route(&self, segments: &[&str]) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }
}

/// Whether a URL points at this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

impl FromStr for RegistryUrl {
    type Err = InvalidRegistryUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).map_err(|_| InvalidRegistryUrl::Form)?;
        if !matches!(url.scheme(), "https" | "http") {
            return Err(InvalidRegistryUrl::Form);
        }
        let plain = url.username().is_empty() && url.password().is_none();
        if !plain || url.query().is_some() || url.fragment().is_some() {
            return Err(InvalidRegistryUrl::Extra);
        }
        if url.scheme() == "http" && !is_loopback(&url) {
            return Err(InvalidRegistryUrl::PlainHttp);
        }
        Ok(Self(url))
    }
}

impl fmt::Display for RegistryUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for RegistryUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for RegistryUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RegistryUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_this_machine_only() {
        for good in ["https://skills.example.com", "http://127.0.0.1:8787/", "http://[::1]:1", "http://localhost/base"]
        {
            let url: RegistryUrl = good.parse().expect(good);
            assert_eq!(url.to_string(), good.trim_end_matches('/'));
        }
        for (bad, why) in [
            ("http://skills.example.com", InvalidRegistryUrl::PlainHttp),
            ("http://localhost.example.com", InvalidRegistryUrl::PlainHttp),
            ("http://127.0.0.1.example.com", InvalidRegistryUrl::PlainHttp),
            ("ftp://127.0.0.1", InvalidRegistryUrl::Form),
            ("skills.example.com", InvalidRegistryUrl::Form),
            ("https://u:p@skills.example.com", InvalidRegistryUrl::Extra),
            ("https://skills.example.com/?x", InvalidRegistryUrl::Extra),
        ] {
            assert_eq!(bad.parse::<RegistryUrl>(), Err(why), "{bad}");
        }
    }

    #[test]
    fn segments_of_a_route_cannot_leave_it() {
        let url: RegistryUrl = "https://skills.example.com/base/".parse().unwrap();
        let route = url.route(&["api", "skills", "../../x?y#z"]);
        assert_eq!(route.as_str(), "https://skills.example.com/base/api/skills/..%2F..%2Fx%3Fy%23z");
    }
}
