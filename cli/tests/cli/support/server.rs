//! A small HTTP server on 127.0.0.1, with or without TLS, that answers as a closure says and keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A request as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// What to answer.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        let length = (String::from("content-length"), body.len().to_string());
        Self { status, headers: vec![(String::from("content-type"), kind.to_owned()), length], body }
    }

    pub(crate) fn json(status: u16, value: &serde_json::Value) -> Self {
        Self::new(status, "application/json", value.to_string())
    }

    pub(crate) fn problem(status: u16, code: &str, detail: &str) -> Self {
        let problem = serde_json::json!({
            "type": "about:blank", "title": "Problem", "status": status, "code": code, "detail": detail,
        });
        Self::new(status, "application/problem+json", problem.to_string()).with("x-request-id", "req-7")
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(key, _)| key != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(key, _)| key != name);
        self
    }
}

type Handler = dyn Fn(&Request) -> Response + Send + Sync;

/// A certificate authority and a certificate of its for 127.0.0.1.
pub(crate) struct Tls {
    pub(crate) ca_pem: String,
    config: Arc<ServerConfig>,
}

impl Tls {
    pub(crate) fn new() -> Self {
        let mut ca = CertificateParams::new(Vec::new()).unwrap();
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let ca_key = KeyPair::generate().unwrap();
        let ca_pem = ca.self_signed(&ca_key).unwrap().pem();
        let issuer = Issuer::new(ca, ca_key);
        let key = KeyPair::generate().unwrap();
        let leaf = CertificateParams::new(vec![String::from("127.0.0.1")]).unwrap().signed_by(&key, &issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], key)
            .unwrap();
        Self { ca_pem, config: Arc::new(config) }
    }
}

/// A running server; it stops when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    scheme: &'static str,
    requests: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn plain(handler: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Self {
        Self::start("http", None, Arc::new(handler))
    }

    pub(crate) fn tls(tls: &Tls, handler: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Self {
        Self::start("https", Some(tls.config.clone()), Arc::new(handler))
    }

    fn start(scheme: &'static str, tls: Option<Arc<ServerConfig>>, handler: Arc<Handler>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, stop) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let (seen, stopped) = (Arc::clone(&requests), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                let (seen, tls, handler) = (Arc::clone(&seen), tls.clone(), Arc::clone(&handler));
                // A client that goes away in the middle is part of the tests.
                thread::spawn(move || stream.and_then(|stream| serve(stream, tls, &seen, &*handler)));
            }
        });
        Self { address, scheme, requests, stop, thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// What was asked so far, in order of arrival.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(
    stream: TcpStream,
    tls: Option<Arc<ServerConfig>>,
    seen: &Mutex<Vec<Request>>,
    handler: &Handler,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    match tls {
        None => exchange(stream, seen, handler),
        Some(config) => {
            let connection = ServerConnection::new(config).map_err(std::io::Error::other)?;
            exchange(StreamOwned::new(connection, stream), seen, handler)
        }
    }
}

fn exchange(stream: impl Read + Write, seen: &Mutex<Vec<Request>>, handler: &Handler) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let request = read_request(&mut stream)?;
    seen.lock().unwrap().push(request.clone());
    let response = handler(&request);
    let mut head = format!("HTTP/1.1 {} Status\r\nconnection: close\r\n", response.status);
    for (name, value) in &response.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let stream = stream.get_mut();
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    stream.write_all(&response.body)?;
    stream.flush()
}

fn read_request(stream: &mut impl BufRead) -> std::io::Result<Request> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let mut words = lines.first().cloned().unwrap_or_default();
    let headers: Vec<(String, String)> = lines
        .iter()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let rest = words.split_off(words.find(' ').unwrap_or(words.len()));
    let target = rest.split_whitespace().next().unwrap_or_default().to_owned();
    Ok(Request { method: words, target, headers, body })
}
