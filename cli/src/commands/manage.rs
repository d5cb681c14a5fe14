//! Commands for what happens after a publication, and for those who may do it.

use serde_json::{Value, json};
use skillhub_protocol::{
    AuditEntry, Coordinate, CreateNamespace, CreateToken, Membership, Namespace, NamespaceKind, NamespaceResponse,
    Role, Selector, TokenSummary,
};

use super::Context;
use crate::args::{AuditArgs, ChangeStateArgs, MaintainerCommand, NamespaceCommand, TagCommand, TokenCommand};
use crate::error::Failure;
use crate::output::table;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// `yank`, `unyank` or `block`: `past` is how the result calls it.
pub(super) fn change_state(context: &Context, args: &ChangeStateArgs, action: &str, past: &str) -> Result<(), Failure> {
    let client = context.client()?;
    let coordinate = args.target.coordinate();
    let resolved = client.resolve(&coordinate)?;
    client.change_state(&resolved.skill_id, &resolved.version_id, action, &args.reason)?;
    let reason = args.reason.as_str();
    done(
        context,
        format!("{past} {coordinate}"),
        json!({ "coordinate": coordinate, "outcome": past, "reason": reason }),
    );
    Ok(())
}

pub(super) fn tag(context: &Context, command: &TagCommand) -> Result<(), Failure> {
    let client = context.client()?;
    match command {
        TagCommand::List { skill } => {
            let tags = client.tags(&client.named(skill.namespace(), skill.slug())?)?;
            let rows = tags.iter().map(|target| [target.tag.to_string(), target.version.to_string()]);
            show(context, &tags, rows.collect::<Vec<_>>());
        }
        TagCommand::Set { target, tag } => {
            let id = client.named(target.skill.namespace(), target.skill.slug())?;
            let coordinate = target.coordinate();
            client.set_tag(&id, tag, &target.version).map_err(|failure| not_taggable(failure, &coordinate))?;
            done(context, format!("tagged {coordinate} {tag}"), json!({ "coordinate": coordinate, "tag": tag }));
        }
        TagCommand::Remove { skill, tag } => {
            client.remove_tag(&client.named(skill.namespace(), skill.slug())?, tag)?;
            let skill = skill.clone().with(Selector::Latest);
            done(context, format!("removed the tag {tag} of {skill}"), json!({ "skill": skill, "tag": tag }));
        }
    }
    Ok(())
}

/// A tag means an available version only.
fn not_taggable(failure: Failure, version: &Coordinate) -> Failure {
    let skill = format!("{}/{}", version.namespace(), version.slug());
    match failure.code() {
        "conflict" => failure.hint(format!("`skillhub versions {skill}` shows which are available")),
        _ => failure,
    }
}

pub(super) fn namespace(context: &Context, command: &NamespaceCommand) -> Result<(), Failure> {
    let client = context.client()?;
    match command {
        NamespaceCommand::List => {
            let namespaces = client.whoami()?.namespaces;
            let row = |m: &Membership| [m.namespace.to_string(), kind(m.kind).to_owned(), m.role.to_string()];
            show(context, &namespaces, namespaces.iter().map(row).collect());
        }
        NamespaceCommand::Create { namespace, kind } => {
            let made = client.create_namespace(&CreateNamespace { namespace: namespace.clone(), kind: *kind })?;
            done(context, format!("created {}", made.namespace), json!(made));
        }
        NamespaceCommand::Show { namespace } => show_namespace(context, &client.namespace(namespace)?),
        NamespaceCommand::Add { namespace, handle, role } => {
            client.set_role(namespace, handle, *role)?;
            done(
                context,
                format!("{handle} is {} of {namespace}", article(*role)),
                member(namespace, handle, Some(*role)),
            );
        }
        NamespaceCommand::Remove { namespace, handle } => {
            client.remove_member(namespace, handle)?;
            done(context, format!("removed {handle} from {namespace}"), member(namespace, handle, None));
        }
    }
    Ok(())
}

fn show_namespace(context: &Context, namespace: &NamespaceResponse) {
    if !context.output.is_json() {
        context.output.note(format!("{} ({})", namespace.namespace, kind(namespace.kind)));
    }
    let row = |member: &skillhub_protocol::Member| [handle(member.handle.as_ref()), member.role.to_string()];
    show(context, namespace, namespace.members.iter().map(row).collect());
}

