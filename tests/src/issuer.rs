//! An OIDC issuer on this machine, which answers as a test wants, and tokens of it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer, SigningKey};
use serde_json::{Value, json};

/// What tokens for the registry under test name as their audience.
pub const AUDIENCE: &str = "skillhub-e2e";
/// Where an issuer says where its keys are.
pub const DISCOVERY: &str = "/.well-known/openid-configuration";
/// Where it says they are.
pub const KEYS: &str = "/keys";

/// How a path is answered.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A status, the header `location` if it is not empty, and a body.
    Plain(u16, String, Vec<u8>),
    /// Nothing is ever said.
    Silence,
    /// 200 and a byte now and then, until the client hangs up.
    Drip,
    /// 200 and bytes without end.
    Flood,
}

impl Reply {
    /// 200 and this document.
    pub fn json(value: &Value) -> Self {
        Self::Plain(200, String::new(), value.to_string().into_bytes())
    }
}

#[derive(Debug, Default)]
struct Script {
    replies: HashMap<String, Reply>,
    /// The paths that were asked for.
    asked: Vec<String>,
    closed: bool,
}

/// Listens on a free port until it is dropped. Its methods panic where its own part fails: a test ends there.
#[derive(Debug)]
pub struct IssuerServer {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
    thread: Option<JoinHandle<()>>,
}

impl IssuerServer {
    /// An issuer with these keys.
    pub fn start(keys: &Value) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (address, script) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(Script::default())));
        let serving = script.clone();
        let thread = Some(std::thread::spawn(move || serve(&listener, &serving)));
        let server = Self { address, script, thread };
        server.reply(DISCOVERY, Reply::json(&json!({ "issuer": server.url(), "jwks_uri": server.url() + KEYS })));
        server.reply(KEYS, Reply::json(&json!({ "keys": keys })));
        server
    }

    /// Its URL as an issuer.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers `path` like this from now on.
    pub fn reply(&self, path: &str, reply: Reply) {
        self.script.lock().unwrap().replies.insert(path.to_owned(), reply);
    }

    /// The paths that were asked for since the last call.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.script.lock().unwrap().asked)
    }
}

impl Drop for IssuerServer {
    fn drop(&mut self) {
        self.script.lock().unwrap().closed = true;
        // Wakes the thread up, if it still waits.
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn serve(listener: &TcpListener, script: &Arc<Mutex<Script>>) {
    for stream in listener.incoming() {
        if script.lock().unwrap().closed {
            return;
        }
        let script = script.clone();
        // A client that hangs up ends its own connection only.
        std::thread::spawn(move || stream.and_then(|stream| answer(stream, &script)));
    }
}

fn answer(mut stream: TcpStream, script: &Mutex<Script>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let reply = {
        let mut script = script.lock().unwrap();
        script.asked.push(path.clone());
        script.replies.get(&path).cloned()
    };
    match reply.unwrap_or(Reply::Plain(404, String::new(), Vec::new())) {
        Reply::Plain(status, location, body) => {
            let head = format!("HTTP/1.1 {status} Any\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
            let location = if location.is_empty() { location } else { format!("location: {location}\r\n") };
            stream.write_all(&[head.as_bytes(), location.as_bytes(), b"\r\n", &body].concat())
        }
        // Returns when the client has hung up.
        Reply::Silence => stream.read(&mut [0]).map(drop),
        Reply::Drip => endless(&mut stream, b" ", Duration::from_millis(20)),
        Reply::Flood => endless(&mut stream, &[b' '; 8192], Duration::ZERO),
    }
}

fn endless(stream: &mut TcpStream, bytes: &[u8], pause: Duration) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
    loop {
        stream.write_all(bytes)?;
        std::thread::sleep(pause);
    }
}

/// A key pair of an issuer, for tests only: it follows from its seed.
#[derive(Debug)]
pub struct TestKey {
    kid: &'static str,
    key: SigningKey,
}

impl TestKey {
    /// The key of this name and seed.
    pub fn new(kid: &'static str, seed: u8) -> Self {
        Self { kid, key: SigningKey::from_bytes(&[seed; 32]) }
    }

    /// The public part, as a JWK.
    pub fn jwk(&self) -> Value {
        let x = URL_SAFE_NO_PAD.encode(self.key.verifying_key());
        json!({ "kid": self.kid, "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "x": x })
    }

    /// What a token's header must say.
    pub fn header(&self) -> Value {
        json!({ "typ": "JWT", "alg": "EdDSA", "kid": self.kid })
    }

    /// A token.
    pub fn sign(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(header), part(claims));
        let signature = URL_SAFE_NO_PAD.encode(self.key.sign(message.as_bytes()).to_bytes());
        format!("{message}.{signature}")
    }
}

/// What a token must say to be accepted for the next five minutes.
pub fn claims(issuer: &str, subject: &str) -> Value {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    json!({ "iss": issuer, "aud": AUDIENCE, "sub": subject, "nbf": now, "exp": now + 300 })
}
