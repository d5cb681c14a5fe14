//! Changes by people who may make them: read, decide, write in one transaction with its audit record, and again if somebody
//! else was faster.

mod attempts;
mod maintainers;
mod members;
mod namespaces;
mod refusal;
mod scope;
mod tags;
mod tokens;
mod version_state;

pub use namespaces::NamespaceMembers;
pub use refusal::{ChangeError, Refusal};
pub use tokens::NewToken;

pub(crate) use attempts::Attempts;

use rand::{Rng, RngExt};
use skillhub_protocol::{Role, SkillId, UtcMillis};

use crate::audience::Viewer;
use crate::audit::{Actor, Change};
use crate::error::StoreError;
use crate::identity::Authenticated;
use crate::items::SkillItem;
use crate::keys::Key;
use crate::permission::Permission;
use crate::table::Table;
use crate::transaction::{Expression, Transaction};

/// Who changes something, and when.
#[derive(Debug, Clone, Copy)]
pub struct ChangedBy<'a> {
    /// The caller.
    pub caller: &'a Authenticated,
    /// The server's time.
    pub now: UtcMillis,
}

impl ChangedBy<'_> {
    fn actor(&self) -> Actor<'_> {
        Actor { principal: &self.caller.principal, handle: self.caller.handle() }
    }

    fn change<'a>(
        &self,
        action: &'static str,
        subject: impl Into<String>,
        detail: &'a str,
        rng: &mut impl Rng,
    ) -> Change<'a> {
        Change { action, subject: subject.into(), detail, at: self.now, random: rng.random() }
    }
}

/// A skill as it stands, and what the caller may do with it.
struct SkillAndPermission {
    skill: SkillItem,
    permission: Permission,
}

impl Table {
    /// A skill that the caller sees, with its right in the skill's namespace, both read strongly.
    async fn skill_for_change(&self, by: ChangedBy<'_>, id: &SkillId) -> Result<SkillAndPermission, ChangeError> {
        let skill = self.get_strong::<SkillItem>(&Key::skill(id)).await?.ok_or(Refusal::NotFound)?;
        let viewer = Viewer::Known(Box::new(by.caller.clone()));
        if !viewer.may_see(&skill.audience, false) {
            return Err(Refusal::NotFound.into());
        }
        let permission = self.permission(by.caller, &skill.namespace_id, by.now).await?;
        Ok(SkillAndPermission { skill, permission })
    }
}

impl SkillAndPermission {
    /// Owners may do everything; publishers, what concerns versions of skills that they maintain.
    fn demand_maintainer(&self, by: ChangedBy<'_>) -> Result<(), Refusal> {
        let least = self.skill.least_role(&by.caller.principal);
        if self.permission.role().is_some_and(|role| role >= least) { Ok(()) } else { Err(Refusal::NotPermitted) }
    }

    fn demand_owner(&self) -> Result<(), Refusal> {
        if self.permission.role() == Some(Role::Owner) { Ok(()) } else { Err(Refusal::NotPermitted) }
    }
}

/// Replaces a skill's item, if nobody has changed the skill since `before` was read. Raises its revision.
fn put_skill(transaction: &mut Transaction, before: &SkillItem, after: &mut SkillItem) -> Result<(), StoreError> {
    after.rev = before.rev + 1;
    let rev = aws_sdk_dynamodb::types::AttributeValue::N(before.rev.to_string());
    let unchanged = Expression { text: "rev = :rev", names: &[], values: vec![(":rev", rev)] };
    transaction.put_if(&Key::skill(&before.id), after, unchanged)
}

/// A skill in the words of the audit.
fn name_of(skill: &SkillItem) -> String {
    format!("{}/{}", skill.namespace, skill.slug)
}
