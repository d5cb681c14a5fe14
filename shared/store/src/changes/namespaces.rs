//! Namespaces: made once, never removed.

use rand::Rng;
use skillhub_protocol::{CreateNamespace, Member, Namespace, NamespaceKind, Role};

use super::{Attempts, ChangeError, ChangedBy, Refusal};
use crate::audit::{Actor, Change, record};
use crate::codec::decode;
use crate::error::StoreError;
use crate::identity::MAX_MEMBERSHIPS;
use crate::ids::{NamespaceId, PrincipalId};
use crate::items::{HandleItem, MembershipItem, NamespaceItem};
use crate::keys::{Key, MEMBERS, namespace_partition};
use crate::permission::demand_token;
use crate::table::{Freshness, SortKeys, Table};
use crate::transaction::{Outcome, Transaction};

/// How many members a namespace may have.
pub(super) const MAX_MEMBERS: usize = 1000;
/// How many items one batch of reads takes.
const BATCH: usize = 100;

/// A namespace with its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceMembers {
    /// The namespace.
    pub namespace: NamespaceItem,
    /// Its members, in order of their handles, those without one last.
    pub members: Vec<Member>,
}

impl Table {
    /// Makes a namespace, with the caller as its owner.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn create_namespace(
        &self,
        by: ChangedBy<'_>,
        request: &CreateNamespace,
        rng: &mut (impl Rng + Send),
    ) -> Result<NamespaceItem, ChangeError> {
        let owner = &by.caller.principal;
        let id = match request.kind {
            NamespaceKind::Personal => NamespaceId::personal(owner),
            NamespaceKind::Organization | NamespaceKind::Global => NamespaceId::organization(by.now, rng),
        };
        let item = new_namespace(id, request.namespace.clone(), request.kind)?;
        let actor = match request.kind {
            NamespaceKind::Personal => Actor { handle: Some(&request.namespace), ..by.actor() },
            _ => by.actor(),
        };
        let mut attempts = Attempts::new();
        loop {
            if self.memberships(owner, Freshness::Strong).await?.len() >= MAX_MEMBERSHIPS {
                return Err(Refusal::TooManyNamespaces.into());
            }
            let mut transaction = creation(&item, owner)?;
            demand_token(&mut transaction, by.caller.token_sha256.as_ref(), by.now)?;
            let change = by.change("namespace.create", item.namespace.to_string(), kind_word(item.kind), rng);
            record(&mut transaction, &item.id, actor, change)?;
            match self.transact(transaction).await? {
                Outcome::Committed => return Ok(item),
                Outcome::ConditionsFailed(failed) if failed.contains(&HANDLE_ACTION) => {
                    return Err(Refusal::HandleTaken.into());
                }
                Outcome::ConditionsFailed(failed) if failed.contains(&NAMESPACE_ACTION) => {
                    return Err(Refusal::HasPersonalNamespace.into());
                }
                Outcome::ConditionsFailed(_) => return Err(Refusal::NotPermitted.into()),
                outcome => attempts.again(outcome, rng).await?,
            }
        }
    }

    /// Makes `@global` with its first owner, and makes sure that this principal is one: the registry's own administrator, whom
    /// the operator has named. One read when everything is so already.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn found(
        &self,
        administrator: &PrincipalId,
        now: skillhub_protocol::UtcMillis,
        random: u64,
    ) -> Result<(), StoreError> {
        let id = NamespaceId::global();
        let membership = self.get::<MembershipItem>(&Key::membership(administrator, &id)).await?;
        if membership.is_some_and(|m| m.role == Role::Owner) {
            return Ok(());
        }
        let existing = self.get_strong::<NamespaceItem>(&Key::namespace(&id)).await?;
        let transaction = match existing {
            None => {
                let item = new_namespace(id.clone(), Namespace::global(), NamespaceKind::Global)?;
                let mut transaction = creation(&item, administrator)?;
                let actor = Actor { principal: administrator, handle: None };
                let (action, subject) = ("namespace.create", Namespace::global().to_string());
                let change = Change { action, subject, detail: kind_word(item.kind), at: now, random };
                record(&mut transaction, &id, actor, change)?;
                transaction
            }
            Some(namespace) => self.appointment(&namespace, administrator, now, random).await?,
        };
        match self.transact(transaction).await? {
            // Somebody else who does the same at the same time is as good.
            Outcome::Committed | Outcome::ConditionsFailed(_) => Ok(()),
            Outcome::Busy => Err(StoreError::busy()),
        }
    }

    /// Makes `principal` an owner by the operator's word.
    async fn appointment(
        &self,
        namespace: &NamespaceItem,
        principal: &PrincipalId,
        now: skillhub_protocol::UtcMillis,
        random: u64,
    ) -> Result<Transaction, StoreError> {
        let old = self.get_strong::<MembershipItem>(&Key::member(&namespace.id, principal)).await?;
        let mut transaction = Transaction::new();
        super::members::put_member(&mut transaction, namespace, principal, old.as_ref(), Role::Owner, None)?;
        let actor = Actor { principal, handle: None };
        let (action, subject) = ("member.set", namespace.namespace.to_string());
        record(&mut transaction, &namespace.id, actor, Change { action, subject, detail: "owner", at: now, random })?;
        Ok(transaction)
    }

    /// The namespace that a handle means.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn namespace_by_handle(&self, namespace: &Namespace) -> Result<Option<NamespaceId>, StoreError> {
        if namespace.is_global() {
            return Ok(Some(NamespaceId::global()));
        }
        Ok(self.get::<HandleItem>(&Key::handle(namespace)).await?.map(|item| item.namespace_id))
    }

    /// A namespace and its members.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn namespace_members(&self, id: &NamespaceId) -> Result<Option<NamespaceMembers>, StoreError> {
        let Some(namespace) = self.get_strong::<NamespaceItem>(&Key::namespace(id)).await? else { return Ok(None) };
        let (partition, keys) = (namespace_partition(id), SortKeys::Prefix(MEMBERS));
        let items = self.query(&partition, keys, MAX_MEMBERS, Freshness::Strong).await?;
        let items = items.into_iter().map(decode).collect::<Result<Vec<MembershipItem>, _>>()?;
        let principals: Vec<_> = items.iter().map(|m| m.principal.clone()).collect();
        let handles = self.handles(&principals).await?;
        let mut members: Vec<_> =
            handles.into_iter().zip(items).map(|(handle, m)| Member { handle, role: m.role }).collect();
        members.sort_by(|a, b| (a.handle.is_none(), &a.handle).cmp(&(b.handle.is_none(), &b.handle)));
        Ok(Some(NamespaceMembers { namespace, members }))
    }

    /// The handle of each principal, in their order.
    pub(super) async fn handles(&self, principals: &[PrincipalId]) -> Result<Vec<Option<Namespace>>, StoreError> {
        let keys: Vec<_> = principals.iter().map(|p| Key::namespace(&NamespaceId::personal(p))).collect();
        let mut handles = Vec::new();
        for chunk in keys.chunks(BATCH) {
            let mut items = self.get_batch(chunk).await?;
            for key in chunk {
                let item: Option<NamespaceItem> = items.remove(key).map(decode).transpose()?;
                handles.push(item.map(|item| item.namespace));
            }
        }
        Ok(handles)
    }
}