fn member(namespace: &Namespace, handle: &Namespace, role: Option<Role>) -> Value {
    json!({ "namespace": namespace, "member": handle, "role": role })
}

fn kind(kind: NamespaceKind) -> &'static str {
    match kind {
        NamespaceKind::Global => "global",
        NamespaceKind::Organization => "organization",
        NamespaceKind::Personal => "personal",
    }
}

fn article(role: Role) -> String {
    let article = if role == Role::Owner { "an" } else { "a" };
    format!("{article} {role}")
}

fn handle(handle: Option<&Namespace>) -> String {
    handle.map_or_else(|| String::from("-"), ToString::to_string)
}

pub(super) fn maintainer(context: &Context, command: &MaintainerCommand) -> Result<(), Failure> {
    let client = context.client()?;
    let (MaintainerCommand::List { skill }
    | MaintainerCommand::Add { skill, .. }
    | MaintainerCommand::Remove { skill, .. }) = command;
    let id = client.named(skill.namespace(), skill.slug())?;
    let skill = skill.clone().with(Selector::Latest);
    match command {
        MaintainerCommand::List { .. } => {
            let maintainers = client.maintainers(&id)?;
            show(context, &maintainers, maintainers.iter().map(|handle| [handle.to_string()]).collect());
        }
        MaintainerCommand::Add { handle, .. } => {
            client.add_maintainer(&id, handle)?;
            let value = json!({ "skill": skill, "maintainer": handle, "outcome": "added" });
            done(context, format!("{handle} is a maintainer of {skill}"), value);
        }
        MaintainerCommand::Remove { handle, .. } => {
            client.remove_maintainer(&id, handle)?;
            let value = json!({ "skill": skill, "maintainer": handle, "outcome": "removed" });
            done(context, format!("{handle} is no maintainer of {skill}"), value);
        }
    }
    Ok(())
}

pub(super) fn token(context: &Context, command: &TokenCommand) -> Result<(), Failure> {
    let client = context.client()?;
    match command {
        TokenCommand::List => {
            let tokens = client.tokens()?;
            show(context, &tokens, tokens.iter().map(token_row).collect());
        }
        TokenCommand::Create { name, scopes, expires } => {
            let mut scopes = scopes.clone();
            scopes.sort_unstable();
            scopes.dedup();
            let expires_at = expires.map(|days| context.env.now.plus_millis(DAY.saturating_mul(days.into())));
            let made = client.create_token(&CreateToken { name: name.clone(), scopes, expires_at })?;
            context
                .output
                .note(format!("{} is shown this once: keep it where nobody else can read it", made.summary.id));
            done(context, made.token.clone(), json!(made));
        }
        TokenCommand::Revoke { id } => {
            client.revoke_token(id)?;
            done(context, format!("revoked {id}"), json!({ "id": id, "outcome": "revoked" }));
        }
    }
    Ok(())
}

fn token_row(token: &TokenSummary) -> [String; 5] {
    let scopes = token.scopes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let expires = token.expires_at.map_or_else(|| String::from("never"), |at| at.to_string());
    [token.id.to_string(), token.name.to_string(), scopes, token.created_at.to_string(), expires]
}

pub(super) fn audit(context: &Context, args: &AuditArgs) -> Result<(), Failure> {
    let entries = context.client()?.audit(&args.namespace, usize::try_from(args.limit).unwrap_or(usize::MAX))?;
    let row = |entry: &AuditEntry| {
        let AuditEntry { at, actor, action, subject, detail } = entry;
        [at.to_string(), handle(actor.as_ref()), action.clone(), subject.clone(), detail.clone()]
    };
    show(context, &entries, entries.iter().map(row).collect());
    Ok(())
}

/// A table, or the same as JSON.
fn show<const N: usize>(context: &Context, value: &impl serde::Serialize, rows: Vec<[String; N]>) {
    if context.output.is_json() {
        return context.output.json(value);
    }
    table(&rows).iter().for_each(|line| context.output.data_line(line));
}

/// One line that says what was done, or the same as JSON.
fn done(context: &Context, line: String, value: Value) {
    if context.output.is_json() { context.output.json(&value) } else { context.output.data(line) }
}
