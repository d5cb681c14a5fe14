//! Who sees a skill, changed after its first publication.

use aws_sdk_dynamodb::types::AttributeValue;
use rand::Rng;
use skillhub_protocol::{Role, Scope, SkillId};

use super::{Attempts, ChangeError, ChangedBy, Refusal, name_of, put_skill};
use crate::audience::Audience;
use crate::audit::record;
use crate::codec::Attributes;
use crate::error::StoreError;
use crate::items::{SkillItem, SlugItem};
use crate::keys::{Key, VERSIONS, skill_partition};
use crate::listing::{drop_listing, put_listing};
use crate::table::{Freshness, SortKeys, Table};
use crate::transaction::{Expression, Outcome, Transaction};

/// How many versions change their audience in one transaction: a transaction has at most 100 actions, and that of the skill
/// needs some for itself.
const VERSIONS_AT_ONCE: usize = 80;
/// How many versions a skill can have and still change its scope.
const MAX_VERSIONS: usize = 10_000;

impl Table {
    /// Changes who sees a skill. Its versions go first and the skill last: whoever dies in between leaves a skill that is seen
    /// by those who saw it, some of whose old versions follow the new rule already. Making the change again completes it.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn change_scope(
        &self,
        by: ChangedBy<'_>,
        skill: &SkillId,
        scope: Scope,
        rng: &mut (impl Rng + Send),
    ) -> Result<(), ChangeError> {
        let mut attempts = Attempts::new();
        loop {
            let found = self.skill_for_change(by, skill).await?;
            found.demand_owner()?;
            let before = &found.skill;
            let audience = found.permission.membership.as_ref().and_then(|m| Audience::of(m, scope));
            let audience = audience.ok_or(Refusal::ScopeImpossible)?;
            if before.audience == audience {
                return Ok(());
            }
            let versions = self.version_keys(skill).await?;
            let (early, last) = versions.split_at(versions.len().saturating_sub(VERSIONS_AT_ONCE));
            for chunk in early.chunks(VERSIONS_AT_ONCE) {
                let mut transaction = Transaction::new();
                change_versions(&mut transaction, chunk, &audience)?;
                // Versions are never deleted, so nothing but a conflict can be in the way; the last transaction decides.
                while let outcome @ Outcome::Busy = self.transact(transaction).await? {
                    attempts.again(outcome, rng).await?;
                    transaction = Transaction::new();
                    change_versions(&mut transaction, chunk, &audience)?;
                }
            }
            let mut transaction = change_skill(before, &audience)?;
            change_versions(&mut transaction, last, &audience)?;
            found.permission.demand(&mut transaction, Role::Owner, by.now)?;
            let change = by.change("scope.change", name_of(before), scope.as_str(), rng);
            record(&mut transaction, &before.namespace_id, by.actor(), change)?;
            match self.transact(transaction).await? {
                Outcome::Committed => return Ok(()),
                outcome => attempts.again(outcome, rng).await?,
            }
        }
    }

    async fn version_keys(&self, skill: &SkillId) -> Result<Vec<Key>, StoreError> {
        let (partition, keys) = (skill_partition(skill), SortKeys::Prefix(VERSIONS));
        let items = self.query(&partition, keys, MAX_VERSIONS + 1, Freshness::Strong).await?;
        if items.len() > MAX_VERSIONS {
            let cause = format!("a skill with more than {MAX_VERSIONS} versions cannot change its scope");
            return Err(StoreError::Refused { operation: "Query", cause });
        }
        let key = |item: &Attributes| Some(Key { pk: partition.clone(), sk: item.get("sk")?.as_s().ok()?.clone() });
        items.iter().map(|item| key(item).ok_or_else(|| StoreError::corrupt("version", "bad sort key"))).collect()
    }
}

fn change_skill(before: &SkillItem, audience: &Audience) -> Result<Transaction, StoreError> {
    let mut after = before.clone();
    after.audience = audience.clone();
    let mut transaction = Transaction::new();
    put_skill(&mut transaction, before, &mut after)?;
    let slug = SlugItem { skill_id: after.id.clone(), audience: audience.clone() };
    transaction.put(&Key::slug(&after.namespace_id, &after.slug), &slug)?;
    if after.current.is_some() {
        drop_listing(&mut transaction, before)?;
        put_listing(&mut transaction, &after)?;
    }
    Ok(transaction)
}

fn change_versions(transaction: &mut Transaction, versions: &[Key], audience: &Audience) -> Result<(), StoreError> {
    let value: serde_dynamo::AttributeValue =
        serde_dynamo::to_attribute_value(audience).map_err(|e| StoreError::corrupt("version", e))?;
    let value = AttributeValue::from(value);
    for key in versions {
        let values = vec![(":audience", value.clone())];
        let change = Expression { text: "SET audience = :audience", names: &[], values };
        transaction.update(key, change, "attribute_exists(pk)")?;
    }
    Ok(())
}
