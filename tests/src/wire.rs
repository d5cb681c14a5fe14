//! One HTTP exchange at a time, plain or over TLS, each on a connection of its own.

use std::error::Error;
use std::sync::Arc;

use bytes::Bytes;
use http::header::HOST;
use http::uri::Scheme;
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// Why there was no exchange: no connection, no trust, or an answer that ended early.
pub type WireError = Box<dyn Error + Send + Sync>;

/// A client that keeps nothing open, so that what was sent and what was not is never in doubt.
#[derive(Clone)]
pub struct Wire {
    tls: TlsConnector,
}

impl Wire {
    /// A client that trusts this authority and no other.
    ///
    /// # Errors
    /// If `ca_pem` is no certificate.
    pub fn trusting(ca_pem: &str) -> Result<Self, WireError> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(ca_pem.as_bytes())?)?;
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
        let config = config.with_safe_default_protocol_versions()?.with_root_certificates(roots).with_no_client_auth();
        Ok(Self { tls: TlsConnector::from(Arc::new(config)) })
    }

    /// Sends a request to its absolute URI and reads the answer to its end. A `host` that is there stays.
    ///
    /// # Errors
    /// If there is no complete answer; the request may have been carried out.
    pub async fn send(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>, WireError> {
        let uri = request.uri().clone();
        let authority = uri.authority().ok_or("the URI must be absolute")?;
        let host = HeaderValue::from_str(authority.as_str())?;
        request.headers_mut().entry(HOST).or_insert(host);
        *request.uri_mut() = Uri::from(uri.path_and_query().ok_or("the URI must have a path")?.clone());
        let stream = TcpStream::connect(authority.as_str()).await?;
        stream.set_nodelay(true)?;
        if uri.scheme() == Some(&Scheme::HTTPS) {
            let name = ServerName::try_from(authority.host().to_owned())?;
            exchange(self.tls.connect(name, stream).await?, request).await
        } else {
            exchange(stream, request).await
        }
    }
}

async fn exchange<S>(stream: S, request: Request<Bytes>) -> Result<Response<Bytes>, WireError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let driver = tokio::spawn(connection);
    let (head, body) = sender.send_request(request.map(Full::new)).await?.into_parts();
    let body = body.collect().await?.to_bytes();
    driver.abort();
    Ok(Response::from_parts(head, body))
}
