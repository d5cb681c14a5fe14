//! What readers are shown. For whom a skill is not, it does not exist.

use skillhub_protocol::{NamespaceKind, Role, Scope, VersionState};

use super::access::Viewer;
use super::answer::{Answer, session_line, version_line};
use super::manage::reason;
use super::op::Read;
use super::words::{Name, Number, Person, Select, Slot, Space};
use super::world::{Skill, World};

const OK: u16 = 200;
/// The audiences, in the order in which lists read them.
pub(super) const AUDIENCES: [Scope; 3] = [Scope::Public, Scope::Personal, Scope::Organization];

impl World {
    /// The answer to a reader.
    pub fn read(&self, read: &Read, viewer: &Viewer) -> Answer {
        match *read {
            Read::List(..) | Read::Search(_) => {
                let lines = AUDIENCES.iter().flat_map(|audience| self.listed(read, viewer, *audience));
                Answer::says(OK, sorted(lines.map(|(_, line)| line).collect()))
            }
            Read::Detail(name) => answer(self.visible(name, viewer).and_then(|skill| shown(name, skill))),
            Read::Versions(name, _) => self.versions(name, viewer),
            Read::Version(name, number) => self.version(name, number, viewer),
            Read::Tags(name) => self.tags(name, viewer),
            Read::Maintainers(name) => self.maintainers(name, viewer),
            Read::Resolve(name, select) => self.resolve(name, select, viewer),
            Read::Download(name, number) => self.download(name, number, viewer),
            Read::Session(slot) => self.session(slot, viewer),
            Read::OwnSessions => self.own_sessions(viewer),
            Read::WhoAmI => who_am_i(viewer),
            Read::Members(space) => self.members_of(space, viewer),
            Read::Audit(space) => self.audit_of(space, viewer),
            Read::Tokens => self.tokens_of(viewer),
        }
    }

    /// A skill, for those who see it.
    fn visible(&self, name: Name, viewer: &Viewer) -> Option<&Skill> {
        self.skills.get(&name).filter(|skill| viewer.sees(name, skill.scope))
    }

    /// Skills with an available version that this audience of the viewer's is shown, as far as the request admits them. The
    /// audiences are read one after the other.
    pub fn listed(&self, read: &Read, viewer: &Viewer, audience: Scope) -> Vec<(Name, String)> {
        let admits = |name: &Name| match read {
            Read::List(filter, _) => {
                filter.scope.is_none_or(|scope| scope == audience)
                    && filter.space.is_none_or(|space| space == name.space)
                    && (!filter.team || audience == Scope::Organization)
            }
            Read::Search(query) => name.slug.starts_with(query),
            _ => false,
        };
        let of = |(name, skill): &(&Name, &Skill)| {
            skill.scope == audience && viewer.sees(**name, audience) && admits(name)
        };
        let skills = self.skills.iter().filter(of);
        skills.filter_map(|(name, skill)| Some((*name, shown(*name, skill)?))).collect()
    }

    /// Every version, whatever its state, the highest first.
    fn versions(&self, name: Name, viewer: &Viewer) -> Answer {
        let Some(skill) = self.visible(name, viewer) else { return Answer::not_found() };
        let state = |state: VersionState| match state {
            VersionState::Available => state.to_string(),
            _ => format!("{state}: {}", reason(state)),
        };
        let versions = skill.versions.iter().rev();
        let versions = versions.map(|(number, v)| version_line(name, *number, v.content, state(v.state)));
        Answer::says(OK, versions.collect())
    }

    fn version(&self, name: Name, number: Number, viewer: &Viewer) -> Answer {
        let version = self.visible(name, viewer).and_then(|skill| skill.versions.get(&number));
        answer(version.map(|version| version_line(name, number, version.content, "")))
    }

    fn tags(&self, name: Name, viewer: &Viewer) -> Answer {
        let Some(skill) = self.visible(name, viewer) else { return Answer::not_found() };
        let latest = skill.current().map(|number| format!("latest {number}"));
        let tags = skill.tags.iter().map(|(tag, number)| format!("{tag} {number}"));
        Answer::says(OK, latest.into_iter().chain(tags).collect())
    }

