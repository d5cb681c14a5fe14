//! Presigned URLs: whoever has one has what it opens, so they do not print themselves.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::Url;

use crate::error::InvalidValue;
use crate::text::utf16_len;

/// An HTTPS URL of at most 4096 UTF-16 units whose query is a credential. `Display` and `Debug` leave user info, query and
/// fragment out; [`HttpsUrl::expose`] gives the whole. There is no exception for plain HTTP, on no host.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpsUrl {
    /// As it came: it is sent on unchanged, because the length is measured on it.
    text: String,
    url: Url,
}

impl HttpsUrl {
    /// The whole URL, with its secrets, ready to be requested.
    pub fn expose(&self) -> &str {
        self.url.as_str()
    }
}

impl FromStr for HttpsUrl {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const DEMAND: InvalidValue = InvalidValue::new("must be an https URL of at most 4096 UTF-16 units");
        let url = Url::parse(text).map_err(|_| DEMAND)?;
        if url.scheme() == "https" && utf16_len(text) <= 4096 {
            Ok(Self { text: text.to_owned(), url })
        } else {
            Err(DEMAND)
        }
    }
}

impl fmt::Display for HttpsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let port = self.url.port().map(|p| format!(":{p}")).unwrap_or_default();
        let query = if self.url.query().is_some() { "?(redacted)" } else { "" };
        write!(f, "https://{}{port}{}{query}", self.url.host_str().unwrap_or_default(), self.url.path())
    }
}

impl fmt::Debug for HttpsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for HttpsUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for HttpsUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
