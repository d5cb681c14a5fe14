//! The routes, as methods.

use std::thread;
use std::time::Duration;

use serde::Serialize;
use skillhub_protocol::{
    Coordinate, DownloadResponse, Error, ListResponse, NamedSkillResponse, Namespace, OpenUpload, ResolveResponse,
    Selector, SkillId, SkillSummary, Slug, UploadId, UploadSession, VersionDetail, VersionId, VersionResponse, WhoAmI,
};
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use ureq::http::{HeaderMap, Method, Request};
use url::Url;

use super::answer::Answer;
use super::http::{Http, is_transient, read_body, unreachable};
use super::manage::pages;
use crate::config::{Endpoint, RegistryUrl};
use crate::error::{Exit, Failure};

/// No answer of the API comes near this size.
const MAX_ANSWER_BYTES: u64 = 4 << 20;
const ATTEMPTS: u32 = 4;
const FIRST_DELAY: Duration = Duration::from_millis(200);
/// A registry that asks for more patience than this gets the decision back to the user.
const MAX_DELAY: Duration = Duration::from_secs(10);

/// A client of one registry. It sends the token to that registry only, and follows no redirect.
#[derive(Clone)]
pub struct Client {
    pub(super) http: Http,
    endpoint: Endpoint,
}

/// A request that may be sent again: reading, or a change that the registry recognizes.
pub(super) struct Call<'a> {
    method: Method,
    url: Url,
    body: Option<&'a str>,
    /// How messages name it, without the query.
    what: String,
    /// Whether a second time would do it twice.
    once: bool,
}

impl Client {
    /// A client for this registry.
    ///
    /// # Errors
    /// If the file with certificates is unreadable.
    pub fn new(endpoint: Endpoint) -> Result<Self, Failure> {
        Ok(Self { http: Http::new(endpoint.ca.as_deref())?, endpoint })
    }

    /// The registry.
    pub fn registry(&self) -> &RegistryUrl {
        &self.endpoint.registry
    }

    /// The registry, the token, and the defaults that belong to them.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Who the token belongs to.
    ///
    /// # Errors
    /// As all methods: no connection, an error status, or an answer that is not understood.
    pub fn whoami(&self) -> Result<WhoAmI, Failure> {
        self.get(&["whoami"], &[], WhoAmI::from_json)
    }

    /// What a coordinate means now.
    pub(crate) fn resolve(&self, coordinate: &Coordinate) -> Result<ResolveResponse, Failure> {
        let answer = self.ask(coordinate);
        answer.map_err(|failure| if failure.is_not_found() { self.means_nothing(failure, coordinate) } else { failure })
    }

    /// The same for who expects that it may mean nothing: why is not asked.
    pub(crate) fn ask(&self, coordinate: &Coordinate) -> Result<ResolveResponse, Failure> {
        let text = coordinate.to_string();
        self.get(&["resolve"], &[("coordinate", &text)], ResolveResponse::from_json)
    }

    /// The skill of this name, even if no version of it is available.
    pub(crate) fn named(&self, namespace: &Namespace, slug: &Slug) -> Result<SkillId, Failure> {
        let path = ["namespaces", namespace.handle(), "skills", slug.as_str()];
        let answer = self.get(&path, &[], NamedSkillResponse::from_json);
        let answer = answer.map_err(|failure| match failure.code() {
            "not_found" => self.unknown(failure, &format!("{namespace}/{slug}")),
            _ => failure,
        });
        answer.map(|skill| skill.skill_id)
    }

    /// Why: there is no such skill, or it has no such version.
    fn means_nothing(&self, failure: Failure, coordinate: &Coordinate) -> Failure {
        let (namespace, slug) = (coordinate.namespace(), coordinate.slug());
        if self.named(namespace, slug).is_err() {
            return self.unknown(failure, &coordinate.to_string());
        }
        let message = match coordinate.selector() {
            Selector::Latest => format!("no version of {namespace}/{slug} is available"),
            Selector::Version(release) => format!("{namespace}/{slug} has no version {release}"),
            Selector::Tag(tag) => format!("{namespace}/{slug} has no tag {tag}"),
        };
        let hint = match coordinate.selector() {
            Selector::Tag(_) => format!("`skillhub tag list {namespace}/{slug}` shows its tags"),
            _ => format!("`skillhub versions {namespace}/{slug}` shows its versions"),
        };
        Failure::new(Exit::Failed, "not_found", message).detail(format!("looked in {}", self.registry())).hint(hint)
    }

    fn unknown(&self, failure: Failure, what: &str) -> Failure {
        let hint = match self.endpoint.token {
            Some(_) => "`skillhub list --remote` shows what you can see there",
            None => "if it is not public, sign in with `skillhub login` first",
        };
        Failure::new(Exit::Failed, "not_found", format!("there is no {what} that you may see"))
            .details(failure.detail_lines().iter().cloned())
            .detail(format!("looked in {}", self.registry()))
            .hint(hint)
    }

    /// All skills that the caller can see.
    pub(crate) fn skills(&self) -> Result<Vec<SkillSummary>, Failure> {
        pages(|cursor: Option<&SkillId>| {
            let mut query = vec![("limit", "100")];
            query.extend(cursor.map(|cursor| ("cursor", cursor.as_str())));
            let page = self.get(&["skills"], &query, ListResponse::from_json)?;
            Ok((page.skills, page.next_cursor))
        })
    }

