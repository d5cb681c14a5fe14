//! An issuer of identities on this machine, for the one person who is not the administrator.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::{Value, json};

/// What its tokens name as their audience.
const AUDIENCE: &str = "skillhub-interop";
/// The name of its key.
const KID: &str = "interop";
/// How long a token is good for, in seconds.
const LIFE: u64 = 600;

/// Listens until the process ends.
pub(super) struct Issuer {
    url: String,
    key: SigningKey,
}

impl Issuer {
    /// # Errors
    /// If no port is free.
    pub(super) fn start() -> Result<Self, String> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|e| e.to_string())?;
        let url = format!("http://{}", listener.local_addr().map_err(|e| e.to_string())?);
        let issuer = Self { url, key: SigningKey::from_bytes(&rand::random()) };
        let documents = [issuer.discovery(), issuer.keys()];
        // A registry that hangs up ends its own connection only.
        thread::spawn(move || listener.incoming().flatten().for_each(|stream| drop(answer(stream, &documents))));
        Ok(issuer)
    }

    /// What makes a registry on this machine trust it.
    pub(super) fn arguments(&self) -> [String; 4] {
        ["--oidc-issuer".to_owned(), self.url.clone(), "--oidc-audience".to_owned(), AUDIENCE.to_owned()]
    }

    /// A token of this person.
    pub(super) fn token(&self, subject: &str) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let claims = json!({ "iss": self.url, "aud": AUDIENCE, "sub": subject, "nbf": now, "exp": now + LIFE });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let header = json!({ "typ": "JWT", "alg": "EdDSA", "kid": KID });
        let message = format!("{}.{}", part(&header), part(&claims));
        let signature = URL_SAFE_NO_PAD.encode(self.key.sign(message.as_bytes()).to_bytes());
        format!("{message}.{signature}")
    }

    fn discovery(&self) -> (&'static str, String) {
        let document = json!({ "issuer": self.url, "jwks_uri": format!("{}/keys", self.url) });
        ("/.well-known/openid-configuration", document.to_string())
    }

    fn keys(&self) -> (&'static str, String) {
        let x = URL_SAFE_NO_PAD.encode(self.key.verifying_key());
        let key = json!({ "kid": KID, "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "x": x });
        ("/keys", json!({ "keys": [key] }).to_string())
    }
}

fn answer(mut stream: TcpStream, documents: &[(&str, String)]) -> std::io::Result<()> {
    let mut lines = BufReader::new(&stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // The headers are read to their end: a connection that is closed before is reset.
    lines.map_while(Result::ok).find(String::is_empty);
    let asked = request.split(' ').nth(1).unwrap_or_default();
    let found = documents.iter().find(|(path, _)| *path == asked);
    let (status, body) = found.map_or(("404 Not Found", ""), |(_, body)| ("200 OK", body.as_str()));
    write!(stream, "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}
