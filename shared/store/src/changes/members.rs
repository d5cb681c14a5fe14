//! Members of a namespace, and what each may do.

use aws_sdk_dynamodb::types::AttributeValue;
use rand::Rng;
use skillhub_protocol::{Namespace, NamespaceKind, Role};

use super::namespaces::MAX_MEMBERS;
use super::{Attempts, ChangeError, ChangedBy, Refusal};
use crate::audit::record;
use crate::error::StoreError;
use crate::identity::MAX_MEMBERSHIPS;
use crate::ids::PrincipalId;
use crate::items::{MembershipItem, NamespaceItem};
use crate::keys::Key;
use crate::permission::{Permission, has_role};
use crate::table::{Freshness, Table};
use crate::transaction::{Expression, Outcome, Transaction};

/// A namespace whose members are to change, and the one who is meant.
struct Found {
    namespace: NamespaceItem,
    permission: Permission,
    person: PrincipalId,
    /// The person's present membership.
    old: Option<MembershipItem>,
}

impl Table {
    /// Gives the person with this handle a role in a namespace.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn set_member(
        &self,
        by: ChangedBy<'_>,
        namespace: &Namespace,
        handle: &Namespace,
        role: Role,
        rng: &mut (impl Rng + Send),
    ) -> Result<(), ChangeError> {
        let mut attempts = Attempts::new();
        loop {
            let found = self.member_for_change(by, namespace, handle).await?;
            if found.permission.role() != Some(Role::Owner) {
                return Err(Refusal::NotPermitted.into());
            }
            match &found.old {
                Some(old) if old.role == role => return Ok(()),
                Some(old) => found.keep_an_owner(old, Some(role))?,
                None => self.room_for(&found).await?,
            }
            let (own, namespace) = (found.person == by.caller.principal, &found.namespace);
            let mut transaction = Transaction::new();
            // Two actions on one item are not allowed: whoever changes its own role has the demand there.
            let demand = own.then(|| has_role(Role::Owner));
            put_member(&mut transaction, namespace, &found.person, found.old.as_ref(), role, demand)?;
            found.demand(&mut transaction, by, own)?;
            let subject = format!("{} {handle}", namespace.namespace);
            let change = by.change("member.set", subject, role.as_str(), rng);
            record(&mut transaction, &namespace.id, by.actor(), change)?;
            match self.transact(transaction).await? {
                Outcome::Committed => return Ok(()),
                outcome => attempts.again(outcome, rng).await?,
            }
        }
    }

    /// Takes a person out of a namespace. Owners may do it, and everybody may leave.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn remove_member(
        &self,
        by: ChangedBy<'_>,
        namespace: &Namespace,
        handle: &Namespace,
        rng: &mut (impl Rng + Send),
    ) -> Result<(), ChangeError> {
        let mut attempts = Attempts::new();
        loop {
            let found = self.member_for_change(by, namespace, handle).await?;
            let own = found.person == by.caller.principal;
            if !own && found.permission.role() != Some(Role::Owner) {
                return Err(Refusal::NotPermitted.into());
            }
            let Some(old) = &found.old else { return Ok(()) };
            found.keep_an_owner(old, None)?;
            let mut transaction = Transaction::new();
            let namespace = &found.namespace;
            let owners = namespace.owners - u32::from(old.role == Role::Owner);
            count_members(&mut transaction, namespace, owners, namespace.members - 1)?;
            transaction.delete(&Key::member(&namespace.id, &found.person))?;
            transaction.delete(&Key::membership(&found.person, &namespace.id))?;
            found.demand(&mut transaction, by, own)?;
            let subject = format!("{} {handle}", namespace.namespace);
            let change = by.change("member.remove", subject, old.role.as_str(), rng);
            record(&mut transaction, &namespace.id, by.actor(), change)?;
            match self.transact(transaction).await? {
                Outcome::Committed => return Ok(()),
                outcome => attempts.again(outcome, rng).await?,
            }
        }
    }

    /// A namespace that the caller belongs to; to others it does not exist.
    async fn member_for_change(
        &self,
        by: ChangedBy<'_>,
        namespace: &Namespace,
        handle: &Namespace,
    ) -> Result<Found, ChangeError> {
        let id = self.namespace_by_handle(namespace).await?.ok_or(Refusal::NotFound)?;
        let permission = self.permission(by.caller, &id, by.now).await?;
        if permission.role().is_none() {
            return Err(Refusal::NotFound.into());
        }
        let namespace = self.get_strong::<NamespaceItem>(&Key::namespace(&id)).await?.ok_or(Refusal::NotFound)?;
        if namespace.kind == NamespaceKind::Personal {
            return Err(Refusal::PersonalNamespace.into());
        }
        let person = self.person(handle).await?.ok_or(Refusal::NoSuchPerson)?;
        let old = self.get_strong::<MembershipItem>(&Key::member(&id, &person)).await?;
        Ok(Found { namespace, permission, person, old })
    }

    /// Limits of a namespace and of a person. The second is counted, not fenced: two at once may go one beyond it.
    async fn room_for(&self, found: &Found) -> Result<(), ChangeError> {
        if found.namespace.members as usize >= MAX_MEMBERS {
            return Err(Refusal::TooManyMembers.into());
        }
        if self.memberships(&found.person, Freshness::Strong).await?.len() >= MAX_MEMBERSHIPS {
            return Err(Refusal::TooManyNamespaces.into());
        }
        Ok(())
    }
}