    /// For those who belong to the namespace, even if everybody sees the skill.
    fn maintainers(&self, name: Name, viewer: &Viewer) -> Answer {
        let skill = self.skills.get(&name).filter(|_| viewer.role(name.space).is_some());
        let Some(skill) = skill else { return Answer::not_found() };
        Answer::says(OK, skill.maintainers.iter().map(|person| Space::Own(*person).to_string()).collect())
    }

    /// Exact numbers mean their version whatever its state; tags and `latest` mean available ones only.
    fn resolve(&self, name: Name, select: Select, viewer: &Viewer) -> Answer {
        let Some(skill) = self.visible(name, viewer) else { return Answer::not_found() };
        let number = match select {
            Select::Latest => skill.current(),
            Select::Number(number) => Some(number),
            Select::Tag(tag) => skill.tags.get(tag).copied(),
        };
        let version = number.and_then(|number| Some((number, skill.versions.get(&number)?)));
        answer(version.map(|(number, version)| version_line(name, number, version.content, "")))
    }

    /// Yanked versions stay downloadable, blocked ones do not.
    fn download(&self, name: Name, number: Number, viewer: &Viewer) -> Answer {
        let version = self.visible(name, viewer).and_then(|skill| skill.versions.get(&number));
        match version {
            Some(version) if version.state == VersionState::Blocked => Answer::blocked(),
            version => answer(version.map(|version| version_line(name, number, version.content, ""))),
        }
    }

    /// A session, for its opener and for the owners of its namespace.
    pub(super) fn session(&self, slot: Slot, viewer: &Viewer) -> Answer {
        let session = self.sessions.get(&slot).filter(|session| {
            viewer.person == Some(session.person) || viewer.role(session.request.name.space) == Some(Role::Owner)
        });
        answer(session.map(|s| session_line(slot, s.state, s.request.name, s.request.number, s.code)))
    }

    fn own_sessions(&self, viewer: &Viewer) -> Answer {
        let own = self.sessions.iter().filter(|(_, s)| Some(s.person) == viewer.person && !s.state.is_terminal());
        Answer::says(OK, sorted(own.map(|(slot, _)| slot.to_string()).collect()))
    }

    fn members_of(&self, space: Space, viewer: &Viewer) -> Answer {
        if viewer.role(space).is_none() {
            return Answer::not_found();
        }
        let members = self.members.iter().filter(|((at, _), _)| *at == space);
        Answer::says(OK, sorted(members.map(|((_, person), role)| member_line(*person, *role)).collect()))
    }

    fn audit_of(&self, space: Space, viewer: &Viewer) -> Answer {
        match viewer.role(space) {
            None => Answer::not_found(),
            Some(Role::Owner) => {
                let entries = self.audit.iter().filter(|(at, _)| *at == space);
                Answer::says(OK, entries.map(|(_, entry)| entry.to_string()).collect())
            }
            Some(_) => Answer::forbidden(),
        }
    }

    fn tokens_of(&self, viewer: &Viewer) -> Answer {
        let own = self.tokens.iter().filter(|(_, token)| Some(token.person) == viewer.person);
        Answer::says(OK, sorted(own.map(|(slot, token)| format!("{slot} {}", token.grant)).collect()))
    }
}

fn who_am_i(viewer: &Viewer) -> Answer {
    let kind = |space: &Space| match space {
        Space::Global => NamespaceKind::Global,
        Space::Team => NamespaceKind::Organization,
        Space::Own(_) => NamespaceKind::Personal,
    };
    let lines = viewer.roles.iter().map(|(space, role)| format!("{space} {:?} {role}", kind(space)));
    Answer::says(OK, sorted(lines.collect()))
}

/// A member in an answer.
pub fn member_line(person: Person, role: Role) -> String {
    format!("{} {role}", Space::Own(person))
}

/// A skill as lists and details show it; nothing while no version is available.
fn shown(name: Name, skill: &Skill) -> Option<String> {
    let number = skill.current()?;
    Some(version_line(name, number, skill.versions.get(&number)?.content, skill.scope))
}

fn answer(line: Option<String>) -> Answer {
    line.map_or_else(Answer::not_found, |line| Answer::says(OK, vec![line]))
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}
