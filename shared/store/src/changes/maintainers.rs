//! Maintainers: who publishes versions of a skill besides the owners of its namespace.

use rand::Rng;
use skillhub_protocol::{Namespace, Role, SkillId};

use super::{Attempts, ChangeError, ChangedBy, Refusal, name_of, put_skill};
use crate::audit::record;
use crate::error::StoreError;
use crate::ids::{NamespaceId, PrincipalId};
use crate::items::{MembershipItem, SkillItem};
use crate::keys::Key;
use crate::permission::demand_role;
use crate::table::Table;
use crate::transaction::{Outcome, Transaction};

/// How many maintainers a skill may have.
const MAX_MAINTAINERS: usize = 20;

impl Table {
    /// Makes the person with this handle a maintainer. Who is one already stays one.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn add_maintainer(
        &self,
        by: ChangedBy<'_>,
        skill: &SkillId,
        handle: &Namespace,
        rng: &mut (impl Rng + Send),
    ) -> Result<(), ChangeError> {
        let mut attempts = Attempts::new();
        loop {
            let found = self.skill_for_change(by, skill).await?;
            found.demand_owner()?;
            let before = &found.skill;
            let person = self.person(handle).await?.ok_or(Refusal::NoSuchPerson)?;
            if before.maintainers.contains(&person) {
                return Ok(());
            }
            if before.maintainers.len() >= MAX_MAINTAINERS {
                return Err(Refusal::TooManyMaintainers.into());
            }
            let membership = Key::membership(&person, &before.namespace_id);
            let membership = self.get_strong::<MembershipItem>(&membership).await?;
            if !membership.is_some_and(|m| m.role.may_publish()) {
                return Err(Refusal::NotPublisher.into());
            }
            let mut after = before.clone();
            after.maintainers.push(person.clone());
            let mut transaction = Transaction::new();
            put_skill(&mut transaction, before, &mut after)?;
            found.permission.demand(&mut transaction, Role::Owner, by.now)?;
            if person != by.caller.principal {
                demand_role(&mut transaction, &person, &before.namespace_id, Role::Publisher)?;
            }
            let detail = handle.to_string();
            let change = by.change("maintainer.add", name_of(before), &detail, rng);
            record(&mut transaction, &before.namespace_id, by.actor(), change)?;
            match self.transact(transaction).await? {
                Outcome::Committed => return Ok(()),
                outcome => attempts.again(outcome, rng).await?,
            }
        }
    }

    /// Takes the person with this handle from the maintainers.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn remove_maintainer(
        &self,
        by: ChangedBy<'_>,
        skill: &SkillId,
        handle: &Namespace,
        rng: &mut (impl Rng + Send),
    ) -> Result<(), ChangeError> {
        let mut attempts = Attempts::new();
        loop {
            let found = self.skill_for_change(by, skill).await?;
            found.demand_owner()?;
            let before = &found.skill;
            let person = self.person(handle).await?.ok_or(Refusal::NoSuchPerson)?;
            let mut after = before.clone();
            after.maintainers.retain(|maintainer| *maintainer != person);
            if after.maintainers.len() == before.maintainers.len() {
                return Ok(());
            }
            let mut transaction = Transaction::new();
            put_skill(&mut transaction, before, &mut after)?;
            found.permission.demand(&mut transaction, Role::Owner, by.now)?;
            let detail = handle.to_string();
            let change = by.change("maintainer.remove", name_of(before), &detail, rng);
            record(&mut transaction, &before.namespace_id, by.actor(), change)?;
            match self.transact(transaction).await? {
                Outcome::Committed => return Ok(()),
                outcome => attempts.again(outcome, rng).await?,
            }
        }
    }

    /// The handles of a skill's maintainers, creator first; who has none is left out.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn maintainers(&self, skill: &SkillItem) -> Result<Vec<Namespace>, StoreError> {
        Ok(self.handles(&skill.maintainers).await?.into_iter().flatten().collect())
    }

    /// The person whose personal namespace has this handle.
    pub(super) async fn person(&self, handle: &Namespace) -> Result<Option<PrincipalId>, StoreError> {
        Ok(self.namespace_by_handle(handle).await?.as_ref().and_then(NamespaceId::person))
    }
}
