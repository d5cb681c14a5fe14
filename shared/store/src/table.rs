//! The table: typed reads and writes by key.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes};

use crate::codec::{Attributes, Item, decode, encode};
use crate::error::{StoreError, sdk_error};
use crate::keys::Key;

/// The metadata of a registry.
#[derive(Debug, Clone)]
pub struct Table {
    pub(crate) client: Client,
    pub(crate) name: String,
    /// The epoch of the tokens that are good.
    pub(crate) token_epoch: u32,
}

/// How fresh a read must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// Half the price; may miss the last second.
    Eventual,
    /// Sees every write that was acknowledged before it.
    Strong,
}

impl Table {
    /// A table that exists already.
    pub fn new(client: Client, name: impl Into<String>) -> Self {
        Self { client, name: name.into(), token_epoch: 0 }
    }

    /// The same table, in which the tokens of this epoch are good.
    #[must_use]
    pub fn with_token_epoch(self, token_epoch: u32) -> Self {
        Self { token_epoch, ..self }
    }

    /// Makes the first connection, by one read of the smallest kind. Whether that worked, the first call tells.
    pub async fn warm_up(&self) {
        let _told_later = self.get_with(&Key::config("warm-up"), Freshness::Eventual).await;
    }

    /// Reads eventually; a miss is read again strongly, so that what was just published is never 404.
    pub(crate) async fn get<T: Item>(&self, key: &Key) -> Result<Option<T>, StoreError> {
        self.get_raw(key).await?.map(decode).transpose()
    }

    pub(crate) async fn get_strong<T: Item>(&self, key: &Key) -> Result<Option<T>, StoreError> {
        self.get_with(key, Freshness::Strong).await?.map(decode).transpose()
    }

    pub(crate) async fn get_raw(&self, key: &Key) -> Result<Option<Attributes>, StoreError> {
        match self.get_with(key, Freshness::Eventual).await? {
            Some(attributes) => Ok(Some(attributes)),
            None => self.get_with(key, Freshness::Strong).await,
        }
    }

    async fn get_with(&self, key: &Key, freshness: Freshness) -> Result<Option<Attributes>, StoreError> {
        let request = self.client.get_item().table_name(&self.name).set_key(Some(key.attributes()));
        let answer = request.consistent_read(freshness == Freshness::Strong).send().await;
        Ok(answer.map_err(|e| sdk_error("GetItem", e))?.item)
    }

    /// Reads several items strongly in one call; the answer is keyed by the item's key.
    pub(crate) async fn get_batch(&self, keys: &[Key]) -> Result<HashMap<Key, Attributes>, StoreError> {
        let mut found = HashMap::new();
        let mut wanted: Vec<_> = keys.iter().map(Key::attributes).collect();
        // Unprocessed keys are asked for again; a store that answers nothing at all ends the loop.
        while !wanted.is_empty() {
            let request = KeysAndAttributes::builder().set_keys(Some(wanted)).consistent_read(true).build();
            let request = request.map_err(|e| StoreError::corrupt("batch of keys", e))?;
            let answer = self.client.batch_get_item().request_items(&self.name, request).send().await;
            let answer = answer.map_err(|e| sdk_error("BatchGetItem", e))?;
            let items = answer.responses.unwrap_or_default().remove(&self.name).unwrap_or_default();
            let left = answer.unprocessed_keys.unwrap_or_default().remove(&self.name);
            wanted = left.map(|left| left.keys).unwrap_or_default();
            if items.is_empty() && !wanted.is_empty() {
                let cause = String::from("no key of the batch was processed");
                return Err(StoreError::Unavailable { operation: "BatchGetItem", cause });
            }
            found.extend(items.into_iter().filter_map(|item| Some((key_of(&item)?, item))));
        }
        Ok(found)
    }

    /// Writes an item whatever is there.
    pub(crate) async fn put<T: Item>(&self, key: &Key, item: &T) -> Result<(), StoreError> {
        let request = self.client.put_item().table_name(&self.name).set_item(Some(encode(key, item)?));
        request.send().await.map_err(|e| sdk_error("PutItem", e))?;
        Ok(())
    }

    /// Up to `limit` items of a partition, in order of their sort keys.
    pub(crate) async fn query(
        &self,
        partition: &str,
        range: SortKeys<'_>,
        limit: usize,
        freshness: Freshness,
    ) -> Result<Vec<Attributes>, StoreError> {
        self.range(partition, range, Order::Ascending, limit, freshness).await
    }

    /// Up to `limit` items of a partition by a key condition on `sk`.
    ///
    /// Follows `LastEvaluatedKey`, because a page may end early by size.
    pub(crate) async fn range(
        &self,
        partition: &str,
        range: SortKeys<'_>,
        order: Order<'_>,
        limit: usize,
        freshness: Freshness,
    ) -> Result<Vec<Attributes>, StoreError> {
        let mut items = Vec::new();
        let mut start = order.start(partition);
        while items.len() < limit {
            let left = i32::try_from(limit - items.len()).unwrap_or(i32::MAX);
            let request = self.client.query().table_name(&self.name).limit(left);
            let request = request.scan_index_forward(matches!(order, Order::Ascending));
            let request = request.consistent_read(freshness == Freshness::Strong).set_exclusive_start_key(start);
            let request = request.expression_attribute_values(":pk", AttributeValue::S(partition.to_owned()));
            let request = match range {
                SortKeys::After(sk) => request
                    .key_condition_expression("pk = :pk AND sk > :sk")
                    .expression_attribute_values(":sk", AttributeValue::S(sk.to_owned())),
                SortKeys::Prefix(sk) => request
                    .key_condition_expression("pk = :pk AND begins_with(sk, :sk)")
                    .expression_attribute_values(":sk", AttributeValue::S(sk.to_owned())),
                SortKeys::UpTo(sk) => request
                    .key_condition_expression("pk = :pk AND sk <= :sk")
                    .expression_attribute_values(":sk", AttributeValue::S(sk.to_owned())),
                SortKeys::All => request.key_condition_expression("pk = :pk"),
            };
            let answer = request.send().await.map_err(|e| sdk_error("Query", e))?;
            items.extend(answer.items.unwrap_or_default());
            start = answer.last_evaluated_key.filter(|key| !key.is_empty());
            if start.is_none() {
                break;
            }
        }
        Ok(items)
    }
}

/// Which sort keys a query takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SortKeys<'a> {
    /// Greater than this.
    After(&'a str),
    /// Beginning with this.
    Prefix(&'a str),
    /// This one and those before it.
    UpTo(&'a str),
    /// All.
    All,
}

/// In which order a query goes through its sort keys.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Order<'a> {
    /// The least first.
    Ascending,
    /// The greatest first, or that below this one.
    Descending(Option<&'a str>),
}

impl Order<'_> {
    fn start(self, partition: &str) -> Option<Attributes> {
        let Self::Descending(Some(sk)) = self else { return None };
        Some(Key { pk: partition.to_owned(), sk: sk.to_owned() }.attributes())
    }
}

pub(crate) fn key_of(item: &Attributes) -> Option<Key> {
    let text = |name| item.get(name).and_then(|value| value.as_s().ok()).cloned();
    Some(Key { pk: text("pk")?, sk: text("sk")? })
}
