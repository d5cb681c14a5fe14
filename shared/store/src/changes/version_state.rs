//! Yank, unyank, block: what a version may be had for.

use aws_sdk_dynamodb::types::AttributeValue;
use rand::Rng;
use skillhub_protocol::{Manifest, Reason, Role, SkillId, VersionId, VersionState};

use super::{Attempts, ChangeError, ChangedBy, Refusal, name_of, put_skill};
use crate::audience::Viewer;
use crate::audit::record;
use crate::codec::decode;
use crate::error::StoreError;
use crate::ids::NamespaceId;
use crate::items::{CurrentVersion, SkillItem, VersionItem, VersionNumberItem};
use crate::keys::Key;
use crate::listing::put_listing;
use crate::permission::Permission;
use crate::publish::outranks;
use crate::table::{Freshness, Table};
use crate::transaction::{Expression, Outcome, Transaction};

/// How many version numbers are read at a time in search of the next current version.
const PAGE: usize = 50;

/// A version whose state is to change, as it stands.
struct Found {
    skill: SkillItem,
    version: VersionItem,
    permission: Permission,
}

/// What the caller must at least be, in the namespace by whose right it acts.
fn least_role(skill: &SkillItem, to: VersionState, by: ChangedBy<'_>) -> Role {
    if to == VersionState::Blocked { Role::Owner } else { skill.least_role(&by.caller.principal) }
}

impl Table {
    /// Changes the state of a version, and with it the current version, the tags and the lists. A state that is so already
    /// changes nothing.
    ///
    /// Owners may do all of it, maintainers may yank and unyank; the owners of `@global` may block any version, because
    /// malware and the law do not wait.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn change_version_state(
        &self,
        by: ChangedBy<'_>,
        (skill, version): (&SkillId, &VersionId),
        to: VersionState,
        reason: &Reason,
        rng: &mut (impl Rng + Send),
    ) -> Result<(), ChangeError> {
        let mut attempts = Attempts::new();
        loop {
            let found = self.version_for_change(by, skill, version, to).await?;
            match (found.version.state, to) {
                (from, to) if from == to => return Ok(()),
                (VersionState::Blocked, _) => return Err(Refusal::Blocked.into()),
                _ => {}
            }
            let mut after = found.skill.clone();
            after.current = self.current_after(&found, version, to).await?;
            if to != VersionState::Available {
                after.tags.retain(|tag| tag.version_id != *version);
            }
            let mut transaction = found.transaction(version, to, reason, &mut after)?;
            found.permission.demand(&mut transaction, least_role(&found.skill, to, by), by.now)?;
            let subject = format!("{}@{}", name_of(&found.skill), found.version.version);
            let change = by.change(action(to), subject, reason.as_str(), rng);
            record(&mut transaction, &found.skill.namespace_id, by.actor(), change)?;
            match self.transact(transaction).await? {
                Outcome::Committed => return Ok(()),
                outcome => attempts.again(outcome, rng).await?,
            }
        }
    }

    /// A version that the caller may know of, and may bring into this state.
    async fn version_for_change(
        &self,
        by: ChangedBy<'_>,
        skill: &SkillId,
        version: &VersionId,
        to: VersionState,
    ) -> Result<Found, ChangeError> {
        let (skill_key, version_key) = (Key::skill(skill), Key::version(skill, version));
        let mut items = self.get_batch(&[skill_key.clone(), version_key.clone()]).await?;
        let (Some(skill), Some(version)) = (items.remove(&skill_key), items.remove(&version_key)) else {
            return Err(Refusal::NotFound.into());
        };
        let (skill, version): (SkillItem, VersionItem) = (decode(skill)?, decode(version)?);
        let permission = self.permission(by.caller, &skill.namespace_id, by.now).await?;
        if permission.role().is_some_and(|role| role >= least_role(&skill, to, by)) {
            return Ok(Found { skill, version, permission });
        }
        if to == VersionState::Blocked {
            let permission = self.permission(by.caller, &NamespaceId::global(), by.now).await?;
            if permission.role() == Some(Role::Owner) {
                return Ok(Found { skill, version, permission });
            }
        }
        let visible = Viewer::Known(Box::new(by.caller.clone())).may_see(&skill.audience, false);
        Err(if visible { Refusal::NotPermitted.into() } else { Refusal::NotFound.into() })
    }

    /// The current version once `version` is in this state.
    async fn current_after(
        &self,
        found: &Found,
        version: &VersionId,
        to: VersionState,
    ) -> Result<Option<CurrentVersion>, StoreError> {
        let current = &found.skill.current;
        if to == VersionState::Available {
            let candidate = &found.version.version;
            if current.as_ref().is_none_or(|current| outranks(candidate, &current.version)) {
                return self.as_current(&found.skill.id, version.clone(), &found.version).await.map(Some);
            }
        } else if current.as_ref().is_some_and(|current| current.id == *version) {
            return match self.best_available(&found.skill.id, version).await? {
                Some(number) => {
                    let item =
                        self.get_strong::<VersionItem>(&Key::version(&found.skill.id, &number.version_id)).await?;
                    let item = item.ok_or_else(|| StoreError::corrupt("version", "is missing"))?;
                    self.as_current(&found.skill.id, number.version_id, &item).await.map(Some)
                }
                None => Ok(None),
            };
        }
        Ok(current.clone())
    }

    /// The highest available release but `leaving`, or else the highest available pre-release.
    async fn best_available(
        &self,
        skill: &SkillId,
        leaving: &VersionId,
    ) -> Result<Option<VersionNumberItem>, StoreError> {
        let mut prerelease = None;
        let mut below = None;
        loop {
            let page = self.version_numbers(skill, below.as_ref(), PAGE, Freshness::Strong).await?;
            let last = page.len() < PAGE;
            below = page.last().map(|number| number.version.clone());
            for number in page {
                if number.state != VersionState::Available || number.version_id == *leaving {
                    continue;
                }
                if !number.version.is_prerelease() {
                    return Ok(Some(number));
                }
                prerelease.get_or_insert(number);
            }
            if last {
                return Ok(prerelease);
            }
        }
    }

    /// A version as a skill's item describes its current one: name and description are in the manifest.
    async fn as_current(
        &self,
        skill: &SkillId,
        id: VersionId,
        version: &VersionItem,
    ) -> Result<CurrentVersion, StoreError> {
        let json = self.manifest_json(skill, &id).await?;
        let json = json.ok_or_else(|| StoreError::corrupt("version body", "is missing"))?;
        let manifest = Manifest::from_json(&json).map_err(|e| StoreError::corrupt("version body", e))?;
        Ok(CurrentVersion {
            id,
            version: version.version.clone(),
            name: manifest.name,
            description: manifest.description,
            artifact_sha256: version.artifact_sha256,
            artifact_bytes: version.artifact_bytes,
            published_at: version.published_at,
        })
    }
}

