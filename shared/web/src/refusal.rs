//! Why a change is not made, as an answer.

use http::StatusCode;
use skillhub_store::{ChangeError, Refusal};

use crate::error::ApiError;

impl From<ChangeError> for ApiError {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Store(error) => error.into(),
            ChangeError::Refused(refusal) => refused(refusal),
        }
    }
}

/// The one place where refusals become statuses and codes.
fn refused(refusal: Refusal) -> ApiError {
    let conflict = |path: &str, detail: &str| ApiError::conflict("conflict", detail).with("conflict", path, detail);
    let refuse = |code: &'static str, path: &str, detail: &str| {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail).with(code, path, detail)
    };
    match refusal {
        Refusal::NotFound => ApiError::not_found(),
        Refusal::NotPermitted => ApiError::forbidden(
            "Your role does not allow this. An owner of the namespace can do it, or change your role.",
        ),
        Refusal::Blocked => {
            ApiError::new(StatusCode::GONE, "blocked", "This version is blocked, and stays so. Publish a new one.")
        }
        Refusal::NotAvailable => conflict("version", "The skill has no such version, or it is yanked or blocked."),
        Refusal::TooManyTags => {
            refuse("tag_invalid", "tag", "A skill has at most 10 tags. Remove one that is not needed.")
        }
        Refusal::ScopeImpossible => {
            refuse("invalid_request", "scope", "A namespace of this kind cannot have skills of this scope.")
        }
        Refusal::NoSuchPerson => {
            refuse("not_found", "handle", "Nobody has this handle. People make theirs with POST /api/namespaces.")
        }
        Refusal::NotPublisher => {
            conflict("handle", "Only publishers and owners of the namespace maintain its skills. Give the role first.")
        }
        Refusal::TooManyMaintainers => conflict("handle", "A skill has at most 20 maintainers. Remove one first."),
        Refusal::LastOwner => {
            conflict("handle", "A namespace keeps at least one owner. Make somebody else owner first.")
        }
        Refusal::PersonalNamespace => {
            conflict("namespace", "A personal namespace has one member. Make an organization to work together.")
        }
        Refusal::TooManyMembers => conflict("namespace", "A namespace has at most 1000 members."),
        Refusal::TooManyNamespaces => {
            conflict("namespace", "Nobody belongs to more than 50 namespaces. Leave one first.")
        }
        Refusal::HandleTaken => conflict("namespace", "This handle is taken. Choose another one."),
        Refusal::HasPersonalNamespace => {
            conflict("kind", "You have a personal namespace already. GET /api/whoami says which.")
        }
        Refusal::TooManyTokens => conflict("tokens", "You have 100 tokens, the most there may be. Revoke one first."),
    }
}
