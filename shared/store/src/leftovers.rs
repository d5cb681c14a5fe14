//! What the sweeper looks for: uploads that nobody waits for, artifacts that no version points at, items that have outlived
//! their time. Each look takes one page; where a walk stands is kept in the table.

use aws_sdk_dynamodb::types::AttributeValue;
use skillhub_protocol::UtcMillis;

use crate::codec::Attributes;
use crate::error::{StoreError, is_made, sdk_error};
use crate::items::WalkItem;
use crate::keys::{Key, ObjectKey};
use crate::objects::Objects;
use crate::table::Table;

/// An object, as a listing shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its key.
    pub key: String,
    /// When it was stored.
    pub at: UtcMillis,
}

/// One page of a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredPage {
    /// The objects, in the order of their keys.
    pub objects: Vec<Stored>,
    /// Whether there are more.
    pub more: bool,
}

/// The walks of the sweeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// Over `staging/`.
    Staging,
    /// Over `packages/`.
    Packages,
    /// Over the table's items.
    Items,
}

impl Walk {
    fn key(self) -> Key {
        Key::config(match self {
            Self::Staging => "walk-staging",
            Self::Packages => "walk-packages",
            Self::Items => "walk-items",
        })
    }
}

impl Objects {
    /// Up to `limit` objects (at most 1000) under a prefix, after a key.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn list(&self, prefix: &str, after: Option<&str>, limit: i32) -> Result<StoredPage, StoreError> {
        let request = self.client().list_objects_v2().bucket(self.bucket()).prefix(prefix).max_keys(limit);
        let answer = request.set_start_after(after.map(str::to_owned)).send().await;
        let answer = answer.map_err(|e| sdk_error("ListObjectsV2", e))?;
        let stored = |object: &aws_sdk_s3::types::Object| {
            let at = object.last_modified()?.to_millis().ok().and_then(UtcMillis::from_epoch_millis)?;
            Some(Stored { key: object.key()?.to_owned(), at })
        };
        let objects =
            answer.contents().iter().map(|o| stored(o).ok_or_else(|| StoreError::corrupt("listing", "no key")));
        Ok(StoredPage { objects: objects.collect::<Result<_, _>>()?, more: answer.is_truncated() == Some(true) })
    }
}

impl Table {
    /// Where a walk stands.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn walk(&self, walk: Walk) -> Result<WalkItem, StoreError> {
        Ok(self.get_strong(&walk.key()).await?.unwrap_or_default())
    }

    /// Keeps where a walk stands.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn put_walk(&self, walk: Walk, item: &WalkItem) -> Result<(), StoreError> {
        self.put(&walk.key(), item).await
    }

    /// Those of `artifacts` (at most 100) that no version points at.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn without_version(&self, artifacts: &[ObjectKey]) -> Result<Vec<ObjectKey>, StoreError> {
        let key = |artifact: &ObjectKey| match artifact {
            ObjectKey::Package { skill, version, .. } => Some(Key::version(skill, version)),
            ObjectKey::Staging(_) | ObjectKey::Part(_) => None,
        };
        // Several artifacts may claim one version, and a batch names each key once.
        let mut keys: Vec<_> = artifacts.iter().filter_map(key).collect();
        keys.sort_by(|a, b| (&a.pk, &a.sk).cmp(&(&b.pk, &b.sk)));
        keys.dedup();
        let found = if keys.is_empty() { Default::default() } else { self.get_batch(&keys).await? };
        let is_meant = |artifact: &&ObjectKey| {
            let ObjectKey::Package { artifact: digest, .. } = artifact else { return false };
            let item = key(artifact).and_then(|key| found.get(&key));
            let known = item.and_then(|item| item.get("artifact_sha256")).and_then(|value| value.as_s().ok());
            known.is_some_and(|known| *known == digest.to_string())
        };
        Ok(artifacts.iter().filter(|artifact| !is_meant(artifact)).cloned().collect())
    }

    /// Removes the items of one page (at most `limit`) that have outlived their time to live, for stores that do not do so
    /// themselves. Says how many, and after which key to go on.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn remove_expired(
        &self,
        now: UtcMillis,
        after: Option<&str>,
        limit: i32,
    ) -> Result<(usize, Option<String>), StoreError> {
        let seconds = AttributeValue::N((now.epoch_millis() / 1000).to_string());
        let scan =
            self.client.scan().table_name(&self.name).limit(limit).set_exclusive_start_key(after.and_then(place));
        let scan = scan
            .filter_expression("#ttl < :now")
            .projection_expression("pk, sk")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":now", seconds.clone());
        let answer = scan.send().await.map_err(|e| sdk_error("Scan", e))?;
        let expired = answer.items.unwrap_or_default();
        for item in &expired {
            let delete = self.client.delete_item().table_name(&self.name).set_key(Some(item.clone()));
            let delete = delete
                .condition_expression("#ttl < :now")
                .expression_attribute_names("#ttl", "ttl")
                .expression_attribute_values(":now", seconds.clone());
            is_made("DeleteItem", delete.send().await)?;
        }
        Ok((expired.len(), answer.last_evaluated_key.as_ref().and_then(text_of)))
    }
}

/// A key as one text: no part of a key holds a line break.
fn text_of(key: &Attributes) -> Option<String> {
    Some(format!("{}\n{}", key.get("pk")?.as_s().ok()?, key.get("sk")?.as_s().ok()?))
}

fn place(text: &str) -> Option<Attributes> {
    let (pk, sk) = text.split_once('\n')?;
    Some(Key { pk: pk.to_owned(), sk: sk.to_owned() }.attributes())
}