impl Found {
    fn keep_an_owner(&self, old: &MembershipItem, new: Option<Role>) -> Result<(), Refusal> {
        let leaves = old.role == Role::Owner && new != Some(Role::Owner);
        if leaves && self.namespace.owners <= 1 { Err(Refusal::LastOwner) } else { Ok(()) }
    }

    fn demand(&self, transaction: &mut Transaction, by: ChangedBy<'_>, own: bool) -> Result<(), StoreError> {
        if own {
            self.permission.demand_token(transaction, by.now)
        } else {
            self.permission.demand(transaction, Role::Owner, by.now)
        }
    }
}

pub(super) fn membership(namespace: &NamespaceItem, principal: &PrincipalId, role: Role) -> MembershipItem {
    MembershipItem {
        principal: principal.clone(),
        namespace_id: namespace.id.clone(),
        namespace: namespace.namespace.clone(),
        kind: namespace.kind,
        organization_id: namespace.organization_id.clone(),
        role,
    }
}

/// Writes a membership both ways, with the namespace's counts fenced by its revision.
pub(super) fn put_member(
    transaction: &mut Transaction,
    namespace: &NamespaceItem,
    person: &PrincipalId,
    old: Option<&MembershipItem>,
    role: Role,
    demand: Option<Expression<'_>>,
) -> Result<(), StoreError> {
    let was_owner = old.is_some_and(|old| old.role == Role::Owner);
    let owners = namespace.owners + u32::from(role == Role::Owner) - u32::from(was_owner);
    let members = namespace.members + u32::from(old.is_none());
    count_members(transaction, namespace, owners, members)?;
    let item = membership(namespace, person, role);
    transaction.put(&Key::member(&namespace.id, person), &item)?;
    let key = Key::membership(person, &namespace.id);
    match demand {
        Some(demand) => transaction.put_if(&key, &item, demand),
        None => transaction.put(&key, &item),
    }
}

fn count_members(
    transaction: &mut Transaction,
    namespace: &NamespaceItem,
    owners: u32,
    members: u32,
) -> Result<(), StoreError> {
    let after = NamespaceItem { owners, members, rev: namespace.rev + 1, ..namespace.clone() };
    let rev = AttributeValue::N(namespace.rev.to_string());
    let unchanged = Expression { text: "rev = :rev", names: &[], values: vec![(":rev", rev)] };
    transaction.put_if(&Key::namespace(&namespace.id), &after, unchanged)
}
