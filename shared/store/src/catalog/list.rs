//! Lists: what a caller sees, in the order of skill ids.

use skillhub_protocol::{Namespace, OrganizationId, Scope, SkillId, SkillSummary};

use crate::audience::{Audience, Viewer};
use crate::codec::decode;
use crate::error::StoreError;
use crate::ids::NamespaceId;
use crate::items::ListItem;
use crate::keys::namespace_list;
use crate::table::{Freshness, Order, SortKeys, Table};

/// A partition of the list, in the order of skill ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPartition(String);

/// What a list is narrowed to. Filters choose partitions; nothing is read and thrown away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Skills of this scope.
    pub scope: Option<Scope>,
    /// Skills that the members of this organization see.
    pub organization: Option<OrganizationId>,
    /// Skills of this namespace.
    pub namespace: Option<Namespace>,
}

impl Filter {
    fn admits(&self, audience: &Audience) -> bool {
        let organization = match audience {
            Audience::Organization { organization, .. } => Some(organization),
            _ => None,
        };
        self.scope.is_none_or(|scope| scope == audience.scope())
            && self.organization.as_ref().is_none_or(|id| organization == Some(id))
    }
}

/// The part of an audience's list that belongs to one namespace.
fn in_namespace(audience: &Audience, namespace: &NamespaceId) -> Option<ListPartition> {
    let possible = match audience {
        Audience::Public => true,
        Audience::Organization { namespace: id, .. } => id == namespace,
        Audience::Personal(principal) => *namespace == NamespaceId::personal(principal),
    };
    possible.then(|| ListPartition(namespace_list(namespace, audience.scope())))
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPage {
    /// The summaries as JSON, in the order of the list.
    pub summaries: Vec<String>,
    /// The id after which the next page begins; `None` on the last page.
    pub next: Option<SkillId>,
}

impl ListPage {
    /// The summaries, for who does more than pass them on.
    ///
    /// # Errors
    /// If one is none.
    pub fn parse(&self) -> Result<Vec<SkillSummary>, StoreError> {
        let parse = |text: &String| SkillSummary::from_json(text).map_err(|e| StoreError::corrupt("list entry", e));
        self.summaries.iter().map(parse).collect()
    }
}

impl Table {
    /// The partitions that together are everything that a caller sees and a filter admits. No call, but for the handle of a
    /// namespace that is filtered by: one read. A namespace that does not exist has no skills.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn list_partitions(
        &self,
        viewer: &Viewer,
        anonymous_read: bool,
        filter: &Filter,
    ) -> Result<Vec<ListPartition>, StoreError> {
        let audiences = viewer.audiences(anonymous_read).into_iter().filter(|audience| filter.admits(audience));
        let Some(namespace) = &filter.namespace else {
            // One shard of public skills until measured otherwise.
            return Ok(audiences.map(|audience| ListPartition(audience.list_partition(0))).collect());
        };
        match self.namespace_by_handle(namespace).await? {
            Some(id) => Ok(audiences.filter_map(|audience| in_namespace(&audience, &id)).collect()),
            None => Ok(Vec::new()),
        }
    }

    /// The next `limit` entries after `after`, merged from `partitions`. One query a partition, each for one entry more than
    /// asked, to know whether there is a next page. The cursor is a position and nothing else: it may name a skill that is gone.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn list(
        &self,
        partitions: &[ListPartition],
        after: Option<&SkillId>,
        limit: usize,
    ) -> Result<ListPage, StoreError> {
        let range = after.map_or(SortKeys::All, |id| SortKeys::After(id.as_str()));
        let mut entries = self.entries(partitions, range, Order::Ascending, limit).await?;
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(page(entries, limit))
    }

    /// The same in the opposite order: the `limit` entries before `before`, the newest skill first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn list_newest(
        &self,
        partitions: &[ListPartition],
        before: Option<&SkillId>,
        limit: usize,
    ) -> Result<ListPage, StoreError> {
        let order = Order::Descending(before.map(SkillId::as_str));
        let mut entries = self.entries(partitions, SortKeys::All, order, limit).await?;
        entries.sort_by(|(a, _), (b, _)| b.cmp(a));
        Ok(page(entries, limit))
    }

    /// The first entries of each partition, one more than asked.
    async fn entries(
        &self,
        partitions: &[ListPartition],
        range: SortKeys<'_>,
        order: Order<'_>,
        limit: usize,
    ) -> Result<Vec<(SkillId, String)>, StoreError> {
        let mut entries = Vec::new();
        for ListPartition(partition) in partitions {
            for item in self.range(partition, range, order, limit + 1, Freshness::Eventual).await? {
                let id = item.get("sk").and_then(|sk| sk.as_s().ok()?.parse::<SkillId>().ok());
                let id = id.ok_or_else(|| StoreError::corrupt("list entry", "bad sort key"))?;
                entries.push((id, decode::<ListItem>(item)?.summary));
            }
        }
        Ok(entries)
    }
}

/// A page of sorted entries.
fn page(mut entries: Vec<(SkillId, String)>, limit: usize) -> ListPage {
    // A skill whose scope is just changing may stand in two partitions.
    entries.dedup_by(|(a, _), (b, _)| a == b);
    let more = entries.len() > limit;
    entries.truncate(limit);
    let next = entries.last().filter(|_| more).map(|(id, _)| id.clone());
    ListPage { summaries: entries.into_iter().map(|(_, summary)| summary).collect(), next }
}
