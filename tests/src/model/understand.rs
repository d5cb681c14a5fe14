//! The registry's answers in the model's words.

use http::StatusCode;
use serde_json::Value;
use skillhub_protocol::{
    AuditResponse, DownloadResponse, ListResponse, MaintainersResponse, NamespaceResponse, ResolveResponse,
    SearchResponse, SkillResponse, SkillSummary, TagsResponse, TokenResponse, TokensResponse, UploadId, UploadSession,
    UploadState, VersionListResponse, VersionResponse, VersionSummary, WhoAmI,
};

use super::answer::{Answer, session_line, version_line};
use super::names::{self, Names};
use super::observe::audit_entry;
use super::op::{Op, Read};
use super::read::member_line;
use super::words::{Name, Number, Space};
use crate::in_process::Answer as Http;

/// What the registry has done when it was asked for something.
pub(super) enum Raw {
    /// It has answered: one answer, or one for each page.
    Http(Vec<Http>),
    /// A download, with the status and the bytes that its URL gives.
    Download(Http, StatusCode, Vec<u8>),
    /// What no answer is given for: whether it has come to its end.
    Silent(u16),
}

/// What is wrong with an answer.
type Fault = String;

/// The answer in the model's words.
///
/// # Errors
/// If it says what no registry says: an id that means something else, bytes that are not those of their digest, a page that
/// is out of order.
pub(super) fn understand(op: &Op, raw: &Raw, names: &Names) -> Result<Answer, Fault> {
    let pages = match raw {
        Raw::Silent(status) => return Ok(Answer::done(*status)),
        Raw::Download(first, status, bytes) => return download(op, first, (*status, bytes), names),
        Raw::Http(pages) => pages,
    };
    let Some(last) = pages.last() else { return Err(String::from("no answer")) };
    let status = last.status.as_u16();
    if status >= 400 {
        return Ok(Answer::problem(status, &last.code()));
    }
    let mut lines = Vec::new();
    for page in pages {
        lines.extend(page_lines(op, std::str::from_utf8(&page.body).map_err(|e| e.to_string())?, names)?);
    }
    let in_order = matches!(op, Op::Read(_, Read::Versions(..) | Read::Tags(_) | Read::Maintainers(_)));
    if !in_order {
        lines.sort();
    }
    Ok(Answer::says(status, lines))
}

fn page_lines(op: &Op, body: &str, names: &Names) -> Result<Vec<String>, Fault> {
    let text = |e: skillhub_protocol::Error| format!("{e}: {body}");
    Ok(match op {
        Op::Open(..) | Op::Cancel(..) => vec![session(body, names)?],
        Op::CreateToken(..) => {
            TokenResponse::from_json(body).map_err(text)?;
            Vec::new()
        }
        Op::Read(_, read) => match read {
            Read::List(..) => {
                let page = ListResponse::from_json(body).map_err(text)?;
                if !page.skills.is_sorted_by(|a, b| a.id < b.id) {
                    return Err(format!("out of order: {body}"));
                }
                summaries(&page.skills, names)?
            }
            Read::Search(query) => {
                let found = SearchResponse::from_json(body).map_err(text)?.skills;
                let key = |skill: &SkillSummary| (skill.slug.as_str() != *query, skill.slug.to_string());
                if !found.is_sorted_by_key(key) {
                    return Err(format!("out of order: {body}"));
                }
                summaries(&found, names)?
            }
            Read::Detail(_) => summaries(&[SkillResponse::from_json(body).map_err(text)?.skill.summary], names)?,
            Read::Versions(name, _) => {
                let page = VersionListResponse::from_json(body).map_err(text)?;
                let state = |entry: &skillhub_protocol::VersionEntry| match &entry.reason {
                    Some(reason) => format!("{}: {reason}", entry.state),
                    None => entry.state.to_string(),
                };
                let lines = page.versions.iter().map(|entry| version(*name, &entry.summary, state(entry), names));
                lines.collect::<Result<_, _>>()?
            }
            Read::Version(name, number) => {
                let detail = VersionResponse::from_json(body).map_err(text)?.version;
                same(detail.summary.version.as_str(), number.as_str())?;
                vec![version(*name, &detail.summary, "", names)?]
            }
            Read::Tags(_) => {
                let tags = TagsResponse::from_json(body).map_err(text)?.tags;
                tags.iter().map(|target| format!("{} {}", target.tag, target.version)).collect()
            }
            Read::Maintainers(_) => {
                let maintainers = MaintainersResponse::from_json(body).map_err(text)?.maintainers;
                maintainers.iter().map(ToString::to_string).collect()
            }
            Read::Resolve(name, _) => vec![resolved(*name, body, names)?],
            Read::Session(_) => vec![session(body, names)?],
            Read::OwnSessions => own_sessions(body, names)?,
            Read::WhoAmI => {
                let answer = WhoAmI::from_json(body).map_err(text)?;
                let line = |m: &skillhub_protocol::Membership| format!("{} {:?} {}", m.namespace, m.kind, m.role);
                answer.namespaces.iter().map(line).collect()
            }
            Read::Members(space) => {
                let answer = NamespaceResponse::from_json(body).map_err(text)?;
                same(&answer.namespace.to_string(), &space.to_string())?;
                answer.members.iter().map(member).collect::<Result<_, _>>()?
            }
            Read::Audit(_) => {
                let entries = AuditResponse::from_json(body).map_err(text)?.entries;
                if !entries.is_sorted_by(|a, b| a.at >= b.at) {
                    return Err(format!("out of order: {body}"));
                }
                let line = |e: &skillhub_protocol::AuditEntry| {
                    audit_entry(names, e.actor.as_ref().map(|a| a.handle()), &e.action, &e.subject, &e.detail)
                };
                entries.iter().map(line).collect::<Result<_, _>>()?
            }
            Read::Tokens => {
                let tokens = TokensResponse::from_json(body).map_err(text)?.tokens;
                let scopes = |t: &skillhub_protocol::TokenSummary| {
                    t.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(",")
                };
                tokens.iter().map(|token| format!("{} {}", token.name, scopes(token))).collect()
            }
            Read::Download(..) => return Err(String::from("a download without its bytes")),
        },
        _ => Vec::new(),
    })
}