/// Where the handle stands among the actions of [`creation`].
const HANDLE_ACTION: usize = 0;
/// Where the namespace itself stands among them.
const NAMESPACE_ACTION: usize = 1;

fn creation(namespace: &NamespaceItem, owner: &PrincipalId) -> Result<Transaction, StoreError> {
    let membership = super::members::membership(namespace, owner, Role::Owner);
    let mut transaction = Transaction::new();
    let handle = HandleItem { namespace_id: namespace.id.clone() };
    transaction.put_new(&Key::handle(&namespace.namespace), &handle)?;
    transaction.put_new(&Key::namespace(&namespace.id), namespace)?;
    transaction.put_new(&Key::member(&namespace.id, owner), &membership)?;
    transaction.put_new(&Key::membership(owner, &namespace.id), &membership)?;
    Ok(transaction)
}

fn new_namespace(id: NamespaceId, namespace: Namespace, kind: NamespaceKind) -> Result<NamespaceItem, StoreError> {
    let organization_id = match kind {
        NamespaceKind::Organization => {
            Some(id.as_str().parse().map_err(|e| StoreError::corrupt("organization id", e))?)
        }
        NamespaceKind::Global | NamespaceKind::Personal => None,
    };
    Ok(NamespaceItem { id, namespace, kind, organization_id, owners: 1, members: 1, rev: 0 })
}

fn kind_word(kind: NamespaceKind) -> &'static str {
    match kind {
        NamespaceKind::Global => "global",
        NamespaceKind::Organization => "organization",
        NamespaceKind::Personal => "personal",
    }
}
