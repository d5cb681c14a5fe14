//! Errors of the API as `application/problem+json`.

use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use skillhub_protocol::{Error, Kind, Problem, ProblemItem};
use skillhub_store::StoreError;

/// An answer with an error status. One pointer wide, because it is half of every handler's result.
#[derive(Debug, Clone)]
pub struct ApiError(Box<Fields>);

#[derive(Debug, Clone)]
struct Fields {
    status: StatusCode,
    code: &'static str,
    detail: String,
    errors: Vec<ProblemItem>,
    header: Option<(HeaderName, HeaderValue)>,
    /// For the log, never for the caller.
    cause: Option<String>,
}

/// The cause of a failed request, on its way to the log.
#[derive(Debug, Clone)]
pub(crate) struct Cause(pub(crate) String);

impl ApiError {
    /// An error of this status and code. `detail` says what is wrong and what to do next.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self(Box::new(Fields { status, code, detail: detail.into(), errors: Vec::new(), header: None, cause: None }))
    }

    /// The one answer for what does not exist and for what the caller may not know of.
    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "There is nothing here that you may see.")
    }

    /// 400 for one field of the request.
    pub fn invalid(code: &'static str, path: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let detail = format!("{path}: {message}");
        Self::new(StatusCode::BAD_REQUEST, code, detail).with(code, path, message)
    }

    /// The one answer for every credential that is not accepted.
    pub fn unauthenticated() -> Self {
        let detail = "A valid token is needed: Authorization: Bearer sk_…";
        let error = Self::new(StatusCode::UNAUTHORIZED, "unauthenticated", detail);
        error.header(header::WWW_AUTHENTICATE, "Bearer")
    }

    /// 503 for a credential that cannot be checked yet: the sweeper has not fetched its issuer's keys.
    pub(crate) fn auth_unavailable() -> Self {
        let detail =
            "The keys of your token's issuer are not here yet. Try again in a moment, or use an API token (sk_…).";
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, "auth_unavailable", detail);
        error.because(String::from("there are no keys of the issuer")).header(header::RETRY_AFTER, "30")
    }

    /// 403, where the caller may know that the thing exists.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    /// 409 with this code.
    pub fn conflict(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, detail)
    }

    /// 429: the caller writes more often than it may.
    pub fn rate_limited(wait_millis: i64) -> Self {
        let detail = "You write more often than this registry allows. Wait as long as Retry-After says.";
        Self::too_many("rate_limited", detail, wait_millis)
    }

    /// 429 with this code, and the time after which to try again.
    pub fn too_many(code: &'static str, detail: impl Into<String>, wait_millis: i64) -> Self {
        let seconds = (wait_millis.max(1) - 1) / 1000 + 1;
        Self::new(StatusCode::TOO_MANY_REQUESTS, code, detail).header(header::RETRY_AFTER, &seconds.to_string())
    }

    /// The same error with one more fault.
    #[must_use]
    pub fn with(mut self, code: &str, path: &str, message: impl Into<String>) -> Self {
        self.0.errors.push(ProblemItem { code: code.to_owned(), path: path.to_owned(), message: message.into() });
        self
    }

    /// The same error with a header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        self.0.header = HeaderValue::from_str(value).ok().map(|value| (name, value));
        self
    }

    /// What is wrong and what to do next, with every fault that `detail` does not hold on a line of its own.
    pub fn text(&self) -> String {
        let faults = self.0.errors.iter().map(|item| format!("{}: {}", item.path, item.message));
        let told = faults.filter(|fault| !self.0.detail.contains(fault.as_str()));
        [self.0.detail.clone()].into_iter().chain(told).collect::<Vec<_>>().join("\n")
    }

    /// A fault of ours. The cause goes to the log, not to the caller.
    pub fn internal(cause: String) -> Self {
        let detail = "Something is wrong on our side. Please report the x-request-id of this answer.";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail).because(cause)
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// What is wrong and what to do next.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// This error as another protocol spells it. The log learns the cause all the same.
    pub fn spelled(self, mut response: Response) -> Response {
        let Fields { header, cause, .. } = *self.0;
        response.headers_mut().extend(header);
        if let Some(cause) = cause {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }

    fn unavailable(cause: String) -> Self {
        let detail = "The registry cannot answer right now. Try again in a moment.";
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail);
        error.because(cause).header(header::RETRY_AFTER, "1")
    }

    fn because(mut self, cause: String) -> Self {
        self.0.cause = Some(cause);
        self
    }
}

/// A document of the contract that is not as it must be.
impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let code = match error.kind() {
            Kind::UnsupportedSchemaVersion => "unsupported_schema_version",
            _ => "invalid_request",
        };
        Self::invalid(code, error.path(), error.message().to_owned())
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable { .. } | StoreError::Throttled { .. } | StoreError::UnknownFormat { .. } => {
                Self::unavailable(error.to_string())
            }
            StoreError::Refused { .. } | StoreError::Corrupt { .. } => Self::internal(error.to_string()),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let Fields { status, code, detail, errors, .. } = &*self.0;
        let title = status.canonical_reason().unwrap_or("Error");
        let problem = Problem { errors: errors.clone(), ..Problem::new(status.as_u16(), title, code, detail) };
        let body = serde_json::to_string(&problem).unwrap_or_default();
        let response = (*status, [(http::header::CONTENT_TYPE, "application/problem+json")], body).into_response();
        self.spelled(response)
    }
}
