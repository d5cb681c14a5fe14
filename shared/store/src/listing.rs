//! A skill's entries in lists and search: they follow from its item alone.

use crate::error::StoreError;
use crate::items::{ListItem, SearchItem, SkillItem};
use crate::keys::{Key, namespace_list};
use crate::transaction::Transaction;

/// Makes the entries what `skill` says: there, or gone while no version is available.
pub(crate) fn put_listing(transaction: &mut Transaction, skill: &SkillItem) -> Result<(), StoreError> {
    let Some(summary) = skill.summary() else { return drop_listing(transaction, skill) };
    let summary = serde_json::to_string(&summary).map_err(|e| StoreError::corrupt("list entry", e))?;
    let entry = ListItem { summary };
    for key in list_keys(skill) {
        transaction.put(&key, &entry)?;
    }
    transaction.put(&search_key(skill), &SearchItem { namespace: skill.namespace.clone() })
}

/// Takes the entries away that `skill` has.
pub(crate) fn drop_listing(transaction: &mut Transaction, skill: &SkillItem) -> Result<(), StoreError> {
    list_keys(skill).iter().chain([&search_key(skill)]).try_for_each(|key| transaction.delete(key))
}

fn list_keys(skill: &SkillItem) -> [Key; 2] {
    let lists =
        [skill.audience.list_partition(skill.shard), namespace_list(&skill.namespace_id, skill.audience.scope())];
    lists.map(|partition| Key::list_entry(&partition, &skill.id))
}

fn search_key(skill: &SkillItem) -> Key {
    Key::search_entry(&skill.audience.search_partition(), &skill.slug, &skill.id)
}
