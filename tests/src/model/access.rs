//! Who is calling, who sees what, who may do what.

use std::collections::BTreeMap;

use skillhub_protocol::{Role, Scope, TokenScope};

use super::answer::Answer;
use super::op::{Op, Read};
use super::words::{Caller, Name, Person, Space};
use super::world::World;

/// A caller as it was when its request began. A request is not one moment: what it is allowed to do is looked at again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Viewer {
    /// Who and with which token.
    pub caller: Caller,
    /// Who; `None` if nobody in particular.
    pub person: Option<Person>,
    /// Its roles.
    pub roles: BTreeMap<Space, Role>,
}

impl Viewer {
    /// Its role in a namespace, at the beginning of the request.
    pub fn role(&self, space: Space) -> Option<Role> {
        self.roles.get(&space).copied()
    }

    /// Whether it sees a skill of this name and scope: public ones are open to everybody, those of an organization to its
    /// members, personal ones to their owner.
    pub fn sees(&self, name: Name, scope: Scope) -> bool {
        match scope {
            Scope::Public => true,
            Scope::Organization => self.role(name.space).is_some(),
            Scope::Personal => self.person.is_some_and(|person| name.space == Space::Own(person)),
        }
    }
}

/// What a token must be for.
enum Need {
    Anybody,
    Known,
    Scope(TokenScope),
}

fn need(op: &Op) -> Need {
    match op {
        Op::Open(..) | Op::Cancel(..) => Need::Scope(TokenScope::Publish),
        Op::Read(_, read) => match read {
            Read::Session(_)
            | Read::OwnSessions
            | Read::WhoAmI
            | Read::Members(_)
            | Read::Audit(_)
            | Read::Tokens => Need::Known,
            _ => Need::Anybody,
        },
        _ => Need::Scope(TokenScope::Manage),
    }
}

impl World {
    /// The caller of a request, or why it is none: 401 for every token that is not accepted, 403 for one that is for other
    /// things.
    pub fn authenticate(&self, op: &Op, caller: Caller) -> Result<Viewer, Answer> {
        let (person, grant) = match caller {
            Caller::Anonymous => match need(op) {
                Need::Anybody => return Ok(Viewer { caller, person: None, roles: BTreeMap::new() }),
                _ => return Err(Answer::problem(401, "unauthenticated")),
            },
            Caller::Main(person) => (person, super::words::Grant::All),
            Caller::With(person, slot) => match self.tokens.get(&slot).filter(|_| self.is_valid(caller)) {
                Some(token) => (person, token.grant),
                None => return Err(Answer::problem(401, "unauthenticated")),
            },
        };
        let scope = match need(op) {
            Need::Known => None,
            Need::Anybody => Some(TokenScope::Read),
            Need::Scope(scope) => Some(scope),
        };
        if scope.is_some_and(|scope| !grant.has(scope)) {
            return Err(Answer::forbidden());
        }
        let own = self.members.iter().filter(|((_, member), _)| *member == person);
        let roles = own.map(|((space, _), role)| (*space, *role)).collect();
        Ok(Viewer { caller, person: Some(person), roles })
    }

    /// Owners may do everything; publishers, what concerns the versions of skills that they maintain.
    pub fn may_maintain(&self, viewer: &Viewer, name: Name) -> bool {
        match (self.valid_role(name.space, viewer.caller), viewer.person) {
            (Some(Role::Owner), _) => true,
            (Some(Role::Publisher), Some(person)) => self.maintains(name, person),
            _ => false,
        }
    }

    /// Whether the caller owns a namespace.
    pub fn owns(&self, viewer: &Viewer, space: Space) -> bool {
        self.valid_role(space, viewer.caller) == Some(Role::Owner)
    }
}
