//! What people change: versions, tags, scopes, maintainers, members, tokens. Each change happens whole or not at all.

use skillhub_protocol::{Role, Scope, VersionState};

use super::access::Viewer;
use super::answer::Answer;
use super::op::{Life, Op};
use super::words::{Caller, Grant, Name, Number, Person, Space, TokenSlot};
use super::world::{Token, World};

/// A change that has happened, or is not needed.
const DONE: u16 = 204;
/// How long a short-lived token lives, in seconds.
const SHORT_LIFE: u64 = 30 * 60;

/// Why a version is yanked, unyanked or blocked.
pub fn reason(to: VersionState) -> &'static str {
    match to {
        VersionState::Available => "good after all",
        VersionState::Yanked => "not good",
        VersionState::Blocked => "malware",
    }
}

/// Ends with this answer unless the condition holds.
macro_rules! demand {
    ($condition:expr, $answer:expr) => {
        if !$condition {
            return $answer;
        }
    };
}

impl World {
    /// Carries a change out.
    pub fn change(&mut self, op: &Op, viewer: &Viewer) -> Answer {
        let Some(by) = viewer.person else { return Answer::problem(401, "unauthenticated") };
        match *op {
            Op::State(_, name, number, to) => self.set_state(viewer, by, (name, number), to),
            Op::MoveTag(_, name, tag, number) => self.move_tag(viewer, by, (name, tag), Some(number)),
            Op::RemoveTag(_, name, tag) => self.move_tag(viewer, by, (name, tag), None),
            Op::Scope(_, name, scope) => self.set_scope(viewer, by, name, scope),
            Op::AddMaintainer(_, name, person) => self.set_maintainer(viewer, by, (name, person), true),
            Op::RemoveMaintainer(_, name, person) => self.set_maintainer(viewer, by, (name, person), false),
            Op::SetMember(_, space, person, role) => self.set_member(viewer, by, (space, person), Some(role)),
            Op::RemoveMember(_, space, person) => self.set_member(viewer, by, (space, person), None),
            Op::CreateToken(_, slot, grant, life) => self.create_token(viewer, by, (slot, grant), life),
            Op::RevokeToken(_, slot) => self.revoke_token(viewer, by, slot),
            _ => Answer::not_found(),
        }
    }

    /// Owners do all of it, maintainers yank and unyank; owners of `@global` block whatever they know the id of.
    fn set_state(&mut self, viewer: &Viewer, by: Person, (name, number): (Name, Number), to: VersionState) -> Answer {
        let permitted = match to {
            VersionState::Blocked => self.owns(viewer, name.space) || self.owns(viewer, Space::Global),
            _ => self.may_maintain(viewer, name),
        };
        let Some(skill) = self.skills.get_mut(&name) else { return Answer::not_found() };
        let visible = viewer.sees(name, skill.scope);
        let Some(version) = skill.versions.get_mut(&number) else { return Answer::not_found() };
        demand!(permitted, if visible { Answer::forbidden() } else { Answer::not_found() });
        demand!(version.state != to, Answer::done(DONE));
        demand!(version.state != VersionState::Blocked, Answer::blocked());
        version.state = to;
        if to != VersionState::Available {
            skill.tags.retain(|_, tagged| *tagged != number);
        }
        let action = match to {
            VersionState::Available => "unyank",
            VersionState::Yanked => "yank",
            VersionState::Blocked => "block",
        };
        self.record(name.space, by, action, format_args!("{name}@{number}"), reason(to));
        Answer::done(DONE)
    }

