#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::arithmetic_side_effects
    )
)]

pub mod agents;
mod args;
mod client;
mod commands;
mod config;
#[cfg(test)]
mod docs;
mod error;
mod fail_point;
mod install;
mod output;
mod pack;
mod parallel;
mod publish;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

pub use client::Client;
pub use config::{Endpoint, InvalidRegistryUrl, InvalidToken, RegistryUrl, Token};
pub use error::{Exit, Failure};
pub use publish::{Published, publish_folder};

use args::Cli;
use commands::{Context, Ended};
use config::Environment;
use output::Output;

/// Runs the command with the arguments and the environment of this process, and prints.
pub fn main() -> ExitCode {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() && std::env::args_os().any(|arg| arg == "--json") {
                Output::new(true, true, no_color).failure(&misused(&error));
            } else {
                let _ = error.print();
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8));
        }
    };
    let output = Output::new(cli.global.json, cli.global.quiet, no_color);
    match run(cli, output) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(exit)) => ExitCode::from(exit as u8),
        Err(failure) => {
            output.failure(&failure);
            ExitCode::from(failure.exit() as u8)
        }
    }
}

/// A fault of the command line, for programs; people get it as clap writes it.
fn misused(error: &clap::Error) -> Failure {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Failure::usage("no command is named");
    }
    let text = error.render().to_string();
    let what = text.split("\n\n").next().unwrap_or_default();
    let mut lines = what.strip_prefix("error: ").unwrap_or(what).lines().map(str::trim);
    let message = lines.next().unwrap_or_default();
    Failure::usage(message).details(lines.map(str::to_owned))
}

fn run(cli: Cli, output: Output) -> Ended {
    let context = Context { args: cli.global, env: Environment::from_process()?, output };
    commands::run(&context, &cli.command)
}