    /// Whether the list of skills is answered.
    pub(crate) fn first_skills(&self) -> Result<(), Failure> {
        self.get(&["skills"], &[("limit", "1")], ListResponse::from_json).map(drop)
    }

    /// A version with its manifest.
    pub(crate) fn version(&self, skill: &SkillId, version: &VersionId) -> Result<VersionDetail, Failure> {
        let path = ["skills", skill.as_str(), "versions", version.as_str()];
        self.get(&path, &[], VersionResponse::from_json).map(|answer| answer.version)
    }

    /// Where to download a version.
    pub(crate) fn download(&self, skill: &SkillId, version: &VersionId) -> Result<DownloadResponse, Failure> {
        let path = ["skills", skill.as_str(), "versions", version.as_str(), "download"];
        self.get(&path, &[], DownloadResponse::from_json)
    }

    /// Opens an upload session. The registry gives the same opener of the same upload the same session, so it may be asked
    /// again.
    pub(crate) fn open_upload(&self, request: &OpenUpload) -> Result<UploadSession, Failure> {
        self.change(Method::POST, &["uploads"], request, false)?.parse("POST /api/uploads", UploadSession::from_json)
    }

    /// An upload session.
    pub(crate) fn upload(&self, id: &UploadId) -> Result<UploadSession, Failure> {
        self.get(&["uploads", id.as_str()], &[], UploadSession::from_json)
    }

    /// Gives an upload session up.
    pub(crate) fn cancel_upload(&self, id: &UploadId) -> Result<(), Failure> {
        self.delete(&["uploads", id.as_str()])
    }

    pub(super) fn get<T>(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
        read: fn(&str) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        let call = self.call(Method::GET, path, query);
        self.send(&call)?.parse(&call.what, read)
    }

    /// Sends a body. `once` is for changes that the registry would make again if it got them again.
    pub(super) fn change(
        &self,
        method: Method,
        path: &[&str],
        body: &impl Serialize,
        once: bool,
    ) -> Result<Answer, Failure> {
        let body = serde_json::to_string(body).unwrap_or_default();
        self.send(&Call { body: Some(&body), once, ..self.call(method, path, &[]) })
    }

    pub(super) fn call(&self, method: Method, path: &[&str], query: &[(&str, &str)]) -> Call<'static> {
        let mut url = self.registry().route(&["api"]);
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.extend(path);
        }
        let what = format!("{method} {}", url.path());
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Call { method, url, body: None, what, once: false }
    }

    /// Sends the call until it is answered, a bounded number of times; an error status is a failure.
    pub(super) fn send(&self, call: &Call<'_>) -> Result<Answer, Failure> {
        let mut attempt = 1;
        loop {
            let outcome = self.attempt(call);
            match delay(&outcome, attempt).filter(|_| !call.once) {
                Some(delay) => thread::sleep(delay),
                None => return self.judge(call, outcome),
            }
            attempt = attempt.saturating_add(1);
        }
    }

    fn judge(&self, call: &Call<'_>, outcome: Result<Answer, ureq::Error>) -> Result<Answer, Failure> {
        let answer = outcome.map_err(|error| unreachable(&self.registry().to_string(), &error))?;
        if answer.status.is_success() {
            return Ok(answer);
        }
        Err(answer.failure(&call.what, self.registry(), self.endpoint.token.is_some()))
    }

    fn attempt(&self, call: &Call<'_>) -> Result<Answer, ureq::Error> {
        let mut request = Request::builder().method(&call.method).uri(call.url.as_str());
        request = request.header(ACCEPT, "application/json, application/problem+json");
        if let Some(token) = &self.endpoint.token {
            request = request.header(AUTHORIZATION, format!("Bearer {}", token.expose()));
        }
        let response = match call.body {
            Some(body) => {
                let request = request.header(CONTENT_TYPE, "application/json").body(body);
                self.http.run(&call.url, request?)
            }
            None => self.http.run(&call.url, request.body(())?),
        }?;
        let (parts, body) = response.into_parts();
        let body = read_body(body.into_reader(), MAX_ANSWER_BYTES)?;
        let body = body.ok_or(ureq::Error::BodyExceedsLimit(MAX_ANSWER_BYTES))?;
        Ok(Answer {
            status: parts.status,
            request_id: header(&parts.headers, "x-request-id"),
            retry_after: header(&parts.headers, RETRY_AFTER.as_str()).and_then(|seconds| seconds.parse().ok()),
            body,
        })
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// How long to wait before the next attempt; `None` if there shall be none.
fn delay(outcome: &Result<Answer, ureq::Error>, attempt: u32) -> Option<Duration> {
    let asked = match outcome {
        Ok(answer) if matches!(answer.status.as_u16(), 429 | 502..=504) => answer.retry_after.map(Duration::from_secs),
        Err(error) if is_transient(error) => None,
        _ => return None,
    };
    let own = FIRST_DELAY.saturating_mul(2u32.saturating_pow(attempt.saturating_sub(1)));
    let delay = asked.unwrap_or(own);
    (attempt < ATTEMPTS && delay <= MAX_DELAY).then_some(delay)
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}
