//! HTTP: which connection a request takes, and how long it may take.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ureq::http::{Request, Response};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, AsSendBody, Body, Proxy};
use url::Url;

use crate::config::is_loopback;
use crate::error::{Exit, Failure};

const CONNECT: Duration = Duration::from_secs(10);
/// Without any byte from the other side.
const SILENCE: Duration = Duration::from_secs(60);
/// One request, from its first byte to the last of its answer.
const WHOLE: Duration = Duration::from_secs(600);
const USER_AGENT: &str = concat!("skillhub/", env!("CARGO_PKG_VERSION"));

/// Two agents: this machine is never asked for by way of a proxy.
#[derive(Clone)]
pub(super) struct Http {
    direct: Agent,
    proxied: Agent,
}

impl Http {
    /// Trusts the public roots, and the certificates of the PEM file `ca`.
    pub(super) fn new(ca: Option<&Path>) -> Result<Self, Failure> {
        let roots = ca.map_or(Ok(RootCerts::WebPki), extended_roots)?;
        Ok(Self { direct: agent(roots.clone(), None), proxied: agent(roots, Proxy::try_from_env()) })
    }

    /// Sends a request; every status is an answer, and no redirect is followed.
    pub(super) fn run(&self, url: &Url, request: Request<impl AsSendBody>) -> Result<Response<Body>, ureq::Error> {
        let agent = if is_loopback(url) { &self.direct } else { &self.proxied };
        agent.run(request)
    }
}

fn agent(roots: RootCerts, proxy: Option<Proxy>) -> Agent {
    let tls = TlsConfig::builder().root_certs(roots).build();
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(proxy)
        .tls_config(tls)
        .user_agent(USER_AGENT)
        .timeout_connect(Some(CONNECT))
        .timeout_recv_response(Some(SILENCE))
        .timeout_per_read(Some(SILENCE))
        .timeout_per_write(Some(SILENCE))
        .timeout_global(Some(WHOLE));
    config.build().into()
}

fn extended_roots(ca: &Path) -> Result<RootCerts, Failure> {
    let pem = fs::read(ca).map_err(|e| Failure::io("read", ca, &e))?;
    let mut roots: Vec<Certificate<'static>> =
        webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().map(|der| Certificate::from_der(der)).collect();
    let public = roots.len();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|e| Failure::io("understand", ca, &e))? {
            roots.push(certificate);
        }
    }
    if roots.len() == public {
        return Err(Failure::usage(format!("{} holds no certificate in PEM form", ca.display())));
    }
    Ok(RootCerts::Specific(Arc::new(roots)))
}

/// Reads a body of at most `limit` bytes; `None` if it has more.
pub(super) fn read_body(body: impl Read, limit: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    body.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// A request that got no answer. `place` must hold no secret.
pub(super) fn unreachable(place: &str, error: &ureq::Error) -> Failure {
    let failure = Failure::new(Exit::Network, "network", format!("cannot reach {place}"));
    let failure = failure.detail(cause(error));
    if is_certificate_fault(error) {
        return failure.hint("if the registry has a certificate authority of its own, name its file with `--ca FILE`");
    }
    failure.hint("check the address, the network, and whether the registry is running (`cargo run` starts a local one)")
}

/// Another attempt may fare better.
pub(super) fn is_transient(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Io(error) => !matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::InvalidData),
        _ => false,
    }
}

fn cause(error: &ureq::Error) -> String {
    match error {
        // Its text has the whole URL, which may be a credential.
        ureq::Error::BadUri(_) => String::from("the address is no valid URL"),
        other => other.to_string(),
    }
}

fn is_certificate_fault(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) => true,
        ureq::Error::Io(error) => error.kind() == ErrorKind::InvalidData,
        _ => false,
    }
}
