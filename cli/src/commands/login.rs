//! `skillhub login`.

use std::fs;
use std::io::{BufRead, stdin};

use skillhub_protocol::WhoAmI;

use super::Context;
use super::account::show_identity;
use crate::args::LoginArgs;
use crate::client::Client;
use crate::config::{Endpoint, Token, UserConfig};
use crate::error::Failure;

/// Checks the token with the registry, then remembers both; the registry becomes the default.
pub(super) fn run(context: &Context, args: &LoginArgs) -> Result<(), Failure> {
    if context.args.local.is_some() {
        return Err(Failure::usage("a local registry needs no login").hint("use `--local` with any command"));
    }
    let mut endpoint = Endpoint::choose(&context.args, &context.env)?;
    endpoint.token = Some(token(args, context)?);
    endpoint.ca = match endpoint.ca {
        Some(ca) => Some(fs::canonicalize(&ca).map_err(|e| Failure::io("read", &ca, &e))?),
        None => None,
    };
    endpoint.namespace = args.namespace.clone().or(endpoint.namespace);
    let client = Client::new(endpoint)?;
    let identity = client.whoami()?;
    let path = remember(context, client.endpoint().clone())?;
    print(context, &client, &identity);
    context.output.note(format!("the token is kept in {}", path.display()));
    Ok(())
}

fn token(args: &LoginArgs, context: &Context) -> Result<Token, Failure> {
    match args.token.as_ref().or(context.env.token.as_ref()) {
        Some(token) if token.expose() == "-" => read_token(),
        Some(token) => Ok(token.clone()),
        None => Err(Failure::usage("no token is given")
            .hint("add `--token TOKEN`, or `--token -` to read it from standard input")),
    }
}

fn read_token() -> Result<Token, Failure> {
    let mut line = String::new();
    stdin().lock().read_line(&mut line).map_err(|e| Failure::usage(format!("cannot read standard input: {e}")))?;
    line.parse().map_err(|e| Failure::usage(format!("the token on standard input {e}")))
}

fn remember(context: &Context, endpoint: Endpoint) -> Result<std::path::PathBuf, Failure> {
    let mut config = UserConfig::load(&context.env)?;
    let entry = config.registries.entry(endpoint.registry.clone()).or_default();
    (entry.token, entry.ca, entry.namespace) = (endpoint.token, endpoint.ca, endpoint.namespace);
    config.default = Some(endpoint.registry);
    config.save(&context.env)
}

fn print(context: &Context, client: &Client, identity: &WhoAmI) {
    if !context.output.is_json() {
        context.output.data(format!("signed in to {} as {}", client.registry(), identity.handle));
    }
    show_identity(context, client, identity);
}
