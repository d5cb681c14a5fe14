//! Reading a request to its end before it is answered.
//!
//! A connection that closes while its client is still sending takes the answer with it: the client sees a broken pipe, or
//! half an answer. So what a service has left of a body is read and thrown away first, as the gateway on AWS does.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, SizeHint};

/// Most bytes that are read in vain.
const MAX_DRAINED: usize = 64 << 20;
/// Longest time that is spent on it.
const MAX_DRAINING: Duration = Duration::from_secs(30);

/// The service's answer to a request, once the request has been read to its end. Where that takes too much or too long,
/// the connection closes after the answer.
pub(crate) async fn answer_whole<B, R, F>(
    request: Request<B>,
    service: impl FnOnce(Request<SharedBody<B>>) -> F,
) -> Response<R>
where
    B: Body<Data = Bytes> + Unpin,
    F: Future<Output = Response<R>>,
{
    let (parts, body) = request.into_parts();
    let body = SharedBody(Arc::new(Mutex::new(body)));
    let mut response = service(Request::from_parts(parts, body.clone())).await;
    if !drain(body).await {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Whether the end was reached.
async fn drain<B: Body<Data = Bytes> + Unpin>(mut body: SharedBody<B>) -> bool {
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
pub(crate) struct SharedBody<B>(Arc<Mutex<B>>);

impl<B> Clone for SharedBody<B> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<B> SharedBody<B> {
    fn lock(&self) -> MutexGuard<'_, B> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<B: Body + Unpin> Body for SharedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut *self.lock()).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().size_hint()
    }
}
