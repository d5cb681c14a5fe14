//! HTTP without the SDK: what a client with a presigned URL sends, and what a rude one does.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_s3::presigning::PresignedRequest;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::probe::{Seen, Verdict, demand, same};

/// How long one request may take.
const CALL: Duration = Duration::from_secs(60);
/// How long a server that was cut off may take until it closes, too.
const HANG_UP: Duration = Duration::from_secs(5);

/// A way to a server.
#[derive(Clone)]
pub(crate) struct Wire {
    agent: Agent,
    /// `host:port` of the server, and whether it speaks TLS.
    address: (String, bool),
    ca_pem: Option<String>,
}

/// A request as it goes out; the length of the body is told by the client.
#[derive(Clone)]
pub(crate) struct Request {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// An answer, read to its end.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// What its holder sends when told to.
    pub(crate) fn new(presigned: &PresignedRequest, body: &[u8]) -> Self {
        let headers = presigned.headers().filter(|(name, _)| !name.eq_ignore_ascii_case("content-length"));
        Self {
            method: presigned.method().to_owned(),
            url: presigned.uri().to_owned(),
            headers: headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect(),
            body: body.to_vec(),
        }
    }

    pub(crate) fn method(self, method: &str) -> Self {
        Self { method: method.to_owned(), ..self }
    }

    /// With a part of the URL replaced, which must be there.
    pub(crate) fn url(self, from: &str, to: &str) -> Self {
        assert!(self.url.contains(from), "the URL lacks {from}");
        Self { url: self.url.replacen(from, to, 1), ..self }
    }

    /// With another signature of the same length.
    pub(crate) fn forged(self) -> Self {
        let flip = |digit: char| if digit == '0' { '1' } else { '0' };
        let (front, signature) = self.url.split_once("X-Amz-Signature=").unwrap();
        let mut digits = signature.chars();
        let url = format!("{front}X-Amz-Signature={}{}", flip(digits.next().unwrap()), digits.as_str());
        Self { url, ..self }
    }

    /// With a header set, or left out.
    pub(crate) fn header(mut self, name: &str, value: Option<&str>) -> Self {
        self.headers.retain(|(other, _)| other != name);
        self.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        self
    }

    fn head(&self) -> ureq::http::request::Builder {
        let request = ureq::http::Request::builder().method(self.method.as_str()).uri(&self.url);
        self.headers.iter().fold(request, |request, (name, value)| request.header(name, value))
    }
}

impl Wire {
    pub(crate) fn new(url: &str, ca_pem: Option<&str>) -> Self {
        let roots = ca_pem.map(|pem| RootCerts::new_with_certs(&[Certificate::from_pem(pem.as_bytes()).unwrap()]));
        let tls = roots.map_or_else(TlsConfig::builder, |roots| TlsConfig::builder().root_certs(roots));
        let config = Agent::config_builder().http_status_as_error(false).max_redirects(0).proxy(None);
        let config = config.timeout_global(Some(CALL)).tls_config(tls.build()).build();
        let (scheme, address) = url.split_once("://").unwrap();
        let (encrypted, port) = if scheme == "https" { (true, ":443") } else { (false, ":80") };
        let port = if address.contains(':') { "" } else { port };
        let address = (format!("{}{port}", address.trim_end_matches('/')), encrypted);
        Self { agent: config.into(), address, ca_pem: ca_pem.map(str::to_owned) }
    }

    /// Sends a request with its length.
    pub(crate) async fn send(&self, request: Request) -> Result<Answer, Seen> {
        let agent = self.agent.clone();
        let send = move || answer(agent.run(request.head().body(request.body).unwrap()));
        tokio::task::spawn_blocking(send).await.unwrap()
    }

    /// Sends a request whose body comes in chunks, its length untold.
    pub(crate) async fn send_chunked(&self, request: Request) -> Result<Answer, Seen> {
        let agent = self.agent.clone();
        let send = move || {
            let body = ureq::SendBody::from_owned_reader(std::io::Cursor::new(request.body.clone()));
            answer(agent.run(request.head().body(body).unwrap()))
        };
        tokio::task::spawn_blocking(send).await.unwrap()
    }

    /// Announces the whole body, sends only the first `sent` bytes of it, and closes the connection. Comes back when the server has
    /// closed it, too, or does not do so for some seconds.
    pub(crate) async fn cut(&self, request: Request, sent: usize) {
        let wire = self.clone();
        tokio::task::spawn_blocking(move || wire.cut_blocking(&request, sent)).await.unwrap().unwrap();
    }

    fn cut_blocking(&self, request: &Request, sent: usize) -> std::io::Result<()> {
        let (address, encrypted) = &self.address;
        let tcp = TcpStream::connect(address)?;
        tcp.set_read_timeout(Some(HANG_UP))?;
        let start = request.start(address, sent);
        if *encrypted {
            let mut stream = StreamOwned::new(self.tls(), tcp);
            stream.write_all(&start)?;
            stream.conn.send_close_notify();
            stream.flush()?;
            stream.sock.shutdown(Shutdown::Write)?;
            drain(&mut stream);
        } else {
            let mut stream = tcp;
            stream.write_all(&start)?;
            stream.shutdown(Shutdown::Write)?;
            drain(&mut stream);
        }
        Ok(())
    }

    fn tls(&self) -> ClientConnection {
        let mut roots = RootCertStore::empty();
        match &self.ca_pem {
            Some(pem) => roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()).unwrap(),
            None => drop(roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned())),
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(roots).with_no_client_auth();
        let host = self.address.0.rsplit_once(':').unwrap().0.to_owned();
        ClientConnection::new(Arc::new(config), ServerName::try_from(host).unwrap()).unwrap()
    }
}

impl Request {
    /// The head and the first bytes of the body, as they go over the wire.
    fn start(&self, host: &str, sent: usize) -> Vec<u8> {
        let target = self.url.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..])).unwrap();
        let mut head = format!("{} {target} HTTP/1.1\r\nhost: {host}\r\n", self.method);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("content-length: {}\r\n\r\n", self.body.len());
        [head.as_bytes(), &self.body[..sent]].concat()
    }
}

/// Reads until the other side closes; what it says does not matter.
fn drain(stream: &mut impl Read) {
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).is_ok_and(|read| read > 0) {}
}

fn answer(result: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Answer, Seen> {
    let mut answer = result.map_err(|error| Seen(format!("no answer: {error}")))?;
    let text = |value: &ureq::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = answer.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let body = answer.body_mut().with_config().limit(64 << 20).read_to_vec();
    let body = body.map_err(|error| Seen(format!("the answer breaks off: {error}")))?;
    Ok(Answer { status: answer.status().as_u16(), headers, body })
}

impl Answer {
    /// Demands a status.
    pub(crate) fn status(&self, what: &str, wanted: u16) -> Verdict {
        same(what, self.status, wanted)
    }

    /// Demands that the request was refused, as a fault of the client.
    pub(crate) fn refused(&self, what: &str) -> Verdict {
        demand((400..500).contains(&self.status) || self.status == 501, || format!("{what}: {}", self.status))
    }

    /// Demands a header.
    pub(crate) fn header(&self, name: &str, wanted: &str) -> Verdict {
        same(name, self.headers.get(name).map_or("nothing", String::as_str), wanted)
    }
}
