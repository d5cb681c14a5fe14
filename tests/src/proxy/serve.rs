//! The proxy's connections: reading a call, doing to it what is planned, passing on the rest.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::request::Parts;
use http::uri::{Authority, Scheme};
use http::{Request, Response, Uri};
use http_body_util::{BodyExt as _, Either, Full};
use hyper::body::{Body, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

use super::call::{Answered, Call, Operation};
use super::fault::Fault;
use super::plan::{Action, Moment};
use super::{Log, Store, units};
use crate::wire::{Wire, WireError};

/// A whole answer, or one that ends in the middle.
type Answer = Response<Either<Full<Bytes>, Cut>>;

/// One of the two stores behind the proxy.
#[derive(Clone)]
pub(super) struct Upstream {
    pub(super) store: Store,
    pub(super) scheme: Scheme,
    pub(super) authority: Authority,
    pub(super) wire: Wire,
    pub(super) log: Arc<Log>,
}

/// What ends a connection without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the connection ends here")]
struct Ended;

/// Serves one connection after another, for ever.
pub(super) async fn serve(listener: TcpListener, upstream: Upstream) -> io::Result<Infallible> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(connection(stream, upstream.clone()));
    }
}

async fn connection(stream: TcpStream, upstream: Upstream) {
    let reset = Arc::new(AtomicBool::new(false));
    let service = service_fn(|request: Request<Incoming>| {
        let (upstream, reset) = (upstream.clone(), reset.clone());
        // A task of its own: what the SDK has given up may be carried out all the same, as on any network.
        upstream.log.under_way.send_modify(|calls| *calls += 1);
        let handling = tokio::spawn(async move {
            let answer = upstream.handle(request, &reset).await;
            upstream.log.under_way.send_modify(|calls| *calls -= 1);
            answer
        });
        Box::pin(async move { handling.await.unwrap_or(Err(Ended)) })
    });
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // Its end is the client's affair or our own doing.
    let _ended = poll_fn(|cx| connection.poll_without_shutdown(cx)).await;
    let stream = connection.into_parts().io.into_inner();
    if reset.load(Ordering::SeqCst) {
        // Closing with unsent data thrown away is a reset.
        let _unsupported = stream.set_zero_linger();
    }
}

impl Upstream {
    async fn handle(&self, request: Request<Incoming>, reset: &AtomicBool) -> Result<Answer, Ended> {
        let (head, mut body) = request.into_parts();
        let (call, received) = match self.store {
            Store::Table => {
                let received = (&mut body).collect().await.map_err(|_| Ended)?.to_bytes();
                (Call::of_table(&head, &received), Some(received))
            }
            Store::Objects => (Call::of_objects(&head), None),
        };
        let (number, action) = self.log.arrive(call.clone());
        if let Some(Action::Fault(Fault::ResetBefore)) = action {
            if received.is_none() {
                body.frame().await;
            }
            reset.store(true, Ordering::SeqCst);
            return Err(Ended);
        }
        let received = match received {
            Some(received) => received,
            None => body.collect().await.map_err(|_| Ended)?.to_bytes(),
        };
        self.log.complete(number, |call| call.bytes_in = received.len());
        self.act(number, &call, action, (head, received), reset).await
    }

    async fn act(
        &self,
        number: usize,
        call: &Call,
        action: Option<Action>,
        request: (Parts, Bytes),
        reset: &AtomicBool,
    ) -> Result<Answer, Ended> {
        match action {
            None => self.pass_on(number, call, request).await.map(whole),
            Some(Action::Hold(Moment::Before, gate)) => {
                gate.wait().await;
                self.pass_on(number, call, request).await.map(whole)
            }
            Some(Action::Hold(Moment::After, gate)) => {
                let answer = self.pass_on(number, call, request).await;
                gate.wait().await;
                answer.map(whole)
            }
            Some(Action::Fault(fault)) => self.suffer(number, call, fault, request, reset).await,
        }
    }

    async fn suffer(
        &self,
        number: usize,
        call: &Call,
        fault: Fault,
        request: (Parts, Bytes),
        reset: &AtomicBool,
    ) -> Result<Answer, Ended> {
        if let Some(refusal) = fault.refusal(call) {
            return Ok(whole(refusal));
        }
        if let Fault::Late(pause) = fault {
            tokio::time::sleep(pause).await;
        }
        let answer = self.pass_on(number, call, request).await?;
        match fault {
            Fault::FailedAfterwards => Ok(whole(Fault::failure(call))),
            Fault::ResetAfterwards => {
                reset.store(true, Ordering::SeqCst);
                Ok(cut(answer))
            }
            Fault::Truncated => Ok(cut(answer)),
            Fault::AnsweredLate(pause) => {
                tokio::time::sleep(pause).await;
                Ok(whole(answer))
            }
            _ => Ok(whole(answer)),
        }
    }

    /// Sends the call to its store, with every header as it came, and notes the answer.
    async fn pass_on(
        &self,
        number: usize,
        call: &Call,
        (mut head, mut body): (Parts, Bytes),
    ) -> Result<Response<Bytes>, Ended> {
        let counts = self.store == Store::Table && self.log.units.load(Ordering::Relaxed);
        if counts {
            self.log.complete(number, |call| call.item_bytes += units::item_bytes(&body));
            body = units::demand(&body).ok_or(Ended)?;
            head.headers.insert(CONTENT_LENGTH, body.len().into());
        }
        let answer = self.send((head, body)).await.map_err(|_| Ended)?;
        if counts {
            self.log.complete(number, |call| {
                call.item_bytes += units::item_bytes(answer.body());
                call.units = units::consumed(answer.body());
            });
        }
        let items = (call.operation == Operation::Query)
            .then(|| serde_json::from_slice::<serde_json::Value>(answer.body()).ok()?["Count"].as_u64())
            .flatten();
        let answered = Answered { status: answer.status().as_u16(), bytes_out: answer.body().len(), items };
        self.log.complete(number, |call| call.answer = Some(answered));
        Ok(answer)
    }

    async fn send(&self, (mut head, body): (Parts, Bytes)) -> Result<Response<Bytes>, WireError> {
        let mut uri = head.uri.into_parts();
        (uri.scheme, uri.authority) = (Some(self.scheme.clone()), Some(self.authority.clone()));
        head.uri = Uri::from_parts(uri)?;
        let mut answer = self.wire.send(Request::from_parts(head, body)).await?;
        // The body has been put together, whatever pieces it came in.
        answer.headers_mut().remove(TRANSFER_ENCODING);
        Ok(answer)
    }
}

fn whole(answer: Response<Bytes>) -> Answer {
    answer.map(|body| Either::Left(Full::new(body)))
}

/// Says that there is more than comes.
fn cut(mut answer: Response<Bytes>) -> Answer {
    let length = answer.body().len();
    answer.headers_mut().insert(CONTENT_LENGTH, length.max(1).into());
    answer.map(|body| Either::Right(Cut { half: Some(body.slice(..length / 2)), flushed: false }))
}

/// Half of a body, then the end of the connection.
struct Cut {
    half: Option<Bytes>,
    flushed: bool,
}

impl Body for Cut {
    type Data = Bytes;
    type Error = Ended;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Ended>>> {
        if let Some(half) = self.half.take() {
            return Poll::Ready(Some(Ok(Frame::data(half))));
        }
        if self.flushed {
            return Poll::Ready(Some(Err(Ended)));
        }
        // One round of waiting, in which the half is sent.
        self.flushed = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}
