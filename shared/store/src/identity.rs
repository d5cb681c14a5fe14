//! Who is calling: API tokens and memberships.

use rand::{Rng, RngExt};
use sha2::{Digest, Sha256 as Hasher};
use skillhub_protocol::{Namespace, Role, Sha256, UtcMillis};

use crate::codec::decode;
use crate::error::StoreError;
use crate::ids::{NamespaceId, PrincipalId};
use crate::items::{MembershipItem, NamespaceItem, TokenItem, TokenScope};
use crate::keys::{Key, MEMBERSHIPS, principal_partition};
use crate::table::{Freshness, SortKeys, Table};
use crate::transaction::{Outcome, Transaction};

/// How many namespaces a principal may belong to.
const MAX_MEMBERSHIPS: usize = 50;

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

    /// Whether the caller's token may be used for this.
    pub fn has_scope(&self, scope: TokenScope) -> bool {
        self.scopes.contains(&scope)
    }
}

impl Table {
    /// The caller that a token stands for: one read of the token, one query of its principal's memberships. `None` if the
    /// token is unknown or has expired, without a difference between the two.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn authenticate(&self, token: &TokenSecret, now: UtcMillis) -> Result<Option<Authenticated>, StoreError> {
        let token_sha256 = token.hash();
        let Some(item) = self.get::<TokenItem>(&Key::token(&token_sha256)).await? else {
            return Ok(None);
        };
        if item.expires_at.is_some_and(|end| end <= now) {
            return Ok(None);
        }
        let memberships = self.memberships(&item.principal).await?;
        Ok(Some(Authenticated {
            principal: item.principal,
            token_sha256: Some(token_sha256),
            scopes: item.scopes,
            memberships,
        }))
    }

    pub(crate) async fn memberships(&self, principal: &PrincipalId) -> Result<Vec<MembershipItem>, StoreError> {
        let (partition, prefix) = (principal_partition(principal), SortKeys::Prefix(MEMBERSHIPS));
        let items = self.query(&partition, prefix, MAX_MEMBERSHIPS, Freshness::Eventual).await?;
        items.into_iter().map(decode).collect()
    }

    /// Keeps a token; only its hash is stored.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn put_token(&self, token: &TokenSecret, item: &TokenItem) -> Result<(), StoreError> {
        self.put(&Key::token(&token.hash()), item).await
    }

    /// Creates a namespace with its first owner, unless the handle is taken; says whether it did.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn create_namespace(&self, namespace: &NamespaceItem, owner: &PrincipalId) -> Result<bool, StoreError> {
        let membership = MembershipItem {
            principal: owner.clone(),
            namespace_id: namespace.id.clone(),
            namespace: namespace.namespace.clone(),
            kind: namespace.kind,
            organization_id: namespace.organization_id.clone(),
            role: Role::Owner,
        };
        let mut transaction = Transaction::new();
        transaction.put_new(&Key::handle(&namespace.namespace), namespace)?;
        transaction.put_new(&Key::namespace(&namespace.id), namespace)?;
        transaction.put_new(&Key::member(&namespace.id, owner), &membership)?;
        transaction.put_new(&Key::membership(owner, &namespace.id), &membership)?;
        match self.transact(transaction).await? {
            Outcome::Committed => Ok(true),
            Outcome::ConditionsFailed(_) => Ok(false),
            Outcome::Busy => {
                let cause = String::from("another transaction is changing the namespace");
                Err(StoreError::Unavailable { operation: "TransactWriteItems", cause })
            }
        }
    }

    /// The namespace that a handle means.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn namespace_by_handle(&self, namespace: &Namespace) -> Result<Option<NamespaceId>, StoreError> {
        if namespace.is_global() {
            return Ok(Some(NamespaceId::global()));
        }
        Ok(self.get::<NamespaceItem>(&Key::handle(namespace)).await?.map(|item| item.id))
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
