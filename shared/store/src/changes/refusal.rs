//! Why a change is not made.

use crate::error::StoreError;

/// A change that is not made, for a reason that its caller can do something about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It does not exist, or the caller may not know that it does.
    #[error("there is nothing here that the caller may see")]
    NotFound,
    /// The caller sees it, but may not do this.
    #[error("the caller's role does not allow this")]
    NotPermitted,
    /// A blocked version stays blocked.
    #[error("the version is blocked")]
    Blocked,
    /// A tag can only mean a version that is available.
    #[error("the version is not available")]
    NotAvailable,
    /// The skill has as many tags as it may.
    #[error("the skill has 10 tags already")]
    TooManyTags,
    /// The namespace's kind does not have this scope.
    #[error("the namespace cannot have skills of this scope")]
    ScopeImpossible,
    /// No personal namespace has this handle.
    #[error("nobody has this handle")]
    NoSuchPerson,
    /// Only who may publish to the namespace can maintain a skill of it.
    #[error("the person is no publisher of the namespace")]
    NotPublisher,
    /// The skill has as many maintainers as it may.
    #[error("the skill has 20 maintainers already")]
    TooManyMaintainers,
    /// A namespace keeps at least one owner.
    #[error("the namespace would have no owner")]
    LastOwner,
    /// A personal namespace has one member.
    #[error("a personal namespace has no other members")]
    PersonalNamespace,
    /// The namespace has as many members as it may.
    #[error("the namespace has 1000 members already")]
    TooManyMembers,
    /// The person belongs to as many namespaces as it may.
    #[error("the person belongs to 50 namespaces already")]
    TooManyNamespaces,
    /// Somebody has this handle.
    #[error("the handle is taken")]
    HandleTaken,
    /// The caller has a personal namespace.
    #[error("the caller has a personal namespace already")]
    HasPersonalNamespace,
    /// The caller has as many tokens as it may.
    #[error("the caller has 100 tokens already")]
    TooManyTokens,
}

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// It may not be made.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A store failed. Whether the change was made may then be unknown; making it again is safe.
    #[error(transparent)]
    Store(#[from] StoreError),
}
