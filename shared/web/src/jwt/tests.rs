use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::pkcs8::EncodePrivateKey as _;
use jsonwebtoken::EncodingKey;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rsa::pkcs1::EncodeRsaPrivateKey;
use rsa::traits::PublicKeyParts;
use serde_json::{Value, json};
use skillhub_store::IssuerKeys;

use super::*;

const ISSUER: &str = "https://id.example/realm";
const AUDIENCE: &str = "skillhub";
/// Seconds since 1970 by the clock of these tests.
const NOW: i64 = 1_790_000_000;
/// The keys of these tests follow from it; they are used nowhere else.
const SEED: u64 = 11;

/// A made-up issuer: a key for each algorithm, named `rsa`, `ec` and `ed`.
struct TestIssuer {
    rsa: EncodingKey,
    ec: EncodingKey,
    ed: EncodingKey,
    rsa_public: Vec<u8>,
    keys: IssuerKeys,
}

static TEST: LazyLock<TestIssuer> = LazyLock::new(|| TestIssuer::generate(&mut StdRng::seed_from_u64(SEED)));
/// Another issuer, whose keys have the same names.
static STRANGER: LazyLock<TestIssuer> = LazyLock::new(|| TestIssuer::generate(&mut StdRng::seed_from_u64(SEED + 1)));

impl TestIssuer {
    fn generate(rng: &mut StdRng) -> Self {
        let rsa = rsa::PrivateKey::new(rng, 2048).unwrap();
        let ec = p256::ecdsa::SigningKey::from_slice(&rng.random::<[u8; 32]>()).unwrap();
        let ed = ed25519_dalek::SigningKey::from_bytes(&rng.random());
        let point = ec.verifying_key().to_sec1_point(false);
        let (x, y) = (point.x().unwrap(), point.y().unwrap());
        let jwks = [
            json!({ "kid": "rsa", "kty": "RSA", "n": b64(rsa.n_bytes()), "e": b64(rsa.e_bytes()) }),
            json!({ "kid": "ec", "kty": "EC", "crv": "P-256", "x": b64(x), "y": b64(y) }),
            json!({ "kid": "ed", "kty": "OKP", "crv": "Ed25519", "x": b64(ed.verifying_key()) }),
        ];
        let keys = jwks.map(|jwk| IssuerKey::from_jwk(jwk).unwrap()).into();
        let fetched_at = UtcMillis::from_epoch_millis(0).unwrap();
        Self {
            rsa_public: rsa.n_bytes().into_vec(),
            rsa: EncodingKey::from_rsa_der(rsa.to_pkcs1_der().unwrap().as_bytes()),
            ec: EncodingKey::from_ec_der(ec.to_pkcs8_der().unwrap().as_bytes()),
            ed: EncodingKey::from_ed_der(ed.to_pkcs8_der().unwrap().as_bytes()),
            keys: IssuerKeys { issuer: ISSUER.to_owned(), keys, fetched_at },
        }
    }

    /// A token with this header and these claims, signed by the key and algorithm that the header names.
    fn sign(&self, header: &Value, claims: &Value) -> String {
        self.sign_payload(header, &b64(claims.to_string()))
    }

    fn sign_payload(&self, header: &Value, payload: &str) -> String {
        let key = match header["kid"].as_str() {
            Some("rsa") => &self.rsa,
            Some("ec") => &self.ec,
            _ => &self.ed,
        };
        let algorithm = match key.family() {
            jsonwebtoken::AlgorithmFamily::Rsa => Algorithm::RS256,
            jsonwebtoken::AlgorithmFamily::Ec => Algorithm::ES256,
            _ => Algorithm::EdDSA,
        };
        sign_with(key, algorithm, header, payload)
    }
}

fn sign_with(key: &EncodingKey, algorithm: Algorithm, header: &Value, payload: &str) -> String {
    let message = format!("{}.{payload}", b64(header.to_string()));
    let signature = jsonwebtoken::crypto::sign(message.as_bytes(), key, algorithm).unwrap();
    format!("{message}.{signature}")
}

fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn header(alg: &str, kid: &str) -> Value {
    json!({ "typ": "JWT", "alg": alg, "kid": kid })
}

fn claims() -> Value {
    json!({ "iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": NOW + 300, "nbf": NOW - 1, "iat": NOW - 1 })
}

fn with(mut object: Value, name: &str, value: impl Into<Value>) -> Value {
    object[name] = value.into();
    object
}

fn without(mut object: Value, name: &str) -> Value {
    object.as_object_mut().unwrap().remove(name).unwrap();
    object
}

