//! Moving packages: presigned URLs are used without the token.

use skillhub_protocol::{DownloadResponse, HttpsUrl, PresignedPut};
use ureq::http::header::CONTENT_LENGTH;
use ureq::http::{Method, Request, StatusCode};
use ureq::{AsSendBody, Body, SendBody};
use url::Url;

use super::api::Client;
use super::http::{read_body, unreachable};
use crate::error::{Exit, Failure};
use crate::output::Progress;

/// What became of a download.
#[derive(Debug)]
pub(crate) enum Fetched {
    /// The bytes, as many as were declared.
    Bytes(Vec<u8>),
    /// The URL does not work any more.
    Expired,
}

/// What became of an upload.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// The store has the bytes, from now or from before.
    Yes,
    /// The URL does not work any more.
    Expired,
}

impl Client {
    /// Downloads a package of exactly `credential.size_bytes`.
    pub(crate) fn fetch(&self, credential: &DownloadResponse, progress: &Progress) -> Result<Fetched, Failure> {
        let request = Request::builder().method(Method::GET).uri(credential.url.expose());
        let response = self.transfer(&credential.url, request, ())?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::FORBIDDEN => return Ok(Fetched::Expired),
            status => return Err(refused_by_store("download", &credential.url, status)),
        }
        let size = credential.size_bytes;
        if let Some(announced) = response.body().content_length().filter(|announced| *announced != size) {
            return Err(wrong_size(size, &announced.to_string()));
        }
        let body = read_body(progress.read(response.into_body().into_reader(), size), size);
        let body = body.map_err(|error| unreachable(&credential.url.to_string(), &error.into()))?;
        match body {
            Some(bytes) if bytes.len() as u64 == size => Ok(Fetched::Bytes(bytes)),
            Some(bytes) => Err(wrong_size(size, &bytes.len().to_string())),
            None => Err(wrong_size(size, "more")),
        }
    }

    /// Uploads a package with exactly the headers that were signed.
    pub(crate) fn store(&self, put: &PresignedPut, package: &[u8], progress: &Progress) -> Result<Stored, Failure> {
        let mut request = Request::builder().method(Method::PUT).uri(put.url.expose());
        for (name, value) in &put.headers {
            request = request.header(name, value);
        }
        if !put.headers.keys().any(|name| name.eq_ignore_ascii_case(CONTENT_LENGTH.as_str())) {
            request = request.header(CONTENT_LENGTH, package.len());
        }
        let mut reader = progress.read(package, package.len() as u64);
        let response = self.transfer(&put.url, request, SendBody::from_reader(&mut reader))?;
        match response.status() {
            // Precondition failed: the object is there already.
            StatusCode::OK | StatusCode::CREATED | StatusCode::NO_CONTENT | StatusCode::PRECONDITION_FAILED => {
                Ok(Stored::Yes)
            }
            StatusCode::FORBIDDEN => Ok(Stored::Expired),
            status => Err(refused_by_store("upload", &put.url, status)),
        }
    }

    fn transfer(
        &self,
        url: &HttpsUrl,
        request: ureq::http::request::Builder,
        body: impl AsSendBody,
    ) -> Result<ureq::http::Response<Body>, Failure> {
        let failed = |error: ureq::Error| unreachable(&url.to_string(), &error);
        let target = Url::parse(url.expose()).map_err(|e| failed(ureq::Error::BadUri(e.to_string())))?;
        let request = request.body(body).map_err(|e| failed(e.into()))?;
        self.http.run(&target, request).map_err(failed)
    }
}

fn refused_by_store(action: &str, url: &HttpsUrl, status: StatusCode) -> Failure {
    let failure = Failure::new(Exit::Network, "unexpected_status", format!("the {action} was answered with {status}"));
    let failure = failure.detail(format!("at {url}"));
    if status.is_redirection() { failure.detail("redirects of presigned URLs are not followed") } else { failure }
}

fn wrong_size(expected: u64, got: &str) -> Failure {
    Failure::new(Exit::Refused, "digest_mismatch", "the download is not the package that the registry declared")
        .detail(format!("expected {expected} bytes"))
        .detail(format!("got      {got} bytes"))
        .hint("try again; if it stays, something on the way or the registry's store is broken")
}
