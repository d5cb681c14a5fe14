//! `skillhub whoami`, `logout`.

use serde_json::json;
use skillhub_protocol::WhoAmI;

use super::Context;
use crate::args::LogoutArgs;
use crate::client::Client;
use crate::config::{Endpoint, RegistryUrl, UserConfig};
use crate::error::{Exit, Failure};

/// Prints who the token belongs to.
pub(super) fn whoami(context: &Context) -> Result<(), Failure> {
    let client = context.client()?;
    if client.endpoint().token.is_none() {
        return Err(not_signed_in(client.registry()));
    }
    let identity = client.whoami()?;
    if !context.output.is_json() {
        context.output.data(if identity.handle.is_empty() { "(no handle yet)" } else { &identity.handle });
    }
    show_identity(context, &client, &identity);
    Ok(())
}

/// The registry and the namespaces; all of it as JSON.
pub(super) fn show_identity(context: &Context, client: &Client, identity: &WhoAmI) {
    let WhoAmI { handle, namespaces } = identity;
    let registry = client.registry();
    if context.output.is_json() {
        return context.output.json(&json!({ "registry": registry, "handle": handle, "namespaces": namespaces }));
    }
    context.output.note(format!("registry: {registry}"));
    for membership in namespaces {
        context.output.note(format!("  {} ({})", membership.namespace, membership.role));
    }
}

fn not_signed_in(registry: &RegistryUrl) -> Failure {
    Failure::new(Exit::Authentication, "unauthenticated", format!("no token for {registry} is known"))
        .hint(format!("sign in with `skillhub login --registry {registry} --token TOKEN`"))
}

/// Forgets the token of the registry in use, or all of them. The token itself stays good: only `token revoke` ends it.
pub(super) fn logout(context: &Context, args: &LogoutArgs) -> Result<(), Failure> {
    if context.args.local.is_some() {
        return Err(Failure::usage("a local registry needs no login").hint("delete its folder to be rid of it"));
    }
    let mut config = UserConfig::load(&context.env)?;
    let only = if args.all { None } else { Some(Endpoint::choose(&context.args, &context.env)?.registry) };
    let mut forgotten = Vec::new();
    for (registry, entry) in &mut config.registries {
        let is_meant = only.as_ref().is_none_or(|only| only == registry);
        if is_meant && entry.token.take().is_some() {
            forgotten.push(registry.clone());
        }
    }
    match (&only, forgotten.is_empty()) {
        (Some(registry), true) => return Err(not_signed_in(registry)),
        (None, true) => {}
        (_, false) => drop(config.save(&context.env)?),
    }
    if context.output.is_json() {
        context.output.json(&forgotten);
    } else {
        forgotten.iter().for_each(|registry| context.output.data(format!("signed out of {registry}")));
        context.output.note(match forgotten.is_empty() {
            true => "no token is known",
            false => "the token still works elsewhere: `skillhub token revoke` ends one for good",
        });
    }
    Ok(())
}
