//! The right to change something: read strongly, and demanded again by the transaction that makes the change.

use aws_sdk_dynamodb::types::AttributeValue;
use skillhub_protocol::{Role, Sha256, UtcMillis};

use crate::codec::decode;
use crate::error::StoreError;
use crate::identity::Authenticated;
use crate::ids::{NamespaceId, PrincipalId};
use crate::items::{MembershipItem, TokenItem};
use crate::keys::Key;
use crate::table::Table;
use crate::transaction::{Expression, Transaction};

/// What a caller may do in a namespace, as of now.
#[derive(Debug)]
pub(crate) struct Permission {
    pub(crate) membership: Option<MembershipItem>,
    principal: PrincipalId,
    namespace_id: NamespaceId,
    token: Option<Sha256>,
}

impl Permission {
    pub(crate) fn role(&self) -> Option<Role> {
        self.membership.as_ref().map(|m| m.role)
    }

    /// Demands that the caller has at least `role`, and that its token is valid, at the moment of the change.
    pub(crate) fn demand(&self, transaction: &mut Transaction, role: Role, now: UtcMillis) -> Result<(), StoreError> {
        demand_role(transaction, &self.principal, &self.namespace_id, role)?;
        self.demand_token(transaction, now)
    }

    /// The token alone, where another action of the transaction demands the role.
    pub(crate) fn demand_token(&self, transaction: &mut Transaction, now: UtcMillis) -> Result<(), StoreError> {
        demand_token(transaction, self.token.as_ref(), now)
    }
}

pub(crate) fn demand_role(
    transaction: &mut Transaction,
    principal: &PrincipalId,
    namespace: &NamespaceId,
    least: Role,
) -> Result<(), StoreError> {
    transaction.check(&Key::membership(principal, namespace), has_role(least))
}

/// The condition that a membership gives at least this role.
pub(crate) fn has_role(least: Role) -> Expression<'static> {
    let value = |role: Role| AttributeValue::S(role.to_string());
    let (text, values) = match least {
        Role::Owner => ("#role = :owner", vec![(":owner", value(Role::Owner))]),
        Role::Publisher => (
            "#role IN (:owner, :publisher)",
            vec![(":owner", value(Role::Owner)), (":publisher", value(Role::Publisher))],
        ),
        Role::Reader => ("attribute_exists(pk)", Vec::new()),
    };
    let names: &[_] = if least == Role::Reader { &[] } else { &[("#role", "role")] };
    Expression { text, names, values }
}

pub(crate) fn demand_token(
    transaction: &mut Transaction,
    token: Option<&Sha256>,
    now: UtcMillis,
) -> Result<(), StoreError> {
    let Some(token) = token else { return Ok(()) };
    let valid = Expression {
        text: "attribute_exists(pk) AND (attribute_not_exists(expires_at) OR expires_at > :now)",
        names: &[],
        values: vec![(":now", AttributeValue::S(now.to_string()))],
    };
    transaction.check(&Key::token(token), valid)
}

impl Table {
    /// The caller's right in a namespace, read strongly; none if its token has gone in the meantime.
    pub(crate) async fn permission(
        &self,
        by: &Authenticated,
        namespace: &NamespaceId,
        now: UtcMillis,
    ) -> Result<Permission, StoreError> {
        let membership = Key::membership(&by.principal, namespace);
        let token = by.token_sha256.as_ref().map(Key::token);
        let keys: Vec<_> = [Some(&membership), token.as_ref()].into_iter().flatten().cloned().collect();
        let mut items = self.get_batch(&keys).await?;
        let valid = match &token {
            None => true,
            Some(key) => {
                let item: Option<TokenItem> = items.remove(key).map(decode).transpose()?;
                item.is_some_and(|item| item.is_good(self.token_epoch, now))
            }
        };
        let membership = items.remove(&membership).filter(|_| valid).map(decode).transpose()?;
        Ok(Permission {
            membership,
            principal: by.principal.clone(),
            namespace_id: namespace.clone(),
            token: by.token_sha256,
        })
    }
}