/// What [`authenticate`] does between its calls of the store.
fn verify(text: &str) -> Result<String, Refusal> {
    let issuer = Issuer::new(ISSUER, AUDIENCE).unwrap();
    let now = UtcMillis::from_epoch_millis(NOW * 1000).unwrap();
    let token = Unverified::parse(text)?;
    let key = TEST.keys.find(&token.kid).ok_or(Refusal::UnknownKey)?;
    token.verify(key, &issuer, now)
}

#[test]
fn a_token_of_each_algorithm_is_accepted() {
    for (alg, kid) in [("RS256", "rsa"), ("ES256", "ec"), ("EdDSA", "ed")] {
        assert_eq!(verify(&TEST.sign(&header(alg, kid), &claims())), Ok(String::from("alice")), "{alg}");
    }
}

#[test]
fn what_a_token_may_vary_in_is_accepted() {
    let ed = || header("EdDSA", "ed");
    let cases = [
        (without(ed(), "typ"), claims()),
        (with(ed(), "typ", "at+jwt"), claims()),
        (ed(), with(claims(), "aud", json!([AUDIENCE]))),
        (ed(), with(claims(), "aud", json!(["another", AUDIENCE]))),
        (ed(), with(claims(), "exp", NOW - 59)),
        (ed(), with(claims(), "exp", NOW as f64 + 0.5)),
        (ed(), with(claims(), "nbf", NOW + 60)),
        (ed(), with(claims(), "scope", "read")),
        (ed(), with(claims(), "deep", json!([[[[{ "a": [1] }]]]]))),
        // Another key in the header is not looked at, so it does no harm either.
        (with(ed(), "jku", "https://evil.example/jwks"), claims()),
        (with(ed(), "x5u", "https://evil.example/cert"), claims()),
        (with(ed(), "x5c", json!(["MIIB"])), claims()),
        (with(ed(), "jwk", serde_json::to_value(&STRANGER.keys.keys[2]).unwrap()), claims()),
    ];
    for (header, claims) in cases {
        assert_eq!(verify(&TEST.sign(&header, &claims)), Ok(String::from("alice")), "{header} {claims}");
    }
    let longest = "s".repeat(MAX_SUBJECT_BYTES);
    assert_eq!(verify(&TEST.sign(&ed(), &with(claims(), "sub", longest.as_str()))), Ok(longest));
}

