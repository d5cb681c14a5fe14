//! Reading a request to its end before it is refused.
//!
//! A client that is still sending when the answer comes and the connection closes sees a broken pipe instead of the
//! answer; Node's `fetch` does. So what is left of a refused request's body is read and thrown away first.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use s3s::service::S3Service;

/// Most bytes that are read in vain.
const MAX_DRAINED: usize = 64 << 20;
/// Longest time that is spent on it.
const MAX_DRAINING: Duration = Duration::from_secs(30);

/// The object store as a service for one connection after another.
#[derive(Clone)]
pub(crate) struct ObjectService(S3Service);

impl ObjectService {
    pub(crate) fn new(inner: S3Service) -> Self {
        Self(inner)
    }
}

impl hyper::service::Service<Request<Incoming>> for ObjectService {
    type Response = Response<s3s::Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        Box::pin(answer(self.0.clone(), request))
    }
}

async fn answer(service: S3Service, request: Request<Incoming>) -> Result<Response<s3s::Body>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = SharedBody(Arc::new(Mutex::new(body)));
    let request = Request::from_parts(parts, s3s::Body::http_body(body.clone()));
    let mut response = service.call(request).await.unwrap_or_else(|error| {
        tracing::error!(?error, "the object store could not answer");
        let mut response = Response::new(s3s::Body::empty());
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    });
    if !response.status().is_success() && !drain(body).await {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}

/// Whether the end was reached.
async fn drain(mut body: SharedBody) -> bool {
    let to_end = async {
        let mut drained = 0;
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else { return false };
            drained += frame.data_ref().map_or(0, Bytes::len);
            if drained > MAX_DRAINED {
                return false;
            }
        }
        true
    };
    tokio::time::timeout(MAX_DRAINING, to_end).await.unwrap_or(false)
}

/// A request body that can still be read when the service has dropped its part of it.
#[derive(Clone)]
struct SharedBody(Arc<Mutex<Incoming>>);

impl SharedBody {
    fn lock(&self) -> MutexGuard<'_, Incoming> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Body for SharedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut *self.lock()).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().size_hint()
    }
}
