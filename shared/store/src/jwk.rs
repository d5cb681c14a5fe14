//! Public keys of issuers: which of a JWK set (RFC 7517) can be used, and how they are kept.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// Longest `kid`, in bytes.
const MAX_KID_BYTES: usize = 256;
/// Sizes of an RSA modulus in bits: RFC 7518, 3.3, and what the verifier takes.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;
/// Longest RSA exponent in bytes. Almost all are 65537; a long one makes verifying slow.
const MAX_EXPONENT_BYTES: usize = 4;

/// A key that can verify JWTs. Serialized, it is a JWK with its public members alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Jwk", into = "Jwk")]
pub struct IssuerKey {
    kid: String,
    public: PublicKey,
}

/// The public part of a key. Each kind has exactly one algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicKey {
    /// For RS256.
    Rsa {
        /// The modulus, big-endian, without leading zeros.
        n: Vec<u8>,
        /// The exponent, big-endian, without leading zeros.
        e: Vec<u8>,
    },
    /// For ES256. Whether it is a point of the curve shows when it is used.
    P256 {
        /// One coordinate, big-endian.
        x: [u8; 32],
        /// The other.
        y: [u8; 32],
    },
    /// For EdDSA.
    Ed25519([u8; 32]),
}

/// Why a key of a set is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnusableKey {
    /// It is no object of the members that a JWK has.
    #[error("it is no JWK")]
    NotJwk,
    /// It cannot be named by a token.
    #[error("it has no kid of 1 to {MAX_KID_BYTES} bytes")]
    Kid,
    /// It is for something else, such as encryption.
    #[error("it is not for verifying signatures")]
    Use,
    /// Symmetric, another curve, another algorithm.
    #[error("its kty, crv and alg are none of RSA for RS256, EC on P-256 for ES256, OKP on Ed25519 for EdDSA")]
    Kind,
    /// An RSA key that is too weak, too large, or none.
    #[error("RSA needs an odd modulus of {} to {} bits and an odd exponent from 3", RSA_BITS.start(), RSA_BITS.end())]
    Rsa,
    /// A coordinate that is missing or of another length.
    #[error("a coordinate must be 32 bytes")]
    Coordinate,
}

/// A JWK as it comes and as it is stored; other members are ignored.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Jwk {
    kty: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<String>,
    #[serde(rename = "use", skip_serializing_if = "Option::is_none")]
    usage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_ops: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alg: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crv: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    e: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<String>,
}

impl IssuerKey {
    /// The key in one element of a JWK set.
    ///
    /// # Errors
    /// [`UnusableKey`], if it must be left out.
    pub fn from_jwk(element: serde_json::Value) -> Result<Self, UnusableKey> {
        let jwk: Jwk = serde_json::from_value(element).map_err(|_| UnusableKey::NotJwk)?;
        jwk.try_into()
    }

    /// The name by which tokens refer to it; 1 to 256 bytes.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// The key itself.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }
}

impl TryFrom<Jwk> for IssuerKey {
    type Error = UnusableKey;

    fn try_from(jwk: Jwk) -> Result<Self, UnusableKey> {
        let kid = jwk.kid.clone().filter(|kid| (1..=MAX_KID_BYTES).contains(&kid.len())).ok_or(UnusableKey::Kid)?;
        let verifies = |ops: &Vec<String>| ops.iter().any(|op| op == "verify");
        if jwk.usage.as_ref().is_some_and(|usage| usage != "sig") || !jwk.key_ops.as_ref().is_none_or(verifies) {
            return Err(UnusableKey::Use);
        }
        Ok(Self { kid, public: jwk.public()? })
    }
}

impl Jwk {
    fn public(&self) -> Result<PublicKey, UnusableKey> {
        match (self.kty.as_str(), self.crv.as_deref(), self.alg.as_deref()) {
            ("RSA", None, None | Some("RS256")) => rsa(self.n.as_deref(), self.e.as_deref()).ok_or(UnusableKey::Rsa),
            ("EC", Some("P-256"), None | Some("ES256")) => {
                Ok(PublicKey::P256 { x: coordinate(self.x.as_deref())?, y: coordinate(self.y.as_deref())? })
            }
            ("OKP", Some("Ed25519"), None | Some("EdDSA")) => Ok(PublicKey::Ed25519(coordinate(self.x.as_deref())?)),
            _ => Err(UnusableKey::Kind),
        }
    }
}

impl From<IssuerKey> for Jwk {
    fn from(key: IssuerKey) -> Self {
        let text = |bytes: &[u8]| Some(URL_SAFE_NO_PAD.encode(bytes));
        let (kid, name) = (Some(key.kid), |name: &str| Some(name.to_owned()));
        match key.public {
            PublicKey::Rsa { n, e } => {
                Self { kid, kty: String::from("RSA"), n: text(&n), e: text(&e), ..Self::default() }
            }
            PublicKey::P256 { x, y } => {
                let (x, y) = (text(&x), text(&y));
                Self { kid, kty: String::from("EC"), crv: name("P-256"), x, y, ..Self::default() }
            }
            PublicKey::Ed25519(x) => {
                Self { kid, kty: String::from("OKP"), crv: name("Ed25519"), x: text(&x), ..Self::default() }
            }
        }
    }
}

fn rsa(n: Option<&str>, e: Option<&str>) -> Option<PublicKey> {
    let (n, e) = (unsigned(n?)?, unsigned(e?)?);
    let odd = |number: &[u8]| number.last().is_some_and(|last| last & 1 == 1);
    let bits = n.len() * 8 - n.first()?.leading_zeros() as usize;
    let exponent = odd(&e) && e.as_slice() != [1] && e.len() <= MAX_EXPONENT_BYTES;
    (RSA_BITS.contains(&bits) && odd(&n) && exponent).then_some(PublicKey::Rsa { n, e })
}