#[test]
fn claims_that_do_not_hold_are_refused() {
    let cases = [
        (with(claims(), "iss", "https://id.example/realm/"), Refusal::Issuer),
        (with(claims(), "iss", "https://evil.example"), Refusal::Issuer),
        (with(claims(), "iss", json!([ISSUER])), Refusal::Malformed),
        (without(claims(), "iss"), Refusal::Malformed),
        (with(claims(), "aud", "another"), Refusal::Audience),
        (with(claims(), "aud", "skillhub "), Refusal::Audience),
        (with(claims(), "aud", json!([])), Refusal::Audience),
        (with(claims(), "aud", json!(["another", "SKILLHUB"])), Refusal::Audience),
        (with(claims(), "aud", json!([AUDIENCE, 1])), Refusal::Malformed),
        (with(claims(), "aud", json!({ "skillhub": true })), Refusal::Malformed),
        (with(claims(), "aud", Value::Null), Refusal::Malformed),
        (without(claims(), "aud"), Refusal::Malformed),
        (with(claims(), "exp", NOW - 60), Refusal::Expired),
        (with(claims(), "exp", -1), Refusal::Expired),
        (with(claims(), "exp", (NOW + 300).to_string()), Refusal::Malformed),
        (with(claims(), "exp", Value::Null), Refusal::Malformed),
        (without(claims(), "exp"), Refusal::Malformed),
        (with(claims(), "nbf", NOW + 61), Refusal::NotYetValid),
        (with(claims(), "nbf", true), Refusal::Malformed),
        (without(claims(), "nbf"), Refusal::Malformed),
        (with(claims(), "sub", ""), Refusal::Subject),
        (with(claims(), "sub", "s".repeat(MAX_SUBJECT_BYTES + 1)), Refusal::Subject),
        (with(claims(), "sub", 7), Refusal::Malformed),
        (without(claims(), "sub"), Refusal::Malformed),
        (json!([claims()]), Refusal::Malformed),
        (json!("alice"), Refusal::Malformed),
    ];
    for (claims, reason) in cases {
        assert_eq!(verify(&TEST.sign(&header("EdDSA", "ed"), &claims)), Err(reason), "{claims}");
    }
    let twice = claims().to_string().replacen('{', r#"{"sub":"admin","#, 1);
    assert_eq!(verify(&TEST.sign_payload(&header("EdDSA", "ed"), &b64(twice))), Err(Refusal::Malformed));
}

#[test]
fn headers_that_do_not_fit_are_refused() {
    let ed = || header("EdDSA", "ed");
    let cases = [
        (with(ed(), "alg", "none"), Refusal::Malformed),
        (with(ed(), "alg", "None"), Refusal::Malformed),
        (with(ed(), "alg", "ES256K"), Refusal::Malformed),
        (without(ed(), "alg"), Refusal::Malformed),
        (with(ed(), "alg", "ES384"), Refusal::Algorithm),
        (with(ed(), "alg", "HS256"), Refusal::Algorithm),
        (header("RS512", "rsa"), Refusal::Algorithm),
        (header("PS256", "rsa"), Refusal::Algorithm),
        // A key is for its own algorithm alone.
        (header("ES256", "rsa"), Refusal::Algorithm),
        (header("RS256", "ec"), Refusal::Algorithm),
        (header("EdDSA", "ec"), Refusal::Algorithm),
        (header("RS256", "ed"), Refusal::Algorithm),
        (without(ed(), "kid"), Refusal::KeyId),
        (with(ed(), "kid", ""), Refusal::KeyId),
        (with(ed(), "kid", 1), Refusal::Malformed),
        (with(ed(), "kid", "other"), Refusal::UnknownKey),
        (with(ed(), "kid", "ED"), Refusal::UnknownKey),
        (with(ed(), "kid", "../ed"), Refusal::UnknownKey),
        (with(ed(), "crit", json!(["exp"])), Refusal::Critical),
        (with(with(ed(), "crit", json!(["b64"])), "b64", true), Refusal::Critical),
        (with(ed(), "crit", json!([])), Refusal::Critical),
        (with(ed(), "b64", false), Refusal::Malformed),
        (json!([ed()]), Refusal::Malformed),
    ];
    for (header, reason) in cases {
        assert_eq!(verify(&TEST.sign(&header, &claims())), Err(reason), "{header}");
    }
    let twice = ed().to_string().replacen('{', r#"{"alg":"EdDSA","#, 1);
    let payload = b64(claims().to_string());
    assert_eq!(verify(&format!("{}.{payload}.", b64(twice))), Err(Refusal::Malformed));
}

#[test]
fn signatures_of_anything_else_are_refused() {
    let payload = b64(claims().to_string());
    let public = EncodingKey::from_secret(&TEST.rsa_public).unwrap();
    let hs256 = |header: &Value| sign_with(&public, Algorithm::HS256, header, &payload);
    for alg in ["HS256", "RS256"] {
        let reason = if alg == "HS256" { Refusal::Algorithm } else { Refusal::Signature };
        assert_eq!(verify(&hs256(&header(alg, "rsa"))), Err(reason), "HMAC with the public key as its secret");
    }
    for (alg, kid) in [("RS256", "rsa"), ("ES256", "ec"), ("EdDSA", "ed")] {
        let (header, good) = (header(alg, kid), TEST.sign(&header(alg, kid), &claims()));
        let stranger = &STRANGER.keys.keys;
        let brought = with(with(header.clone(), "jwk", json!(stranger)), "jku", "https://evil.example/jwks");
        let foreign = [
            STRANGER.sign(&header, &claims()),
            STRANGER.sign(&with(header.clone(), "x5u", "https://evil.example/cert"), &claims()),
            STRANGER.sign(&with(brought, "jwk", json!(stranger[0])), &claims()),
            swap(&good, 1, &b64(with(claims(), "sub", "admin").to_string())),
            swap(&good, 0, &b64(with(header.clone(), "typ", "at+jwt").to_string())),
            swap(&good, 2, ""),
            swap(&good, 2, &b64([0; 64])),
            swap(&good, 2, &b64([0; 256])),
            swap(&good, 2, &b64([0xff; 256])),
        ];
        for token in foreign {
            assert_eq!(verify(&token), Err(Refusal::Signature), "{alg}: {token}");
        }
    }
}

/// The token with one of its three parts replaced.
fn swap(token: &str, part: usize, replacement: &str) -> String {
    let mut parts: Vec<_> = token.split('.').collect();
    parts[part] = replacement;
    parts.join(".")
}

#[test]
fn texts_that_are_no_jwt_are_refused() {
    let good = TEST.sign(&header("EdDSA", "ed"), &claims());
    let nested = TEST.sign_payload(&with(header("EdDSA", "ed"), "cty", "JWT"), &b64(&good));
    let padded = TEST.sign_payload(&header("EdDSA", "ed"), &(b64(claims().to_string() + "  ") + "="));
    let texts = [
        String::new(),
        String::from(".."),
        String::from("a.b.c"),
        String::from("sk_short"),
        good.replace('.', " "),
        good.replacen('.', "", 1),
        format!("{good}."),
        format!("{good}.{good}"),
        format!("{good}="),
        format!("{good}x"),
        format!("{good}\u{0}"),
        format!("{good}ü"),
        format!(" {good}"),
        nested,
        padded,
        serde_json::to_string(&json!({ "payload": good, "signatures": [] })).unwrap(),
    ];
    for text in texts {
        assert_eq!(verify(&text), Err(Refusal::Malformed), "{text:?}");
    }
    let longest = |sub: usize| TEST.sign(&header("EdDSA", "ed"), &with(claims(), "pad", "p".repeat(sub)));
    assert_eq!(verify(&longest(5900)), Ok(String::from("alice")), "{} bytes", longest(5900).len());
    for text in [longest(6200), ".".repeat(1 << 20), "a".repeat(1 << 20), good.repeat(100)] {
        assert_eq!(verify(&text), Err(Refusal::TooLong), "{} bytes", text.len());
    }
}

#[test]
fn a_stored_key_that_is_no_point_of_its_curve_verifies_nothing() {
    let issuer = Issuer::new(ISSUER, AUDIENCE).unwrap();
    let now = UtcMillis::from_epoch_millis(NOW * 1000).unwrap();
    let zeros = b64([0; 32]);
    for (alg, kty, crv) in [("ES256", "EC", "P-256"), ("EdDSA", "OKP", "Ed25519")] {
        for x in [&zeros, &b64([0xff; 32]), &b64([2; 32])] {
            let key = json!({ "kid": "ec", "kty": kty, "crv": crv, "x": x, "y": zeros });
            let token = TEST.sign(&header(alg, if alg == "ES256" { "ec" } else { "ed" }), &claims());
            let verified = Unverified::parse(&token).unwrap().verify(&IssuerKey::from_jwk(key).unwrap(), &issuer, now);
            assert!(matches!(verified, Err(Refusal::Malformed | Refusal::Signature)), "{alg} {x}: {verified:?}");
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_verifier_panic(text in any::<String>()) {
        prop_assert!(verify(&text).is_err());
    }

    #[test]
    fn no_header_or_payload_makes_the_verifier_panic(
        header in json_text(), payload in json_text(), signature in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let text = [b64(header), b64(payload), b64(signature)].join(".");
        prop_assert!(verify(&text).is_err());
    }

    #[test]
    fn no_signed_claims_make_the_verifier_panic(payload in json_text()) {
        // Some could be right by chance.
        let _verdict = verify(&TEST.sign_payload(&header("EdDSA", "ed"), &b64(payload)));
    }

    #[test]
    fn a_token_that_is_changed_anywhere_is_refused(
        token in prop::sample::select(&*GOOD), place in any::<prop::sample::Index>(), byte in 0x20_u8..0x7f,
    ) {
        let mut token = token.into_bytes();
        let place = place.index(token.len());
        prop_assume!(token[place] != byte);
        token[place] = byte;
        prop_assert!(verify(std::str::from_utf8(&token).unwrap()).is_err());
    }
}

static GOOD: LazyLock<[String; 3]> = LazyLock::new(|| {
    [("RS256", "rsa"), ("ES256", "ec"), ("EdDSA", "ed")].map(|(alg, kid)| TEST.sign(&header(alg, kid), &claims()))
});

/// JSON of the members that count, with values that may be wrong.
fn json_text() -> impl Strategy<Value = String> {
    let name =
        prop::sample::select(vec!["alg", "kid", "crit", "jwk", "b64", "iss", "aud", "sub", "exp", "nbf", "x5c", "typ"]);
    let value = prop_oneof![
        prop::sample::select(vec!["RS256", "ES256", "EdDSA", "none", "rsa", "ec", "ed", ISSUER, AUDIENCE])
            .prop_map(|text| json!(text)),
        any::<f64>().prop_map(|number| json!(number)),
        any::<i64>().prop_map(|number| json!(number)),
        any::<String>().prop_map(|text| json!([text])),
        Just(Value::Null),
        Just(json!({ "kty": "oct", "k": "" })),
    ];
    proptest::collection::btree_map(name, value, 0..8).prop_map(|members| json!(members).to_string())
}
