//! Tags: movable names for available versions.

use rand::Rng;
use skillhub_protocol::{Release, SkillId, Tag, VersionState};

use super::{Attempts, ChangeError, ChangedBy, Refusal, name_of, put_skill};
use crate::audit::record;
use crate::items::VersionNumberItem;
use crate::keys::Key;
use crate::table::Table;
use crate::transaction::{Outcome, Transaction};

impl Table {
    /// Points `tag` at a version. Pointing it where it points already changes nothing.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn move_tag(
        &self,
        by: ChangedBy<'_>,
        skill: &SkillId,
        tag: &Tag,
        version: &Release,
        rng: &mut (impl Rng + Send),
    ) -> Result<(), ChangeError> {
        let mut attempts = Attempts::new();
        loop {
            let found = self.skill_for_change(by, skill).await?;
            found.demand_maintainer(by)?;
            let before = &found.skill;
            let number = self.get_strong::<VersionNumberItem>(&Key::version_number(skill, version)).await?;
            let number = number.filter(|n| n.state == VersionState::Available).ok_or(Refusal::NotAvailable)?;
            if before.tags.iter().any(|t| t.tag == *tag && t.version == *version) {
                return Ok(());
            }
            let mut after = before.clone();
            after.point_tag(tag, &number.version_id, version);
            if after.tags.len() > Tag::MAX_PER_SKILL {
                return Err(Refusal::TooManyTags.into());
            }
            let mut transaction = Transaction::new();
            put_skill(&mut transaction, before, &mut after)?;
            transaction.put(&Key::tag(skill, tag), &number.tag())?;
            let role = before.least_role(&by.caller.principal);
            found.permission.demand(&mut transaction, role, by.now)?;
            let (subject, detail) = (format!("{}@{tag}", name_of(before)), version.to_string());
            let change = by.change("tag.move", subject, &detail, rng);
            record(&mut transaction, &before.namespace_id, by.actor(), change)?;
            match self.transact(transaction).await? {
                Outcome::Committed => return Ok(()),
                outcome => attempts.again(outcome, rng).await?,
            }
        }
    }

    /// Takes a tag away. Taking away what is not there changes nothing.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn remove_tag(
        &self,
        by: ChangedBy<'_>,
        skill: &SkillId,
        tag: &Tag,
        rng: &mut (impl Rng + Send),
    ) -> Result<(), ChangeError> {
        let mut attempts = Attempts::new();
        loop {
            let found = self.skill_for_change(by, skill).await?;
            found.demand_maintainer(by)?;
            let before = &found.skill;
            let Some(old) = before.tags.iter().find(|t| t.tag == *tag) else { return Ok(()) };
            let mut after = before.clone();
            after.tags.retain(|t| t.tag != *tag);
            let mut transaction = Transaction::new();
            put_skill(&mut transaction, before, &mut after)?;
            transaction.delete(&Key::tag(skill, tag))?;
            let role = before.least_role(&by.caller.principal);
            found.permission.demand(&mut transaction, role, by.now)?;
            let (subject, detail) = (format!("{}@{tag}", name_of(before)), old.version.to_string());
            let change = by.change("tag.remove", subject, &detail, rng);
            record(&mut transaction, &before.namespace_id, by.actor(), change)?;
            match self.transact(transaction).await? {
                Outcome::Committed => return Ok(()),
                outcome => attempts.again(outcome, rng).await?,
            }
        }
    }
}