fn same<T: PartialEq + std::fmt::Debug + ?Sized>(found: &T, expected: &T) -> Result<(), Fault> {
    if found == expected { Ok(()) } else { Err(format!("{found:?} where {expected:?} belongs")) }
}

fn summaries(skills: &[SkillSummary], names: &Names) -> Result<Vec<String>, Fault> {
    skills.iter().map(|skill| summary(skill, names)).collect()
}

fn summary(skill: &SkillSummary, names: &Names) -> Result<String, Fault> {
    let space = skill.namespace.as_ref().map(ToString::to_string).unwrap_or_default();
    let name = Name { space: names::space(&space)?, slug: names::slug(skill.slug.as_str())? };
    same(&Some(&skill.id), &names.skills.get(&name))?;
    let organization = names.organization.as_ref().filter(|_| skill.visibility.scope() == name.space.default_scope());
    let organization = organization.filter(|_| name.space == Space::Team);
    same(&skill.visibility.organization_id(), &organization)?;
    version(name, &skill.current_version, skill.visibility.scope(), names)
}

/// A version whose ids and digest are those that it has had from the beginning.
fn version(name: Name, summary: &VersionSummary, rest: impl std::fmt::Display, names: &Names) -> Result<String, Fault> {
    let number = names::number(summary.version.as_str())?;
    same(&Some(&summary.id), &names.versions.get(&(name, number)))?;
    Ok(version_line(name, number, Names::content(name.slug, summary.sha256)?, rest))
}

fn resolved(name: Name, body: &str, names: &Names) -> Result<String, Fault> {
    let answer = ResolveResponse::from_json(body).map_err(|e| format!("{e}: {body}"))?;
    same(&format!("{}/{}", answer.namespace, answer.slug), &name.to_string())?;
    let number = names::number(answer.version.as_str())?;
    same(&Some(&answer.skill_id), &names.skills.get(&name))?;
    same(&Some(&answer.version_id), &names.versions.get(&(name, number)))?;
    Ok(version_line(name, number, Names::content(name.slug, answer.sha256)?, ""))
}

fn session(body: &str, names: &Names) -> Result<String, Fault> {
    let session = UploadSession::from_json(body).map_err(|e| format!("{e}: {body}"))?;
    let name = Name {
        space: names::space(&session.namespace.to_string())?,
        slug: names::slug(session.slug.as_str())?,
    };
    let number: Number = names::number(session.version.as_str())?;
    same(&session.upload.is_some(), &(session.state == UploadState::Open))?;
    same(&session.published.is_some(), &(session.state == UploadState::Published))?;
    if let Some(published) = &session.published {
        same(&Some(&published.skill_id), &names.skills.get(&name))?;
        same(&Some(&published.version_id), &names.versions.get(&(name, number)))?;
        Names::content(name.slug, published.artifact_sha256)?;
    }
    let code = session.findings.iter().find(|finding| finding.severity == skillhub_protocol::Severity::Error);
    let code = code.map(|finding| finding.code.as_str());
    Ok(session_line(names.slot(&session.id)?, session.state, name, number, code))
}

fn own_sessions(body: &str, names: &Names) -> Result<Vec<String>, Fault> {
    let answer: Value = serde_json::from_str(body).map_err(|e| e.to_string())?;
    let ids = answer["uploads"].as_array().into_iter().flatten().filter_map(Value::as_str);
    ids.map(|id| Ok(names.slot(&id.parse::<UploadId>().map_err(|e| e.to_string())?)?.to_string())).collect()
}

fn member(member: &skillhub_protocol::Member) -> Result<String, Fault> {
    let handle = member.handle.as_ref().ok_or("a member without a handle")?.to_string();
    match names::space(&handle)? {
        Space::Own(person) => Ok(member_line(person, member.role)),
        other => Err(format!("{other} is no person")),
    }
}

fn download(op: &Op, first: &Http, (status, bytes): (StatusCode, &[u8]), names: &Names) -> Result<Answer, Fault> {
    let Op::Read(_, Read::Download(name, number)) = op else { return Err(String::from("no download")) };
    let answer = DownloadResponse::from_json(&String::from_utf8_lossy(&first.body)).map_err(|e| e.to_string())?;
    same(&status, &StatusCode::OK)?;
    same(&skillhub_package::sha256(bytes), &answer.sha256)?;
    same(&(bytes.len() as u64), &answer.size_bytes)?;
    let content = Names::content(name.slug, answer.sha256)?;
    names.versions.get(&(*name, *number)).ok_or("a download of nothing")?;
    Ok(Answer::says(200, vec![version_line(*name, *number, content, "")]))
}
