//! API tokens: made, listed and revoked by whom they belong to.

use rand::Rng;
use skillhub_protocol::{CreateToken, TokenId, TokenSummary};

use super::{Attempts, ChangeError, ChangedBy, Refusal};
use crate::audit::record;
use crate::codec::decode;
use crate::error::StoreError;
use crate::identity::TokenSecret;
use crate::ids::{NamespaceId, PrincipalId, mint_token_id};
use crate::items::{OwnTokenItem, TokenItem};
use crate::keys::{Key, OWN_TOKENS, principal_partition};
use crate::permission::demand_token;
use crate::table::{Freshness, SortKeys, Table};
use crate::transaction::{Outcome, Transaction};

/// How many tokens a principal may have, expired ones included.
const MAX_TOKENS: usize = 100;

/// A token that was just made: the only time that the secret is at hand.
#[derive(Debug)]
pub struct NewToken {
    /// The token.
    pub secret: TokenSecret,
    /// What is known of it from now on.
    pub summary: TokenSummary,
}

impl Table {
    /// Makes a token for the caller. Its scopes must be among those of the caller: [`Refusal::NotPermitted`] otherwise.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn create_token(
        &self,
        by: ChangedBy<'_>,
        request: &CreateToken,
        rng: &mut (impl Rng + Send),
    ) -> Result<NewToken, ChangeError> {
        if !request.scopes.iter().all(|scope| by.caller.has_scope(*scope)) {
            return Err(Refusal::NotPermitted.into());
        }
        let principal = &by.caller.principal;
        let secret = TokenSecret::generate(rng);
        let own = OwnTokenItem {
            id: mint_token_id(by.now, rng),
            name: request.name.clone(),
            token_sha256: secret.hash(),
            scopes: request.scopes.clone(),
            created_at: by.now,
            expires_at: request.expires_at,
        };
        let (scopes, expires_at) = (own.scopes.clone(), own.expires_at);
        let item = TokenItem { principal: principal.clone(), scopes, expires_at, epoch: self.token_epoch };
        let mut attempts = Attempts::new();
        loop {
            if self.tokens(principal).await?.len() >= MAX_TOKENS {
                return Err(Refusal::TooManyTokens.into());
            }
            let mut transaction = Transaction::new();
            transaction.put_new(&Key::token(&own.token_sha256), &item)?;
            transaction.put_new(&Key::own_token(principal, &own.id), &own)?;
            demand_token(&mut transaction, by.caller.token_sha256.as_ref(), by.now)?;
            let change = by.change("token.create", own.id.as_str(), own.name.as_str(), rng);
            record(&mut transaction, &NamespaceId::personal(principal), by.actor(), change)?;
            match self.transact(transaction).await? {
                Outcome::Committed => return Ok(NewToken { secret, summary: own.summary() }),
                // It is there already, if an attempt before a conflict was carried out unheard: nobody else knows its secret.
                Outcome::ConditionsFailed(_) => {
                    let is_made = self.get_strong::<TokenItem>(&Key::token(&own.token_sha256)).await?.is_some();
                    let made = is_made.then(|| NewToken { secret, summary: own.summary() });
                    return made.ok_or(Refusal::NotPermitted.into());
                }
                outcome => attempts.again(outcome, rng).await?,
            }
        }
    }

    /// Revokes a token of the caller's, which may be the one that it calls with.
    ///
    /// # Errors
    /// [`ChangeError`]; [`Refusal::NotFound`] if the caller has no such token.
    pub async fn revoke_token(
        &self,
        by: ChangedBy<'_>,
        id: &TokenId,
        rng: &mut (impl Rng + Send),
    ) -> Result<(), ChangeError> {
        let principal = &by.caller.principal;
        let key = Key::own_token(principal, id);
        let mut attempts = Attempts::new();
        loop {
            let own = self.get_strong::<OwnTokenItem>(&key).await?.ok_or(Refusal::NotFound)?;
            let mut transaction = Transaction::new();
            transaction.delete_existing(&Key::token(&own.token_sha256))?;
            transaction.delete_existing(&key)?;
            if by.caller.token_sha256 != Some(own.token_sha256) {
                demand_token(&mut transaction, by.caller.token_sha256.as_ref(), by.now)?;
            }
            let change = by.change("token.revoke", id.as_str(), own.name.as_str(), rng);
            record(&mut transaction, &NamespaceId::personal(principal), by.actor(), change)?;
            match self.transact(transaction).await? {
                Outcome::Committed => return Ok(()),
                outcome => attempts.again(outcome, rng).await?,
            }
        }
    }

    /// A principal's tokens, oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn tokens(&self, principal: &PrincipalId) -> Result<Vec<TokenSummary>, StoreError> {
        let (partition, keys) = (principal_partition(principal), SortKeys::Prefix(OWN_TOKENS));
        let items = self.query(&partition, keys, MAX_TOKENS, Freshness::Strong).await?;
        items.into_iter().map(|item| decode::<OwnTokenItem>(item).map(OwnTokenItem::summary)).collect()
    }
}
