//! Listening on the loopback interface.

use std::convert::Infallible;
use std::error::Error as StdError;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::middleware::{Next, from_fn};
use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::drain::answer_whole;

/// Longest time for a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Longest time for the header of a request, and between two requests. Longer than the 90 s after which the SDK lets go
/// of an idle connection, so that it never sends into one that is being closed.
const NEXT_REQUEST: Duration = Duration::from_secs(120);
/// Longest time that requests in progress get at shutdown.
pub(crate) const GRACE: Duration = Duration::from_secs(10);
/// Pause after a failed accept, such as for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A port can't be listened on.
#[derive(Debug, thiserror::Error)]
#[error("port {port} on 127.0.0.1 can't be used ({source}); choose another with {flag}, 0 for any free one")]
pub struct PortError {
    port: u16,
    flag: &'static str,
    source: std::io::Error,
}

/// Listens on 127.0.0.1. `port` 0 means any free one, `flag` is the option that sets it.
pub(crate) fn bind(port: u16, flag: &'static str) -> Result<(std::net::TcpListener, SocketAddr), PortError> {
    let open = || {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    open().map_err(|source| PortError { port, flag, source })
}

/// Serves HTTPS until `shutdown`; then requests in progress get [`GRACE`].
pub(crate) async fn serve_tls<S, B>(
    listener: std::net::TcpListener,
    tls: Arc<ServerConfig>,
    service: S,
    shutdown: CancellationToken,
) -> std::io::Result<()>
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send> + Clone + Send + 'static,
    B: Body<Data = Bytes, Error: Into<Box<dyn StdError + Send + Sync>>> + Send + 'static,
{
    let listener = TcpListener::from_std(listener)?;
    let acceptor = TlsAcceptor::from(tls);
    let connections = TaskTracker::new();
    while let Some(stream) = accept(&listener, &shutdown).await {
        let connection = serve_connection(stream, acceptor.clone(), service.clone(), shutdown.clone());
        connections.spawn(connection);
    }
    drop(listener);
    connections.close();
    if tokio::time::timeout(GRACE, connections.wait()).await.is_err() {
        tracing::warn!(open = connections.len(), "connections that did not end in time were cut");
    }
    Ok(())
}

/// Serves plain HTTP until `shutdown`; then requests in progress get [`GRACE`].
pub(crate) async fn serve_plain(
    listener: std::net::TcpListener,
    router: axum::Router,
    shutdown: CancellationToken,
) -> std::io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let router = router.layer(from_fn(read_to_its_end));
    let server = axum::serve(listener, router).with_graceful_shutdown(shutdown.clone().cancelled_owned());
    tokio::select! {
        ended = server.into_future() => ended,
        () = overdue(&shutdown) => {
            tracing::warn!("requests that did not end in time were cut");
            Ok(())
        }
    }
}

async fn read_to_its_end(request: axum::extract::Request, next: Next) -> axum::response::Response {
    answer_whole(request, |request| next.run(request.map(axum::body::Body::new))).await
}

async fn overdue(shutdown: &CancellationToken) {
    shutdown.cancelled().await;
    tokio::time::sleep(GRACE).await;
}

/// The next connection; nothing at shutdown.
async fn accept(listener: &TcpListener, shutdown: &CancellationToken) -> Option<TcpStream> {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shutdown.cancelled() => return None,
        };
        match accepted {
            Ok((stream, _)) => return Some(stream),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn serve_connection<S, B>(stream: TcpStream, acceptor: TlsAcceptor, service: S, shutdown: CancellationToken)
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
    B: Body<Data = Bytes, Error: Into<Box<dyn StdError + Send + Sync>>> + 'static,
{
    let handshake = async {
        stream.set_nodelay(true)?;
        acceptor.accept(stream).await
    };
    let stream = tokio::select! {
        stream = tokio::time::timeout(HANDSHAKE, handshake) => stream,
        () = shutdown.cancelled() => return,
    };
    let stream = match stream {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return tracing::debug!(%error, "a TLS handshake failed; does the client trust ca.pem?"),
        Err(_) => return tracing::debug!("a TLS handshake took too long"),
    };
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(NEXT_REQUEST);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}
