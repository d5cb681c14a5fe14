//! A connection to one server, kept as long as the server keeps it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::HOST;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(180);

/// TLS that trusts one authority and no other.
#[derive(Clone)]
pub(crate) struct Trust(TlsConnector);

impl Trust {
    /// Trusts the authority of this certificate, as PEM.
    pub(crate) fn in_authority(pem: &str) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        let certificate = CertificateDer::from_pem_slice(pem.as_bytes()).map_err(|e| format!("the authority: {e}"))?;
        roots.add(certificate).map_err(|e| format!("the authority: {e}"))?;
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().map_err(|e| e.to_string())?;
        let config = config.with_root_certificates(roots).with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

/// A connection that is made when it is needed.
pub(crate) struct Connection {
    /// Host and port.
    authority: String,
    host: HeaderValue,
    trust: Option<Trust>,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Connection {
    /// To a server, by HTTPS if there is something to trust.
    pub(crate) fn to(authority: &str, trust: Option<Trust>) -> Result<Self, String> {
        let host = HeaderValue::from_str(authority).map_err(|e| format!("{authority}: {e}"))?;
        Ok(Self { authority: authority.to_owned(), host, trust, sender: None })
    }

    /// Host and port.
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    /// Sends a request for a path, and reads the answer to its end.
    pub(crate) async fn send(&mut self, mut request: Request<Full<Bytes>>) -> Result<Response<Bytes>, String> {
        request.headers_mut().insert(HOST, self.host.clone());
        let what = format!("{} {}{}", request.method(), self.authority, request.uri().path());
        match tokio::time::timeout(PATIENCE, self.exchange(request)).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => {
                self.sender = None;
                Err(format!("{what}: {error}"))
            }
            Err(_) => {
                self.sender = None;
                Err(format!("{what}: no answer in {PATIENCE:?}"))
            }
        }
    }

    /// The body of a GET, whose status must be 200.
    pub(crate) async fn get(&mut self, path: &str) -> Result<Bytes, String> {
        let request = Request::get(path).body(Full::default()).map_err(|e| format!("{path}: {e}"))?;
        let response = self.send(request).await?;
        match response.status() {
            StatusCode::OK => Ok(response.into_body()),
            status => Err(format!("GET {}{path}: {status}", self.authority)),
        }
    }

    async fn exchange(&mut self, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, String> {
        let mut sender = self.ready().await?;
        let (head, body) = sender.send_request(request).await.map_err(|e| e.to_string())?.into_parts();
        let body = body.collect().await.map_err(|e| e.to_string())?.to_bytes();
        self.sender = Some(sender);
        Ok(Response::from_parts(head, body))
    }

    /// The connection, if the server has kept it, or else a new one.
    async fn ready(&mut self) -> Result<SendRequest<Full<Bytes>>, String> {
        if let Some(mut sender) = self.sender.take()
            && sender.ready().await.is_ok()
        {
            return Ok(sender);
        }
        let stream = TcpStream::connect(&self.authority).await.map_err(|e| format!("cannot connect: {e}"))?;
        stream.set_nodelay(true).map_err(|e| e.to_string())?;
        let Some(Trust(tls)) = &self.trust else { return open(stream).await };
        let host = self.authority.rsplit_once(':').map_or(self.authority.as_str(), |(host, _)| host);
        let name = ServerName::try_from(host.to_owned()).map_err(|e| e.to_string())?;
        open(tls.connect(name, stream).await.map_err(|e| format!("no TLS: {e}"))?).await
    }
}

async fn open<S>(stream: S) -> Result<SendRequest<Full<Bytes>>, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|e| e.to_string())?;
    // It ends with its sender, or when the server closes it, which the sender then tells.
    tokio::spawn(connection);
    Ok(sender)
}
