//! Reading answers of the API.

use skillhub_protocol::{Error, Kind, Problem, ProblemItem};
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
                .hint("name the registry by its final address, with `--registry`");
        }
        let failure = match serde_json::from_slice::<Problem>(&self.body) {
            Ok(problem) => self.told(problem, signed_in),
            Err(_) => self.untold(what),
        };
        let failure = self.identified(failure);
        if self.status == StatusCode::UNAUTHORIZED { sign_in_hint(failure, registry, signed_in) } else { failure }
    }

    fn told(&self, problem: Problem, signed_in: bool) -> Failure {
        let Problem { code, detail, errors, .. } = problem;
        let (message, advice) = retold(&detail);
        let message = match code.as_str() {
            "unauthenticated" if signed_in => String::from("the registry does not accept the token"),
            "unauthenticated" => String::from("the registry wants a token"),
            _ => message,
        };
        let is_person = errors.iter().any(|item| item.path == "handle");
        let hint = hint(&code, is_person).map(str::to_owned).or(advice);
        let says_more =
            |item: &ProblemItem| item.message != detail && format!("{}: {}", item.path, item.message) != detail;
        let items = errors.into_iter().filter(says_more);
        let items = items.map(|item| format!("{}: {} [{}]", item.path, item.message, item.code));
        let exit = if code == "not_found" { Exit::Failed } else { self.exit() };
        let failure = Failure::new(exit, code, message).details(items);
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

/// A detail in the grammar of this command: its first sentence is what went wrong, the rest what to do about it. What speaks of
/// routes and headers is for other programs.
fn retold(detail: &str) -> (String, Option<String>) {
    let (what, advice) = detail.split_once(". ").unwrap_or((detail, ""));
    let is_for_people =
        !advice.is_empty() && !["/api/", "GET ", "x-request-id"].iter().any(|word| advice.contains(word));
    (phrase(what), is_for_people.then(|| phrase(advice)))
}

/// A sentence without its capital letter and its period.
fn phrase(sentence: &str) -> String {
    let sentence = sentence.strip_suffix('.').unwrap_or(sentence);
    let mut chars = sentence.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if second == ' ' || second.is_lowercase() => {
            first.to_lowercase().chain(sentence.chars().skip(1)).collect()
        }
        _ => sentence.to_owned(),
    }
}

/// What to do about codes that say the same wherever they come from.
fn hint(code: &str, is_person: bool) -> Option<&'static str> {
    match code {
        "not_found" if is_person => {
            Some("people have a handle once they have made it with `skillhub namespace create @HANDLE --kind personal`")
        }
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
    let why = if signed_in { "it is not one of this registry, or no longer: " } else { "" };
    failure.hint(format!("{why}sign in with `skillhub login --registry {registry} --token TOKEN`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_registries_say_is_told_in_the_grammar_of_this_command() {
        for (detail, message, advice) in [
            ("This handle is taken. Choose another one.", "this handle is taken", Some("choose another one")),
            ("A token may read. Ask for more. Now.", "a token may read", Some("ask for more. Now")),
            ("You may not. GET /api/whoami lists where you may.", "you may not", None),
            ("@team/x@1.0.0 exists. Raise it.", "@team/x@1.0.0 exists", Some("raise it")),
            ("HTTP is not spoken here", "HTTP is not spoken here", None),
            ("", "", None),
        ] {
            assert_eq!(retold(detail), (message.to_owned(), advice.map(str::to_owned)), "{detail}");
        }
    }
}
