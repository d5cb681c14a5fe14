//! JWTs of the configured issuer, verified with the keys that the sweeper has stored: no call leaves the registry.
//!
//! A token chooses among our keys by `kid` and brings none of its own: `jku`, `jwk`, `x5u` and `x5c` are not looked at.

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use skillhub_protocol::UtcMillis;
use skillhub_store::{Authenticated, Issuer, IssuerKey, PublicKey};

use crate::Registry;
use crate::error::ApiError;
use crate::issuer_keys::Lookup;

/// The longest token, in bytes.
const MAX_BYTES: usize = 8 << 10;
/// The longest subject, in bytes (OpenID Connect Core 1.0, 2).
const MAX_SUBJECT_BYTES: usize = 255;
/// How far the issuer's clock may be off, in seconds.
const LEEWAY: f64 = 60.0;

/// Why a token is refused: for the log at level debug, never for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    TooLong,
    Malformed,
    Algorithm,
    Critical,
    KeyId,
    UnknownKey,
    Signature,
    Issuer,
    Audience,
    Subject,
    Expired,
    NotYetValid,
}

/// The caller in a JWT: at most one read, for the keys, and one query.
pub(crate) async fn authenticate(text: &str, registry: &Registry, now: UtcMillis) -> Result<Authenticated, ApiError> {
    let issuer = registry.settings.issuer.as_ref().ok_or_else(ApiError::unauthenticated)?;
    let token = Unverified::parse(text).map_err(refuse)?;
    let read = registry.table.issuer_keys(issuer);
    let subject = match registry.issuer_keys.find(&token.kid, now, read).await? {
        Lookup::Known(key) => token.verify(&key, issuer, now).map_err(refuse)?,
        Lookup::Unknown => return Err(refuse(Refusal::UnknownKey)),
        Lookup::NoKeys => return Err(ApiError::auth_unavailable()),
    };
    Ok(registry.table.vouched_for(issuer.principal(&subject)).await?)
}

fn refuse(reason: Refusal) -> ApiError {
    tracing::debug!(?reason, "a JWT was refused");
    ApiError::unauthenticated()
}

/// A JWT of which only the header has been read, to find the key.
#[derive(Debug)]
struct Unverified<'a> {
    text: &'a str,
    algorithm: Algorithm,
    kid: String,
}

impl<'a> Unverified<'a> {
    fn parse(text: &'a str) -> Result<Self, Refusal> {
        if text.len() > MAX_BYTES {
            return Err(Refusal::TooLong);
        }
        let header = jsonwebtoken::decode_header(text).map_err(|_| Refusal::Malformed)?;
        if !matches!(header.alg, Algorithm::RS256 | Algorithm::ES256 | Algorithm::EdDSA) {
            return Err(Refusal::Algorithm);
        }
        // Nothing that must be understood is.
        if header.crit.is_some() {
            return Err(Refusal::Critical);
        }
        let kid = header.kid.filter(|kid| !kid.is_empty()).ok_or(Refusal::KeyId)?;
        Ok(Self { text, algorithm: header.alg, kid })
    }

    /// The subject, if signature and claims hold.
    fn verify(&self, key: &IssuerKey, issuer: &Issuer, now: UtcMillis) -> Result<String, Refusal> {
        let (algorithm, key) = decoding_key(key.public());
        if algorithm != self.algorithm {
            return Err(Refusal::Algorithm);
        }
        let token = jsonwebtoken::decode::<Claims>(self.text, &key, &signature_only(algorithm));
        let token = token.map_err(|error| match error.kind() {
            ErrorKind::InvalidSignature => Refusal::Signature,
            _ => Refusal::Malformed,
        })?;
        token.claims.subject(issuer, now)
    }
}

/// The one algorithm of a key, and the key for it.
fn decoding_key(key: &PublicKey) -> (Algorithm, DecodingKey) {
    match key {
        PublicKey::Rsa { n, e } => (Algorithm::RS256, DecodingKey::from_rsa_raw_components(n, e)),
        PublicKey::P256 { x, y } => {
            let point = [&[4], x.as_slice(), y].concat();
            (Algorithm::ES256, DecodingKey::from_ec_der(&point))
        }
        PublicKey::Ed25519(x) => (Algorithm::EdDSA, DecodingKey::from_ed_der(x)),
    }
}

/// The claims are checked by [`Claims::subject`]: the library reads the system's clock, and takes a list of issuers in `iss`.
fn signature_only(algorithm: Algorithm) -> Validation {
    let mut validation = Validation::new(algorithm);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_aud = false;
    validation
}

/// The claims that count (RFC 7519, 4.1), all of them required. Times are in seconds and may have a fraction.
#[derive(Debug, Deserialize)]
struct Claims {
    iss: String,
    aud: Audience,
    sub: String,
    exp: f64,
    nbf: f64,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl Claims {
    fn subject(self, issuer: &Issuer, now: UtcMillis) -> Result<String, Refusal> {
        let audience = issuer.audience();
        let for_us = match &self.aud {
            Audience::One(one) => one == audience,
            Audience::Several(several) => several.iter().any(|one| one == audience),
        };
        let seconds = now.epoch_millis() as f64 / 1000.0;
        let checks = [
            (self.iss == issuer.url(), Refusal::Issuer),
            (for_us, Refusal::Audience),
            ((1..=MAX_SUBJECT_BYTES).contains(&self.sub.len()), Refusal::Subject),
            (seconds < self.exp + LEEWAY, Refusal::Expired),
            (seconds >= self.nbf - LEEWAY, Refusal::NotYetValid),
        ];
        let failed = checks.into_iter().find(|(holds, _)| !holds);
        failed.map_or(Ok(self.sub), |(_, reason)| Err(reason))
    }
}

#[cfg(test)]
mod tests;