/// A number in base64url, big-endian, without leading zeros.
fn unsigned(text: &str) -> Option<Vec<u8>> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    Some(bytes.into_iter().skip_while(|byte| *byte == 0).collect())
}

fn coordinate(text: Option<&str>) -> Result<[u8; 32], UnusableKey> {
    let bytes = text.and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
    bytes.and_then(|bytes| bytes.try_into().ok()).ok_or(UnusableKey::Coordinate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn text(bytes: &[u8]) -> String {
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The form of a key; no verifier would find anything signed by it.
    fn rsa_jwk(bits: usize) -> Value {
        let mut n = vec![0xff; bits.div_ceil(8)];
        n[0] >>= n.len() * 8 - bits;
        json!({ "kty": "RSA", "kid": "r", "n": text(&n), "e": "AQAB" })
    }

    fn with(mut jwk: Value, name: &str, value: impl Into<Value>) -> Value {
        jwk[name] = value.into();
        jwk
    }

    #[test]
    fn usable_keys_survive_storing_and_only_their_public_members_are_stored() {
        let ec = json!({ "kty": "EC", "crv": "P-256", "kid": "e", "x": text(&[1; 32]), "y": text(&[2; 32]) });
        let ed = json!({ "kty": "OKP", "crv": "Ed25519", "kid": "d", "x": text(&[3; 32]) });
        for plain in [rsa_jwk(2048), rsa_jwk(2049), rsa_jwk(4096), ec.clone(), ed.clone()] {
            let key = IssuerKey::from_jwk(plain.clone()).unwrap();
            assert_eq!(serde_json::to_value(&key).unwrap(), plain);
            for (name, value) in [("use", json!("sig")), ("key_ops", json!(["verify"])), ("x5c", json!(["MII"]))] {
                assert_eq!(IssuerKey::from_jwk(with(plain.clone(), name, value)).as_ref(), Ok(&key), "{name}");
            }
        }
        for (jwk, alg) in [(rsa_jwk(2048), "RS256"), (ec, "ES256"), (ed, "EdDSA")] {
            IssuerKey::from_jwk(with(jwk, "alg", alg)).unwrap();
        }
        let (padded, key) = (text(&[&[0; 3][..], &[0xff; 256]].concat()), IssuerKey::from_jwk(rsa_jwk(2048)).unwrap());
        assert_eq!(IssuerKey::from_jwk(with(rsa_jwk(2048), "n", padded)), Ok(key), "leading zeros mean nothing");
    }

    #[test]
    fn keys_that_cannot_be_used_are_left_out_with_the_reason() {
        let ec = || json!({ "kty": "EC", "crv": "P-256", "kid": "e", "x": text(&[1; 32]), "y": text(&[2; 32]) });
        let ed = || json!({ "kty": "OKP", "crv": "Ed25519", "kid": "d", "x": text(&[3; 32]) });
        let even = text(&[[0xff; 255].as_slice(), &[0xfe]].concat());
        let cases = [
            (json!("RSA"), UnusableKey::NotJwk),
            (with(ed(), "x", 3), UnusableKey::NotJwk),
            (with(ed(), "kid", Value::Null), UnusableKey::Kid),
            (with(ed(), "kid", ""), UnusableKey::Kid),
            (with(ed(), "kid", "k".repeat(257)), UnusableKey::Kid),
            (with(ed(), "use", "enc"), UnusableKey::Use),
            (with(ed(), "key_ops", json!(["sign", "encrypt"])), UnusableKey::Use),
            (json!({ "kty": "oct", "kid": "o", "k": text(&[1; 32]) }), UnusableKey::Kind),
            (json!({ "kid": "o" }), UnusableKey::Kind),
            (with(ec(), "crv", "P-384"), UnusableKey::Kind),
            (with(ec(), "crv", "secp256k1"), UnusableKey::Kind),
            (with(ec(), "alg", "ES384"), UnusableKey::Kind),
            (with(ed(), "crv", "X25519"), UnusableKey::Kind),
            (with(ed(), "alg", "ES256"), UnusableKey::Kind),
            (with(rsa_jwk(2048), "alg", "PS256"), UnusableKey::Kind),
            (with(rsa_jwk(2048), "alg", "HS256"), UnusableKey::Kind),
            (rsa_jwk(1024), UnusableKey::Rsa),
            (rsa_jwk(2047), UnusableKey::Rsa),
            (rsa_jwk(8193), UnusableKey::Rsa),
            (with(rsa_jwk(2048), "n", ""), UnusableKey::Rsa),
            (with(rsa_jwk(2048), "n", even), UnusableKey::Rsa),
            (with(rsa_jwk(2048), "n", text(&[0xff; 256]) + "=="), UnusableKey::Rsa),
            (with(rsa_jwk(2048), "e", "AQ"), UnusableKey::Rsa),
            (with(rsa_jwk(2048), "e", "Ag"), UnusableKey::Rsa),
            (with(rsa_jwk(2048), "e", text(&[1; 5])), UnusableKey::Rsa),
            (with(rsa_jwk(2048), "e", Value::Null), UnusableKey::Rsa),
            (with(ec(), "y", Value::Null), UnusableKey::Coordinate),
            (with(ec(), "x", text(&[1; 31])), UnusableKey::Coordinate),
            (with(ed(), "x", text(&[1; 33])), UnusableKey::Coordinate),
            (with(ed(), "x", "+/+/"), UnusableKey::Coordinate),
        ];
        for (jwk, reason) in cases {
            assert_eq!(IssuerKey::from_jwk(jwk.clone()), Err(reason), "{jwk}");
            assert!(serde_json::from_value::<IssuerKey>(jwk).is_err(), "what is stored is read as strictly");
        }
    }
}
