//! Who sees a skill, changed after its first publication.

use aws_sdk_dynamodb::types::AttributeValue;
use rand::Rng;
use skillhub_protocol::{Role, Scope, SkillId};

use super::{Attempts, ChangeError, ChangedBy, Refusal, SkillAndPermission, name_of, put_skill};
use crate::audience::Audience;
use crate::audit::record;
use crate::codec::{Attributes, decode};
use crate::error::StoreError;
use crate::items::{SkillItem, SlugItem, VersionItem};
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
    /// Changes who sees a skill. At no moment does a version have more readers than its skill: to have fewer, the versions go first,
    /// to have more, the skill does. Whoever dies in between leaves some old versions to fewer readers than they should have; making
    /// the change again completes it.
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
        let (mut attempts, mut is_made) = (Attempts::new(), false);
        loop {
            let found = self.skill_for_change(by, skill).await?;
            found.demand_owner()?;
            let audience = found.permission.membership.as_ref().and_then(|m| Audience::of(m, scope));
            let audience = audience.ok_or(Refusal::ScopeImpossible)?;
            let is_so = found.skill.audience == audience;
            if is_made && !is_so {
                // Somebody has decided otherwise since.
                return Ok(());
            }
            let versions = self.version_audiences(skill).await?;
            let others: Vec<_> =
                versions.iter().filter(|(_, of)| *of != audience).map(|(key, _)| key.clone()).collect();
            // Parts of another change may still be under way to a skill of many versions: a new revision keeps them out.
            if is_so && others.is_empty() && (is_made || versions.len() <= VERSIONS_AT_ONCE) {
                return Ok(());
            }
            let outcome = if is_made {
                self.change_versions(by, &found, found.skill.rev, &others, &audience).await?
            } else {
                self.change_audience(by, &found, &others, &audience, &mut is_made, rng).await?
            };
            match outcome {
                Outcome::Committed => return Ok(()),
                outcome => attempts.again(outcome, rng).await?,
            }
        }
    }

    /// The skill, with as many of its versions as one transaction takes, and before or after it the others. Once the skill's own
    /// transaction is through, the change `is_made`: whoever changes it again has decided later.
    async fn change_audience(
        &self,
        by: ChangedBy<'_>,
        found: &SkillAndPermission,
        versions: &[Key],
        audience: &Audience,
        is_made: &mut bool,
        rng: &mut (impl Rng + Send),
    ) -> Result<Outcome, StoreError> {
        let before = &found.skill;
        let mut transaction = Transaction::new();
        let rev = change_skill(&mut transaction, before, audience)?;
        let (others, with_the_skill) = versions.split_at(versions.len().saturating_sub(VERSIONS_AT_ONCE));
        change_versions(&mut transaction, with_the_skill, audience)?;
        found.permission.demand(&mut transaction, Role::Owner, by.now)?;
        let change = by.change("scope.change", name_of(before), audience.scope().as_str(), rng);
        record(&mut transaction, &before.namespace_id, by.actor(), change)?;
        let widens = audience.scope() == Scope::Public;
        if !widens {
            let outcome = self.change_versions(by, found, before.rev, others, audience).await?;
            if outcome != Outcome::Committed {
                return Ok(outcome);
            }
        }
        let outcome = self.transact(transaction).await?;
        *is_made |= outcome == Outcome::Committed;
        if outcome != Outcome::Committed || !widens {
            return Ok(outcome);
        }
        self.change_versions(by, found, rev, others, audience).await
    }

    /// Versions without their skill, which must still be of this revision: what is carried out late, when the skill has changed
    /// again, changes nothing.
    async fn change_versions(
        &self,
        by: ChangedBy<'_>,
        found: &SkillAndPermission,
        rev: u64,
        versions: &[Key],
        audience: &Audience,
    ) -> Result<Outcome, StoreError> {
        for chunk in versions.chunks(VERSIONS_AT_ONCE) {
            let mut transaction = Transaction::new();
            let values = vec![(":rev", AttributeValue::N(rev.to_string()))];
            let unchanged = Expression { text: "rev = :rev", names: &[], values };
            transaction.check(&Key::skill(&found.skill.id), unchanged)?;
            change_versions(&mut transaction, chunk, audience)?;
            found.permission.demand(&mut transaction, Role::Owner, by.now)?;
            let outcome = self.transact(transaction).await?;
            if outcome != Outcome::Committed {
                return Ok(outcome);
            }
        }
        Ok(Outcome::Committed)
    }

    /// The key of each version, and who sees it.
    async fn version_audiences(&self, skill: &SkillId) -> Result<Vec<(Key, Audience)>, StoreError> {
        let (partition, keys) = (skill_partition(skill), SortKeys::Prefix(VERSIONS));
        let items = self.query(&partition, keys, MAX_VERSIONS + 1, Freshness::Strong).await?;
        if items.len() > MAX_VERSIONS {
            let cause = format!("a skill with more than {MAX_VERSIONS} versions cannot change its scope");
            return Err(StoreError::Refused { operation: "Query", cause });
        }
        let version = |item: Attributes| {
            let sk = item.get("sk").and_then(|sk| sk.as_s().ok()).cloned();
            let sk = sk.ok_or_else(|| StoreError::corrupt("version", "bad sort key"))?;
            Ok((Key { pk: partition.clone(), sk }, decode::<VersionItem>(item)?.audience))
        };
        items.into_iter().map(version).collect()
    }
}

/// Gives the revision that the skill has then.
fn change_skill(transaction: &mut Transaction, before: &SkillItem, audience: &Audience) -> Result<u64, StoreError> {
    let mut after = before.clone();
    after.audience = audience.clone();
    put_skill(transaction, before, &mut after)?;
    if before.audience == *audience {
        return Ok(after.rev);
    }
    let slug = SlugItem { skill_id: after.id.clone(), audience: audience.clone() };
    transaction.put(&Key::slug(&after.namespace_id, &after.slug), &slug)?;
    if after.current.is_some() {
        drop_listing(transaction, before)?;
        put_listing(transaction, &after)?;
    }
    Ok(after.rev)
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
