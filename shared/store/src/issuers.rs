//! The issuer whose JWTs are accepted, and its keys as the sweeper has stored them.

use serde::{Deserialize, Serialize};
use skillhub_protocol::{TokenScope, UtcMillis};
use url::{Host, Url};

use crate::codec::Item;
use crate::error::StoreError;
use crate::identity::Authenticated;
use crate::ids::PrincipalId;
use crate::jwk::IssuerKey;
use crate::keys::Key;
use crate::table::{Freshness, Table};

/// An OIDC issuer whose JWTs are accepted, and the audience that they must name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issuer {
    url: String,
    audience: String,
    /// Whether it runs on this machine, for tests and local mode.
    is_loopback: bool,
}

impl Issuer {
    /// An issuer by its URL, exactly as its tokens have it in `iss`: HTTPS, or HTTP on a loopback host; no query, no fragment.
    ///
    /// # Errors
    /// What is wrong with the URL, without the URL.
    pub fn new(url: &str, audience: &str) -> Result<Self, &'static str> {
        let parsed = Url::parse(url).ok().filter(|_| url.bytes().all(|byte| byte.is_ascii_graphic()));
        let parsed = parsed.ok_or("must be a URL")?;
        if parsed.query().is_some() || parsed.fragment().is_some() || parsed.authority().contains('@') {
            return Err("must have no user, query or fragment");
        }
        let is_loopback = is_loopback(&parsed);
        if parsed.scheme() != "https" && !(parsed.scheme() == "http" && is_loopback) {
            return Err("must be HTTPS; HTTP is for loopback hosts only");
        }
        Ok(Self { url: url.to_owned(), audience: audience.to_owned(), is_loopback })
    }

    /// The URL as it was configured: what `iss` must be, byte by byte.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What `aud` must contain.
    pub fn audience(&self) -> &str {
        &self.audience
    }

    /// Where the issuer says of itself where its keys are (OpenID Connect Discovery 1.0, 4).
    pub fn discovery_url(&self) -> String {
        format!("{}/.well-known/openid-configuration", self.url.strip_suffix('/').unwrap_or(&self.url))
    }

    /// Whether keys may be fetched from there: HTTPS, or loopback for an issuer that is there itself, so that nobody else's
    /// document leads into the machine.
    pub fn allows(&self, url: &Url) -> bool {
        url.scheme() == "https" || (url.scheme() == "http" && self.is_loopback && is_loopback(url))
    }

    /// The caller whom it calls `subject`.
    pub fn principal(&self, subject: &str) -> PrincipalId {
        PrincipalId::derive(&self.url, subject)
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The keys of an issuer: `CFG` / `JWKS#<sha256 of its URL>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssuerKeys {
    /// The issuer's URL.
    pub issuer: String,
    /// Those of its keys that can be used, at most [`IssuerKeys::MAX`]. No two have one `kid`.
    pub keys: Vec<IssuerKey>,
    /// When they were fetched.
    pub fetched_at: UtcMillis,
}

impl IssuerKeys {
    /// How many keys of an issuer are kept.
    pub const MAX: usize = 32;

    /// The key of this name.
    pub fn find(&self, kid: &str) -> Option<&IssuerKey> {
        self.keys.iter().find(|key| key.kid() == kid)
    }
}

impl Item for IssuerKeys {
    const KIND: &'static str = "issuer's keys";
}

impl Table {
    /// The stored keys of an issuer. One read.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn issuer_keys(&self, issuer: &Issuer) -> Result<Option<IssuerKeys>, StoreError> {
        self.get_strong(&Key::issuer_keys(issuer.url())).await
    }

    /// Replaces the stored keys of an issuer.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn put_issuer_keys(&self, keys: &IssuerKeys) -> Result<(), StoreError> {
        self.put(&Key::issuer_keys(&keys.issuer), keys).await
    }

    /// A caller whom an issuer vouches for: everything that tokens can be for, within its memberships. One query.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn vouched_for(&self, principal: PrincipalId) -> Result<Authenticated, StoreError> {
        let memberships = self.memberships(&principal, Freshness::Eventual).await?;
        Ok(Authenticated { principal, token_sha256: None, scopes: TokenScope::ALL.to_vec(), memberships })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issuers_are_https_or_on_this_machine_and_keep_their_exact_url() {
        for (url, discovery) in [
            ("https://id.example", "https://id.example/.well-known/openid-configuration"),
            ("https://id.example/", "https://id.example/.well-known/openid-configuration"),
            ("https://id.example:8443/realms/a", "https://id.example:8443/realms/a/.well-known/openid-configuration"),
            ("http://127.0.0.1:9/", "http://127.0.0.1:9/.well-known/openid-configuration"),
            ("http://localhost:9", "http://localhost:9/.well-known/openid-configuration"),
            ("http://[::1]:9", "http://[::1]:9/.well-known/openid-configuration"),
        ] {
            let issuer = Issuer::new(url, "a").unwrap();
            assert_eq!((issuer.url(), issuer.discovery_url()), (url, discovery.to_owned()));
        }
        for url in [
            "",
            "id.example",
            "http://id.example",
            "http://127.0.0.1.id.example",
            "http://10.0.0.1",
            "ftp://localhost",
            "https://id.example/?a",
            "https://id.example/#a",
            "https://u@id.example",
            "https://u:p@id.example",
            " https://id.example",
            "https://id.exam\nple",
            "file:///etc/passwd",
            "data:,x",
        ] {
            assert!(Issuer::new(url, "a").is_err(), "{url:?}");
        }
    }

    #[test]
    fn only_an_issuer_on_this_machine_may_keep_its_keys_there() {
        let allows = |issuer: &str, url: &str| Issuer::new(issuer, "a").unwrap().allows(&Url::parse(url).unwrap());
        let (far, near) = ("https://id.example", "http://127.0.0.1:9");
        assert!(allows(far, "https://keys.example/jwks") && allows(near, "http://localhost:8/jwks"));
        for url in ["http://keys.example/jwks", "http://127.0.0.1:9001/jwks", "file:///etc/passwd"] {
            assert!(!allows(far, url), "{url}");
        }
        assert!(!allows(near, "http://keys.example/jwks"));
    }
}