impl Found {
    fn transaction(
        &self,
        id: &VersionId,
        to: VersionState,
        reason: &Reason,
        after: &mut SkillItem,
    ) -> Result<Transaction, StoreError> {
        let mut transaction = Transaction::new();
        put_skill(&mut transaction, &self.skill, after)?;
        for key in [Key::version(&self.skill.id, id), Key::version_number(&self.skill.id, &self.version.version)] {
            // Updates, not puts: the audience of a version changes under its own transaction.
            transaction.update(&key, self.state_change(to, reason), "#state = :from")?;
        }
        for tag in self.skill.tags.iter().filter(|tag| !after.tags.contains(tag)) {
            transaction.delete(&Key::tag(&self.skill.id, &tag.tag))?;
        }
        put_listing(&mut transaction, after)?;
        Ok(transaction)
    }

    fn state_change(&self, to: VersionState, reason: &Reason) -> Expression<'static> {
        let text = |value: &str| AttributeValue::S(value.to_owned());
        let mut values = vec![(":from", text(self.version.state.as_str())), (":to", text(to.as_str()))];
        let text = if to == VersionState::Available {
            "SET #state = :to REMOVE reason"
        } else {
            values.push((":reason", AttributeValue::S(reason.to_string())));
            "SET #state = :to, reason = :reason"
        };
        Expression { text, names: &[("#state", "state")], values }
    }
}

fn action(to: VersionState) -> &'static str {
    match to {
        VersionState::Available => "unyank",
        VersionState::Yanked => "yank",
        VersionState::Blocked => "block",
    }
}
