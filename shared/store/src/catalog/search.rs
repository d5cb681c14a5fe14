//! Search by slug: by key alone, so that its cost does not grow with the catalogue.

use std::collections::HashMap;

use crate::audience::{Audience, Viewer};
use crate::codec::{Attributes, decode};
use crate::error::StoreError;
use crate::items::ListItem;
use crate::keys::Key;
use crate::table::{Freshness, SortKeys, Table};

/// A partition of the search, in the order of slugs, with the list that its entries stand in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPartition(Audience);

impl SearchPartition {
    /// The partitions that together are everything that a caller sees.
    pub fn visible_to(viewer: &Viewer, anonymous_read: bool) -> Vec<Self> {
        viewer.audiences(anonymous_read).into_iter().map(Self).collect()
    }
}

impl Table {
    /// The summaries of up to `limit` skills whose slugs begin with `prefix`, as JSON: the slug itself first, then in the order
    /// of slugs. One query a partition, then one batch of reads.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn search(
        &self,
        partitions: &[SearchPartition],
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let mut hits = Vec::new();
        for SearchPartition(audience) in partitions {
            let partition = audience.search_partition();
            for item in self.query(&partition, SortKeys::Prefix(prefix), limit, Freshness::Eventual).await? {
                hits.push(hit(audience, &item).ok_or_else(|| StoreError::corrupt("search entry", "bad sort key"))?);
            }
        }
        // "#" ends a slug and is below every character of one: the exact slug comes first.
        hits.sort_by(|a, b| a.0.cmp(&b.0));
        hits.dedup_by(|a, b| a.0 == b.0);
        hits.truncate(limit);
        let keys: Vec<_> = hits.into_iter().map(|(_, key)| key).collect();
        self.summaries(&keys).await
    }

    /// Entries that left their list since the query are left out.
    async fn summaries(&self, keys: &[Key]) -> Result<Vec<String>, StoreError> {
        let mut found: HashMap<Key, Attributes> = self.get_batch(keys).await?;
        let items = keys.iter().filter_map(|key| found.remove(key));
        items.map(|item| Ok(decode::<ListItem>(item)?.summary)).collect()
    }
}

/// A hit's sort key, and where its summary is.
fn hit(audience: &Audience, item: &Attributes) -> Option<(String, Key)> {
    let sort_key = item.get("sk")?.as_s().ok()?;
    let skill = sort_key.split_once('#')?.1.parse().ok()?;
    Some((sort_key.clone(), Key::list_entry(&audience.list_partition(0), &skill)))
}
