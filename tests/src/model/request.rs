//! Operations as requests to the registry.

use serde_json::json;
use skillhub_protocol::{UtcMillis, VersionState};

use super::manage::reason;
use super::names::{Names, open_body};
use super::op::{Life, ListFilter, Op, Read};
use super::words::{Name, Number, Person, Select, Space};

/// A request of the API.
pub(super) struct Request {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
}

/// What no history makes.
fn nothing(letter: char) -> String {
    format!("{letter}{}", "0".repeat(24))
}

fn skill(names: &Names, name: Name) -> String {
    let id = names.skills.get(&name).map_or_else(|| nothing('c'), ToString::to_string);
    format!("/api/skills/{id}")
}

fn version(names: &Names, name: Name, number: Number) -> String {
    let id = names.versions.get(&(name, number)).map_or_else(|| nothing('v'), ToString::to_string);
    format!("{}/versions/{id}", skill(names, name))
}

fn member(space: Space, person: Person) -> String {
    format!("/api/namespaces/{space}/members/{person}")
}

/// The request of an operation; `None` for what happens by itself.
pub(super) fn request(op: &Op, names: &Names, now: UtcMillis) -> Option<Request> {
    let (method, path, body) = match op {
        Op::Open(_, _, request, _) => ("POST", String::from("/api/uploads"), open_body(request)),
        Op::Cancel(_, slot) => ("DELETE", format!("/api/uploads/{}", names.uploads.get(slot)?), String::new()),
        Op::State(_, name, number, to) => {
            let verb = match to {
                VersionState::Available => "unyank",
                VersionState::Yanked => "yank",
                VersionState::Blocked => "block",
            };
            let path = format!("{}/{verb}", version(names, *name, *number));
            ("POST", path, json!({ "reason": reason(*to) }).to_string())
        }
        Op::MoveTag(_, name, tag, number) => {
            let path = format!("{}/tags/{tag}", skill(names, *name));
            ("PUT", path, json!({ "version": number.as_str() }).to_string())
        }
        Op::RemoveTag(_, name, tag) => ("DELETE", format!("{}/tags/{tag}", skill(names, *name)), String::new()),
        Op::Scope(_, name, scope) => ("PATCH", skill(names, *name), json!({ "scope": scope }).to_string()),
        Op::AddMaintainer(_, name, person) => {
            ("PUT", format!("{}/maintainers/{person}", skill(names, *name)), String::new())
        }
        Op::RemoveMaintainer(_, name, person) => {
            ("DELETE", format!("{}/maintainers/{person}", skill(names, *name)), String::new())
        }
        Op::SetMember(_, space, person, role) => ("PUT", member(*space, *person), json!({ "role": role }).to_string()),
        Op::RemoveMember(_, space, person) => ("DELETE", member(*space, *person), String::new()),
        Op::CreateToken(_, slot, grant, life) => {
            let mut body = json!({ "name": slot.to_string(), "scopes": grant.scopes() });
            if *life == Life::Short {
                body["expiresAt"] = now.plus_millis(30 * 60 * 1000).to_string().into();
            }
            ("POST", String::from("/api/tokens"), body.to_string())
        }
        Op::RevokeToken(_, slot) => {
            let id = names.tokens.get(slot).map_or_else(|| nothing('t'), ToString::to_string);
            ("DELETE", format!("/api/tokens/{id}"), String::new())
        }
        Op::Read(_, read) => ("GET", read_path(read, names)?, String::new()),
        Op::Upload(..) | Op::Event(_) | Op::Sweep | Op::Advance(_) => return None,
    };
    let headers = match op {
        Op::Open(_, _, _, Some(key)) => vec![("idempotency-key", format!("key-{key}"))],
        _ => Vec::new(),
    };
    Some(Request { method, path, headers, body })
}

fn read_path(read: &Read, names: &Names) -> Option<String> {
    Some(match read {
        Read::List(filter, limit) => format!("/api/skills?limit={limit}{}", filters(*filter, names)?),
        Read::Search(query) => format!("/api/search?q={query}"),
        Read::Detail(name) => skill(names, *name),
        Read::Versions(name, limit) => format!("{}/versions?limit={limit}", skill(names, *name)),
        Read::Version(name, number) => version(names, *name, *number),
        Read::Tags(name) => format!("{}/tags", skill(names, *name)),
        Read::Maintainers(name) => format!("{}/maintainers", skill(names, *name)),
        Read::Resolve(name, Select::Latest) if name.space != Space::Global => {
            format!("/api/resolve?canonicalSlug={}--{}", &name.space.to_string()[1..], name.slug)
        }
        Read::Resolve(name, select) => format!("/api/resolve?coordinate={name}@{select}"),
        Read::Download(name, number) => format!("{}/download", version(names, *name, *number)),
        Read::Session(slot) => format!("/api/uploads/{}", names.uploads.get(slot)?),
        Read::OwnSessions => String::from("/api/uploads"),
        Read::WhoAmI => String::from("/api/whoami"),
        Read::Members(space) => format!("/api/namespaces/{space}"),
        Read::Audit(space) => format!("/api/namespaces/{space}/audit?limit=20"),
        Read::Tokens => String::from("/api/tokens"),
    })
}

fn filters(filter: ListFilter, names: &Names) -> Option<String> {
    let mut text = String::new();
    if let Some(scope) = filter.scope {
        text += &format!("&scope={scope}");
    }
    if let Some(space) = filter.space {
        text += &format!("&namespace={space}");
    }
    if filter.team {
        text += &format!("&organizationId={}", names.organization.as_ref()?);
    }
    Some(text)
}
