//! Reading answers of the API.

use skillhub_protocol::{Error, Kind, Problem};
use ureq::http::StatusCode;

use crate::config::RegistryUrl;
use crate::error::{Exit, Failure};

/// An answer, read whole.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) request_id: Option<String>,
    pub(super) retry_after: Option<u64>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// The body of a success, read with a parser of the protocol.
    pub(super) fn parse<T>(&self, what: &str, read: fn(&str) -> Result<T, Error>) -> Result<T, Failure> {
        let text = std::str::from_utf8(&self.body);
        let text = text.map_err(|_| Error::new("response", Kind::Json, "must be UTF-8"));
        text.and_then(read).map_err(|error| self.not_understood(what, &error))
    }

    fn not_understood(&self, what: &str, error: &Error) -> Failure {
        let newer = error.kind() == Kind::UnsupportedSchemaVersion;
        let code = if newer { "newer_client_needed" } else { "invalid_answer" };
        let failure = Failure::new(Exit::Failed, code, format!("cannot understand the answer to {what}"));
        let failure = self.identified(failure.detail(error.to_string()));
        match error.kind() {
            Kind::UnsupportedSchemaVersion => failure.hint("update skillhub; what is installed was left as it is"),
            Kind::Json => failure.hint("check that the address is that of a skillhub registry"),
            _ => failure.hint("the fault is the registry's: tell those who run it"),
        }
    }

    /// What an answer with an error status says.
    pub(super) fn failure(&self, what: &str, registry: &RegistryUrl, signed_in: bool) -> Failure {
        if self.status.is_redirection() {
            let message = format!("{what} was answered with a redirect, which is not followed");
            return Failure::new(Exit::Network, "redirect", message)
                .hint("name the registry by its final address, with --registry");
        }
        let failure = match serde_json::from_slice::<Problem>(&self.body) {
            Ok(problem) => self.told(problem),
            Err(_) => self.untold(what),
        };
        let failure = self.identified(failure);
        if self.status == StatusCode::UNAUTHORIZED { sign_in_hint(failure, registry, signed_in) } else { failure }
    }

    fn told(&self, problem: Problem) -> Failure {
        let items = problem.errors.into_iter();
        let items = items.map(|item| format!("{}: {} [{}]", item.path, item.message, item.code));
        let exit = if problem.code == "not_found" { Exit::Failed } else { self.exit() };
        let hint = hint(&problem.code);
        let failure = Failure::new(exit, problem.code, problem.detail).details(items);
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }

    fn untold(&self, what: &str) -> Failure {
        let failure =
            Failure::new(self.exit(), "unexpected_status", format!("{what} was answered with {}", self.status));
        match self.status {
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
                failure.hint("check the registry's address; a registry older than this client may not know the route")
            }
            _ => failure,
        }
    }

    fn identified(&self, failure: Failure) -> Failure {
        match &self.request_id {
            Some(id) => failure.detail(format!("request id: {id}")),
            None => failure,
        }
    }

    fn exit(&self) -> Exit {
        match self.status.as_u16() {
            401 | 403 => Exit::Authentication,
            409 => Exit::Conflict,
            413 | 422 => Exit::Refused,
            429 | 500.. => Exit::Network,
            _ => Exit::Failed,
        }
    }
}

/// What to do about codes that say the same wherever they come from.
fn hint(code: &str) -> Option<&'static str> {
    match code {
        "not_found" => {
            Some("check the name; what you may not see is not found either, and `skillhub whoami` says who you are")
        }
        "blocked" => Some("a block is for good: publish or install another version"),
        "rate_limited" | "quota_exceeded" => Some("try again later"),
        "auth_unavailable" | "unavailable" | "internal" => {
            Some("try again later; if it stays, tell those who run the registry")
        }
        _ => None,
    }
}

fn sign_in_hint(failure: Failure, registry: &RegistryUrl, signed_in: bool) -> Failure {
    let why = if signed_in { "the token is not one of this registry, or no longer: " } else { "" };
    failure.hint(format!("{why}sign in with `skillhub login --registry {registry} --token TOKEN`"))
}
