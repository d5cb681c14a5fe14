//! The table as the model's facts: what stands there, in the history's names.

use std::collections::BTreeSet;

use skillhub_protocol::{Role, TokenId, UploadId};
use skillhub_store::{
    AuditItem, MembershipItem, NamespaceId, NamespaceItem, SessionItem, SkillItem, VersionItem, VersionNumberItem,
};

use super::names::{self, Names};
use super::op::Request;
use super::words::{Content, Grant, Name, Person, Slot, Space, TokenSlot};
use super::world::{audit_line, session_fact};
use crate::raw_table::Row;

/// A session whose opening was not answered: where it goes, if it is there.
pub(super) type Unanswered<'a> = (Slot, Person, &'a Request);

/// Learns the ids of what is there, and gives every fact as a line, sorted.
///
/// # Errors
/// If something is there that no history makes, or has another id than before.
pub(super) fn observe(rows: &[Row], names: &mut Names, unanswered: &[Unanswered<'_>]) -> Result<Vec<String>, String> {
    learn(rows, names, unanswered)?;
    let mut facts = Vec::new();
    let mut mirrored = BTreeSet::new();
    for row in rows {
        let kind = (row.pk.split('#').next().unwrap_or_default(), row.sk.split('#').next().unwrap_or_default());
        match kind {
            ("N", "M") => facts.push(member(&row.read(), names)?),
            ("P", "N") => drop(mirrored.insert(member(&row.read(), names)?)),
            ("P", "K") => facts.push(token(row, names)?),
            ("S", "") if row.sk == "#META" => facts.extend(skill(&row.read(), names)?),
            ("S", "VN") => facts.push(version(&row.pk, &row.read(), rows, names)?),
            ("U", "") => facts.push(session(&row.read(), names)?),
            ("UL", _) => facts.push(lock(row, rows, names)?),
            ("I", _) => facts.push(key(row, names)?),
            ("A", _) => facts.push(audit(row, names)?),
            _ => {}
        }
    }
    facts.sort();
    check_members(rows, &facts, &mirrored)?;
    Ok(facts)
}

fn learn(rows: &[Row], names: &mut Names, unanswered: &[Unanswered<'_>]) -> Result<(), String> {
    for row in rows {
        if row.sk == "#META" {
            let skill: SkillItem = row.read();
            let name = Name { space: names.space_of(&skill.namespace_id)?, slug: names::slug(skill.slug.as_str())? };
            keep(names.skills.entry(name).or_insert_with(|| skill.id.clone()), &skill.id)?;
        } else if row.pk.starts_with("U#") && row.sk == "#" {
            let session: SessionItem = row.read();
            let found = names.request_of(&session)?;
            let is = |(slot, person, request): &&Unanswered<'_>| {
                (*person, request.name, request.number, request.content) == found && !names.uploads.contains_key(slot)
            };
            if let Some((slot, ..)) = unanswered.iter().find(is).filter(|_| !names.slots.contains_key(&session.id)) {
                names.place(&session.id, *slot);
            }
        } else if row.pk.starts_with("P#") && row.sk.starts_with("K#") {
            let id: TokenId = row.sk[2..].parse().map_err(|e| format!("{}: {e}", row.sk))?;
            keep(names.tokens.entry(token_slot(row)?).or_insert_with(|| id.clone()), &id)?;
        } else if row.pk.starts_with("N#") && row.sk == "#" {
            let namespace: NamespaceItem = row.read();
            names.organization = namespace.organization_id.or(names.organization.take());
        }
    }
    Ok(())
}

fn keep<T: PartialEq + std::fmt::Debug>(known: &T, now: &T) -> Result<(), String> {
    if known == now { Ok(()) } else { Err(format!("changed: {known:?} has become {now:?}")) }
}

fn member(item: &MembershipItem, names: &Names) -> Result<String, String> {
    let (space, person) = (names.space_of(&item.namespace_id)?, names.person(&item.principal)?);
    Ok(format!("member {space} {person} {}", item.role))
}

fn token_slot(row: &Row) -> Result<TokenSlot, String> {
    let name = row.attributes["name"].as_str().unwrap_or_default();
    let number = name.strip_prefix("token ").and_then(|number| number.parse().ok());
    number.map(TokenSlot).ok_or_else(|| format!("a token is called {name:?}"))
}

fn token(row: &Row, names: &Names) -> Result<String, String> {
    let person = names.people.iter().find(|(id, _)| row.pk[2..] == *id.as_str()).map(|(_, person)| *person);
    let scopes: Vec<_> = row.attributes["scopes"].as_array().into_iter().flatten().filter_map(|s| s.as_str()).collect();
    let grant = [Grant::All, Grant::Read, Grant::Publish].into_iter().find(|g| g.to_string() == scopes.join(","));
    let (person, grant) = person.zip(grant).ok_or_else(|| format!("an odd token: {row:?}"))?;
    Ok(format!("{} of {person} for {grant}", token_slot(row)?))
}

fn skill(item: &SkillItem, names: &Names) -> Result<Vec<String>, String> {
    let name = Name { space: names.space_of(&item.namespace_id)?, slug: names::slug(item.slug.as_str())? };
    let maintainers = item.maintainers.iter().map(|id| names.person(id)).collect::<Result<Vec<_>, _>>()?;
    let mut facts = vec![format!("skill {name} {} maintained by {maintainers:?}", item.audience.scope())];
    facts.extend(item.current.as_ref().map(|current| format!("tag {name}@latest {}", current.version)));
    facts.extend(item.tags.iter().map(|tag| format!("tag {name}@{} {}", tag.tag, tag.version)));
    Ok(facts)
}

fn version(pk: &str, item: &VersionNumberItem, rows: &[Row], names: &mut Names) -> Result<String, String> {
    let name = names.skills.iter().find(|(_, id)| pk[2..] == *id.as_str()).map(|(name, _)| *name);
    let name = name.ok_or_else(|| format!("a version of no skill: {pk}"))?;
    let number = names::number(&item.version.to_string())?;
    keep(names.versions.entry((name, number)).or_insert_with(|| item.version_id.clone()), &item.version_id)?;
    let body = rows.iter().find(|row| row.pk == pk && row.sk == format!("V#{}", item.version_id));
    let body: VersionItem = body.ok_or_else(|| format!("lost: {name}@{number}"))?.read();
    keep(&(body.state, body.artifact_sha256), &(item.state, item.artifact_sha256))?;
    let content = Names::content(name.slug, item.artifact_sha256)?;
    Ok(format!("version {name}@{number} {content} {} {}", item.state, names.slot(&item.upload_id)?))
}

fn session(item: &SessionItem, names: &Names) -> Result<String, String> {
    let code = item.findings.iter().find(|finding| finding.severity == skillhub_protocol::Severity::Error);
    let code = code.map(|finding| finding.code.as_str());
    Ok(session_fact(names.slot(&item.id)?, item.state, item.attempt, code))
}

fn session_id(row: &Row) -> Result<UploadId, String> {
    let text = row.attributes["session_id"].as_str().unwrap_or_default();
    text.parse().map_err(|e| format!("{}: {e}", row.pk))
}

fn lock(row: &Row, rows: &[Row], names: &Names) -> Result<String, String> {
    let id = session_id(row)?;
    let session = rows.iter().find(|row| row.pk == format!("U#{id}") && row.sk == "#");
    let session: SessionItem = session.ok_or_else(|| format!("a lock of no session: {row:?}"))?.read();
    let (_, name, number, _) = names.request_of(&session)?;
    Ok(format!("lock {name}@{number} {}", names.slot(&id)?))
}

fn key(row: &Row, names: &Names) -> Result<String, String> {
    let slot = names.slot(&session_id(row)?)?;
    let person = names.people.iter().find(|(id, _)| row.pk[2..] == *id.as_str());
    let (_, person) = person.ok_or_else(|| format!("a key of nobody: {row:?}"))?;
    Ok(format!("key of {person} {slot}"))
}

fn audit(row: &Row, names: &Names) -> Result<String, String> {
    let item: AuditItem = row.read();
    let spaces = rows_space(&row.pk, names)?;
    let actor = item.actor.as_ref().map(|actor| actor.handle());
    Ok(format!("audit {spaces} {}", audit_entry(names, actor, &item.action, &item.subject, &item.detail)?))
}

fn rows_space(pk: &str, names: &Names) -> Result<Space, String> {
    let id = pk.split_once('#').map_or("", |(_, id)| id);
    let own = names.people.iter().find(|(principal, _)| NamespaceId::personal(principal).as_str() == id);
    match own {
        Some((_, person)) => Ok(Space::Own(*person)),
        None if id == NamespaceId::global().as_str() => Ok(Space::Global),
        None if names.organization.as_ref().is_some_and(|organization| organization.as_str() == id) => Ok(Space::Team),
        None => Err(format!("a namespace of nobody: {pk}")),
    }
}

/// An entry of the audit in the history's names: tokens by their slots, digests by what has them.
pub(super) fn audit_entry(
    names: &Names,
    actor: Option<&str>,
    action: &str,
    subject: &str,
    detail: &str,
) -> Result<String, String> {
    let token = names.token(subject).map(|slot| slot.to_string());
    let digest = detail.parse().ok();
    let slug = subject.split_once('/').and_then(|(_, rest)| rest.split('@').next()).unwrap_or_default();
    let content: Option<Content> = digest.map(|digest| Names::content(slug, digest)).transpose()?;
    let detail = content.map_or_else(|| detail.to_owned(), |content| content.to_string());
    Ok(audit_line(actor, action, token.as_deref().unwrap_or(subject), detail))
}

/// Memberships stand in two places, and namespaces count them.
fn check_members(rows: &[Row], facts: &[String], mirrored: &BTreeSet<String>) -> Result<(), String> {
    let members: BTreeSet<_> = facts.iter().filter(|fact| fact.starts_with("member ")).cloned().collect();
    if members != *mirrored {
        return Err(format!("memberships differ: {members:?} {mirrored:?}"));
    }
    for row in rows.iter().filter(|row| row.pk.starts_with("N#") && row.sk == "#") {
        let item: NamespaceItem = row.read();
        let of: Vec<MembershipItem> =
            rows.iter().filter(|r| r.pk == row.pk && r.sk.starts_with("M#")).map(Row::read).collect();
        let owners = of.iter().filter(|member| member.role == Role::Owner).count();
        if (item.members as usize, item.owners as usize) != (of.len(), owners) {
            return Err(format!("{item:?} has {} members, {owners} of them owners", of.len()));
        }
    }
    Ok(())
}
