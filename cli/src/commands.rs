//! The commands: each reads its arguments, does its work, and prints.

mod account;
mod doctor;
mod install;
mod list;
mod login;
mod manage;
mod pack;
mod publish;
mod query;
mod read;
mod remove;
mod show;
mod status;
mod sync;
mod update;
mod verify;

use std::io::stdout;

use clap::CommandFactory;

use crate::args::{Cli, Command, CompletionsArgs, GlobalArgs};
use crate::client::Client;
use crate::config::{Endpoint, Environment};
use crate::error::{Exit, Failure};
use crate::output::Output;

/// What every command is given.
pub(crate) struct Context {
    pub(crate) args: GlobalArgs,
    pub(crate) env: Environment,
    pub(crate) output: Output,
}

impl Context {
    fn client(&self) -> Result<Client, Failure> {
        Client::new(Endpoint::choose(&self.args, &self.env)?)
    }
}

/// How a command ended that printed its failures itself: the first of them, if any.
pub(crate) type Ended = Result<Option<Exit>, Failure>;

pub(crate) fn run(context: &Context, command: &Command) -> Ended {
    match command {
        Command::Install(args) => return install::run(context, args),
        Command::Update(args) => return update::run(context, args),
        Command::Remove(args) => return remove::run(context, args),
        Command::List(args) if args.outdated => return list::run_outdated(context),
        Command::Sync(args) => return sync::run(context, args),
        Command::Verify(args) => return verify::run(context, args),
        Command::Pack(args) => return pack::run(context, args),
        Command::Publish(args) if args.all => return publish::run_all(context, args),
        Command::Status(args) => return status::run(context, args),
        Command::Doctor => return doctor::run(context),

        Command::List(args) if args.remote => list::run_remote(context),
        Command::List(_) => list::run_installed(context),
        Command::Read(args) => read::run(context, args),
        Command::Search(args) => query::search(context, args),
        Command::Info(args) => query::info(context, args),
        Command::Versions(args) => query::versions(context, args),
        Command::Publish(args) => publish::run(context, args),
        Command::Tag(command) => manage::tag(context, command),
        Command::Yank(args) => manage::change_state(context, args, "yank", "yanked"),
        Command::Unyank(args) => manage::change_state(context, args, "unyank", "unyanked"),
        Command::Block(args) => manage::change_state(context, args, "block", "blocked"),
        Command::Namespace(command) => manage::namespace(context, command),
        Command::Maintainer(command) => manage::maintainer(context, command),
        Command::Token(command) => manage::token(context, command),
        Command::Audit(args) => manage::audit(context, args),
        Command::Login(args) => login::run(context, args),
        Command::Logout(args) => account::logout(context, args),
        Command::Whoami => account::whoami(context),
        Command::Completions(args) => completions(args),
    }
    .map(|()| None)
}

fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    clap_complete::generate(args.shell, &mut Cli::command(), "skillhub", &mut stdout().lock());
    Ok(())
}