    fn move_tag(
        &mut self,
        viewer: &Viewer,
        by: Person,
        (name, tag): (Name, &'static str),
        to: Option<Number>,
    ) -> Answer {
        let permitted = self.may_maintain(viewer, name);
        let Some(skill) = self.skills.get_mut(&name).filter(|skill| viewer.sees(name, skill.scope)) else {
            return Answer::not_found();
        };
        demand!(permitted, Answer::forbidden());
        let available = |number| skill.versions.get(&number).is_some_and(|v| v.state == VersionState::Available);
        demand!(to.is_none_or(available), Answer::conflict("conflict"));
        let old = skill.tags.get(tag).copied();
        demand!(old != to, Answer::done(DONE));
        let subject = format_args!("{name}@{tag}");
        match (to, old) {
            (Some(number), _) => {
                skill.tags.insert(tag, number);
                self.record(name.space, by, "tag.move", subject, number);
            }
            (None, old) => {
                skill.tags.remove(tag);
                self.record(name.space, by, "tag.remove", subject, old.map_or_else(String::new, |n| n.to_string()));
            }
        }
        Answer::done(DONE)
    }

    fn set_scope(&mut self, viewer: &Viewer, by: Person, name: Name, scope: Scope) -> Answer {
        let permitted = self.owns(viewer, name.space);
        let Some(skill) = self.skills.get_mut(&name).filter(|skill| viewer.sees(name, skill.scope)) else {
            return Answer::not_found();
        };
        demand!(permitted, Answer::forbidden());
        demand!(name.space.can_have(scope), Answer::problem(422, "invalid_request"));
        demand!(skill.scope != scope, Answer::done(DONE));
        skill.scope = scope;
        self.record(name.space, by, "scope.change", name, scope);
        Answer::done(DONE)
    }

    fn set_maintainer(&mut self, viewer: &Viewer, by: Person, (name, person): (Name, Person), to: bool) -> Answer {
        let permitted = self.owns(viewer, name.space);
        let publishes = self.role(name.space, person).is_some_and(Role::may_publish);
        let Some(skill) = self.skills.get_mut(&name).filter(|skill| viewer.sees(name, skill.scope)) else {
            return Answer::not_found();
        };
        demand!(permitted, Answer::forbidden());
        demand!(skill.maintainers.contains(&person) != to, Answer::done(DONE));
        demand!(!to || publishes, Answer::conflict("conflict"));
        let action = if to { "maintainer.add" } else { "maintainer.remove" };
        if to { skill.maintainers.push(person) } else { skill.maintainers.retain(|other| *other != person) }
        self.record(name.space, by, action, name, Space::Own(person));
        Answer::done(DONE)
    }

    /// Owners change members, and everybody may leave; but there is always an owner.
    fn set_member(&mut self, viewer: &Viewer, by: Person, (space, person): (Space, Person), to: Option<Role>) -> Answer {
        let Some(own_role) = self.valid_role(space, viewer.caller) else { return Answer::not_found() };
        demand!(!matches!(space, Space::Own(_)), Answer::conflict("conflict"));
        let leaves = to.is_none() && person == by;
        demand!(own_role == Role::Owner || leaves, Answer::forbidden());
        let old = self.role(space, person);
        demand!(old != to, Answer::done(DONE));
        let owners = self.members.iter().filter(|((at, _), role)| *at == space && **role == Role::Owner).count();
        demand!(owners > 1 || old != Some(Role::Owner), Answer::conflict("conflict"));
        let subject = format_args!("{space} {}", Space::Own(person));
        match (to, old) {
            (Some(role), _) => {
                self.members.insert((space, person), role);
                self.record(space, by, "member.set", subject, role);
            }
            (None, old) => {
                self.members.remove(&(space, person));
                self.record(space, by, "member.remove", subject, old.map_or("", Role::as_str));
            }
        }
        Answer::done(DONE)
    }

    /// Nobody gives a token more than its own has.
    fn create_token(&mut self, viewer: &Viewer, by: Person, (slot, grant): (TokenSlot, Grant), life: Life) -> Answer {
        let own = match viewer.caller {
            Caller::With(_, own) => self.tokens.get(&own).map_or(Grant::All, |token| token.grant),
            _ => Grant::All,
        };
        demand!(self.is_valid(viewer.caller), Answer::forbidden());
        demand!(grant.scopes().iter().all(|scope| own.has(*scope)), Answer::forbidden());
        let until = (life == Life::Short).then_some(self.time + SHORT_LIFE);
        self.tokens.insert(slot, Token { person: by, grant, until });
        self.record(Space::Own(by), by, "token.create", slot, slot);
        Answer::done(201)
    }

    fn revoke_token(&mut self, viewer: &Viewer, by: Person, slot: TokenSlot) -> Answer {
        demand!(self.tokens.get(&slot).is_some_and(|token| token.person == by), Answer::not_found());
        demand!(self.is_valid(viewer.caller), Answer::forbidden());
        self.tokens.remove(&slot);
        self.record(Space::Own(by), by, "token.revoke", slot, slot);
        Answer::done(DONE)
    }
}
