//! Namespaces, their members, tokens, and what people did.

use serde::{Deserialize, Serialize};
use skillhub_protocol::{
    Namespace, NamespaceKind, OrganizationId, Role, Sha256, TokenId, TokenName, TokenScope, TokenSummary, UtcMillis,
};

use crate::ids::{NamespaceId, PrincipalId};

/// What a handle means: `H#<handle>` / `#`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HandleItem {
    /// The namespace that has it.
    pub(crate) namespace_id: NamespaceId,
}

/// A namespace: `N#<nsId>` / `#`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespaceItem {
    /// The internal id.
    pub id: NamespaceId,
    /// The handle.
    pub namespace: Namespace,
    /// What kind of owner it is.
    pub kind: NamespaceKind,
    /// The organization's id in answers, for kind organization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<OrganizationId>,
    /// How many members are owners; never 0.
    pub owners: u32,
    /// How many members there are.
    pub members: u32,
    /// Raised by every change of the members.
    pub rev: u64,
}

/// A membership, kept both ways: `P#<principal>` / `N#<nsId>` and `N#<nsId>` / `M#<principal>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MembershipItem {
    /// Who.
    pub principal: PrincipalId,
    /// In which namespace.
    pub namespace_id: NamespaceId,
    /// Its handle.
    pub namespace: Namespace,
    /// What kind of owner it is.
    pub kind: NamespaceKind,
    /// The organization's id in answers, for kind organization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<OrganizationId>,
    /// What the member may do.
    pub role: Role,
}

/// An API token: `K#<sha256 of the token>` / `#`. All that authentication needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TokenItem {
    /// Whose it is.
    pub(crate) principal: PrincipalId,
    /// What it may be used for.
    pub(crate) scopes: Vec<TokenScope>,
    /// When it stops working; `None` is never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<UtcMillis>,
    /// In which epoch it was made: it is good in no other.
    #[serde(default)]
    pub(crate) epoch: u32,
}

impl TokenItem {
    /// Whether it is good at this time.
    pub(crate) fn is_good(&self, epoch: u32, now: UtcMillis) -> bool {
        self.epoch == epoch && self.expires_at.is_none_or(|end| end > now)
    }
}

/// A token among its owner's: `P#<principal>` / `K#<tokenId>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnTokenItem {
    /// The token's id.
    pub(crate) id: TokenId,
    /// What its owner calls it.
    pub(crate) name: TokenName,
    /// Where the token itself is.
    pub(crate) token_sha256: Sha256,
    /// What it may be used for.
    pub(crate) scopes: Vec<TokenScope>,
    /// When it was made.
    pub(crate) created_at: UtcMillis,
    /// When it stops working.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<UtcMillis>,
}

impl OwnTokenItem {
    pub(crate) fn summary(self) -> TokenSummary {
        TokenSummary {
            id: self.id,
            name: self.name,
            scopes: self.scopes,
            created_at: self.created_at,
            expires_at: self.expires_at,
        }
    }
}

/// One change, written in its own transaction: `A#<nsId>` / `<time>#<random>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditItem {
    /// Who did it.
    pub principal: PrincipalId,
    /// Its handle at that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<Namespace>,
    /// What was done, such as `publish`.
    pub action: String,
    /// To what, such as `@global/hello@1.0.0`.
    pub subject: String,
    /// The digest or reason that goes with it.
    pub detail: String,
}

/// How far a principal is ahead of its rate: `RL#<principal>` / `#`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RateItem {
    /// The time at which the bucket is full again, in milliseconds since 1970.
    pub(crate) full_at: i64,
    /// When the item may go, in seconds since 1970.
    pub(crate) ttl: i64,
}

/// That somebody likes a skill: `P#<principal>` / `ST#<skillId>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StarItem {
    /// Since when.
    pub(crate) at: UtcMillis,
}
