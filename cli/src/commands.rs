//! The commands: each reads its arguments, does its work, and prints.

mod install;
mod list;
mod login;
mod pack;
mod publish;
mod show;
mod sync;

use crate::args::{Command, GlobalArgs};
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
        Command::Login(args) => login::run(context, args).map(|()| None),
        Command::Pack(args) => pack::run(context, args),
        Command::Publish(args) if args.all => publish::run_all(context, args),
        Command::Publish(args) => publish::run(context, args).map(|()| None),
        Command::Install(args) => install::run(context, args),
        Command::List(args) if args.remote => list::run_remote(context).map(|()| None),
        Command::List(_) => list::run_installed(context).map(|()| None),
        Command::Sync(args) => sync::run(context, args),
    }
}
