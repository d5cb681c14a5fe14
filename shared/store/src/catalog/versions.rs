//! Skills, and their versions.

use skillhub_protocol::{Release, SkillId, VersionEntry, VersionId};

use crate::codec::decode;
use crate::error::StoreError;
use crate::items::{SkillItem, VersionItem, VersionNumberItem};
use crate::keys::{Key, VERSION_NUMBERS, skill_partition, version_number_key};
use crate::table::{Freshness, Order, SortKeys, Table};

/// One page of a skill's versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionPage {
    /// The versions, highest semver first.
    pub versions: Vec<VersionEntry>,
    /// The version after which the next page begins; `None` on the last page.
    pub next: Option<Release>,
}

impl Table {
    /// A skill.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn skill(&self, id: &SkillId) -> Result<Option<SkillItem>, StoreError> {
        self.get(&Key::skill(id)).await
    }

    /// A version: one read, or two if the first misses.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn version(&self, skill: &SkillId, version: &VersionId) -> Result<Option<VersionItem>, StoreError> {
        if !version.is_minted() {
            return Ok(None);
        }
        self.get(&Key::version(skill, version)).await
    }

    /// The next `limit` versions of a skill below `after`, whatever their state: one query, for one more than asked.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn versions(
        &self,
        skill: &SkillId,
        after: Option<&Release>,
        limit: usize,
    ) -> Result<VersionPage, StoreError> {
        self.version_page(skill, after, limit, Freshness::Eventual).await
    }

    /// The same, read strongly: for who is about to change them.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn versions_now(
        &self,
        skill: &SkillId,
        after: Option<&Release>,
        limit: usize,
    ) -> Result<VersionPage, StoreError> {
        self.version_page(skill, after, limit, Freshness::Strong).await
    }

    async fn version_page(
        &self,
        skill: &SkillId,
        after: Option<&Release>,
        limit: usize,
        freshness: Freshness,
    ) -> Result<VersionPage, StoreError> {
        let mut numbers = self.version_numbers(skill, after, limit + 1, freshness).await?;
        let more = numbers.len() > limit;
        numbers.truncate(limit);
        let next = numbers.last().filter(|_| more).map(|number| number.version.clone());
        let versions = numbers.into_iter().map(VersionNumberItem::entry).collect();
        Ok(VersionPage { versions, next })
    }

    /// Version numbers of a skill below `after`, highest first.
    pub(crate) async fn version_numbers(
        &self,
        skill: &SkillId,
        after: Option<&Release>,
        limit: usize,
        freshness: Freshness,
    ) -> Result<Vec<VersionNumberItem>, StoreError> {
        let below = after.map(version_number_key);
        let (keys, order) = (SortKeys::Prefix(VERSION_NUMBERS), Order::Descending(below.as_deref()));
        let items = self.range(&skill_partition(skill), keys, order, limit, freshness).await?;
        items.into_iter().map(decode).collect()
    }
}
