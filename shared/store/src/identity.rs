//! Who is calling: API tokens and memberships.

use rand::{Rng, RngExt};
use sha2::{Digest, Sha256 as Hasher};
use skillhub_protocol::{Namespace, NamespaceKind, Role, Sha256, TokenScope, UtcMillis};

use crate::codec::decode;
use crate::error::StoreError;
use crate::ids::{NamespaceId, PrincipalId};
use crate::items::{MembershipItem, TokenItem};
use crate::keys::{Key, MEMBERSHIPS, principal_partition};
use crate::table::{Freshness, SortKeys, Table};

/// How many namespaces a principal may belong to. Two changes at once may go one beyond it, so reads take some more.
pub(crate) const MAX_MEMBERSHIPS: usize = 50;

/// An API token as its owner has it: `sk_` and 43 letters or digits (256 bits). It prints as `sk_(redacted)`.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret(String);

impl TokenSecret {
    const PREFIX: &'static str = "sk_";
    const DIGITS: usize = 43;

    /// A new token.
    pub fn generate(rng: &mut impl Rng) -> Self {
        const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let digits = (0..Self::DIGITS).map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())]));
        Self(Self::PREFIX.chars().chain(digits).collect())
    }

    /// The token in this text, if it has the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(Self::PREFIX)?;
        let legal = digits.len() == Self::DIGITS && digits.bytes().all(|b| b.is_ascii_alphanumeric());
        legal.then(|| Self(text.to_owned()))
    }

    /// The token, to be shown once.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What is stored of it. Looking a hash up by key compares no secret byte by byte.
    pub fn hash(&self) -> Sha256 {
        Sha256::from_bytes(Hasher::digest(&self.0).into())
    }
}

impl std::fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("sk_(redacted)")
    }
}

/// A known caller.
#[derive(Debug, Clone)]
pub struct Authenticated {
    /// Who it is.
    pub principal: PrincipalId,
    /// The token that was shown, as its hash.
    pub token_sha256: Option<Sha256>,
    /// What the token may be used for.
    pub scopes: Vec<TokenScope>,
    /// Every namespace that the caller belongs to.
    pub memberships: Vec<MembershipItem>,
}

impl Authenticated {
    /// The caller's membership of a namespace.
    pub fn membership(&self, namespace: &NamespaceId) -> Option<&MembershipItem> {
        self.memberships.iter().find(|m| m.namespace_id == *namespace)
    }

    /// The caller's membership of the namespace with this handle.
    pub fn membership_by_handle(&self, namespace: &Namespace) -> Option<&MembershipItem> {
        self.memberships.iter().find(|m| m.namespace == *namespace)
    }

    /// The caller's handle, that of its personal namespace.
    pub fn handle(&self) -> Option<&Namespace> {
        self.memberships.iter().find(|m| m.kind == NamespaceKind::Personal).map(|m| &m.namespace)
    }

    /// Whether the caller is an administrator of the registry: an owner of `@global`.
    pub fn is_administrator(&self) -> bool {
        self.membership(&NamespaceId::global()).is_some_and(|m| m.role == Role::Owner)
    }

    /// Whether the caller's token may be used for this.
    pub fn has_scope(&self, scope: TokenScope) -> bool {
        self.scopes.contains(&scope)
    }
}

impl Table {
    /// The caller that a token stands for: one read of the token, one query of its principal's memberships. `None` if the
    /// token is unknown, has expired or is of another epoch, without a difference between them. The token is read strongly: one
    /// read settles that a new one works and that a revoked one does not.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn authenticate(&self, token: &TokenSecret, now: UtcMillis) -> Result<Option<Authenticated>, StoreError> {
        let token_sha256 = token.hash();
        let Some(item) = self.get_strong::<TokenItem>(&Key::token(&token_sha256)).await? else {
            return Ok(None);
        };
        if !item.is_good(self.token_epoch, now) {
            return Ok(None);
        }
        let memberships = self.memberships(&item.principal, Freshness::Eventual).await?;
        Ok(Some(Authenticated {
            principal: item.principal,
            token_sha256: Some(token_sha256),
            scopes: item.scopes,
            memberships,
        }))
    }

    pub(crate) async fn memberships(
        &self,
        principal: &PrincipalId,
        freshness: Freshness,
    ) -> Result<Vec<MembershipItem>, StoreError> {
        let (partition, prefix) = (principal_partition(principal), SortKeys::Prefix(MEMBERSHIPS));
        let items = self.query(&partition, prefix, 2 * MAX_MEMBERSHIPS, freshness).await?;
        items.into_iter().map(decode).collect()
    }

    /// Keeps a token that may be used for everything, for ever; only its hash is stored.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn put_token(&self, token: &TokenSecret, principal: &PrincipalId) -> Result<(), StoreError> {
        let (principal, scopes) = (principal.clone(), TokenScope::ALL.to_vec());
        let item = TokenItem { principal, scopes, expires_at: None, epoch: self.token_epoch };
        self.put(&Key::token(&token.hash()), &item).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn tokens_have_one_form_and_do_not_print() {
        let token = TokenSecret::generate(&mut rand::rngs::StdRng::seed_from_u64(1));
        assert_eq!(TokenSecret::parse(token.expose()), Some(token.clone()));
        assert_eq!(format!("{token:?}"), "sk_(redacted)");
        for text in ["", "sk_", "sk_short", &token.expose()[1..], &format!("{}x", token.expose())] {
            assert_eq!(TokenSecret::parse(text), None);
        }
    }
}
