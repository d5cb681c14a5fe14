//! The object store as a service for one connection after another.

use std::convert::Infallible;
use std::pin::Pin;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use s3s::service::S3Service;

use crate::drain::{SharedBody, answer_whole};

/// The object store, which reads every request to its end.
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
        let service = self.0.clone();
        Box::pin(async move { Ok(answer_whole(request, |request| answer(service, request)).await) })
    }
}

async fn answer(service: S3Service, request: Request<SharedBody<Incoming>>) -> Response<s3s::Body> {
    service.call(request.map(s3s::Body::http_body)).await.unwrap_or_else(|error| {
        tracing::error!(?error, "the object store could not answer");
        let mut response = Response::new(s3s::Body::empty());
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    })
}
