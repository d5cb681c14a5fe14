//! The workspace's own commands. `cargo xtask` lists them.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "commands that report on the terminal")]

mod api;
mod bench;
mod clients;
mod corpus;
mod infra;
mod interop;
mod model;
mod package;
mod process;
mod stores;
mod test;
mod tools;
mod vectors;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The workspace's own commands")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Task>,
}

#[derive(Subcommand)]
enum Task {
    /// Runs everything that a change must pass, stage by stage
    Test(test::Options),
    /// Runs real skills from public packs through the registry on this machine
    #[command(subcommand)]
    Corpus(corpus::Task),
    /// Runs Schemathesis against a registry on this machine, by the OpenAPI document that it serves
    Api(api::Options),
    /// Lets other clients find, read and sync what `skillhub` installs, and the other way round
    Clients,
    /// Lets the clients of other registries and agents find, install, update and publish skills of a registry on this machine,
    /// and writes what came of it to docs/interop.md
    Interop(interop::Options),
    /// Runs one file of vectors: inputs, and the verdicts that they must get
    Vectors(vectors::Options),
    /// Carries out random histories that the model of the registry must explain, and writes what came of them
    Model(model::Options),
    /// Measures what things cost, and holds it against the targets
    #[command(subcommand)]
    Bench(bench::Task),
    /// Probes the stores that the registry can run on, and writes what they do to docs/stores.md
    Stores(stores::Options),
    /// Builds the zips of all functions as they are deployed, and prints their sizes
    Package(package::Options),
    /// Holds the template for AWS against what the registry needs, and deploys it to an emulator
    Infra(infra::Options),
    /// Runs the same path through a stack in a real account
    AwsSmoke(infra::SmokeOptions),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Some(Task::Test(options)) => test::run(&options),
        Some(Task::Corpus(task)) => corpus::run(&task),
        Some(Task::Api(options)) => api::run(&options),
        Some(Task::Clients) => clients::run(),
        Some(Task::Interop(options)) => interop::run(&options),
        Some(Task::Vectors(options)) => vectors::run(&options),
        Some(Task::Model(options)) => model::run(&options),
        Some(Task::Bench(task)) => bench::run(&task),
        Some(Task::Stores(options)) => stores::run(&options),
        Some(Task::Package(options)) => package::run(&options),
        Some(Task::Infra(options)) => infra::run(&options),
        Some(Task::AwsSmoke(options)) => infra::smoke(&options),
        None => Arguments::command().print_help().map_err(|e| e.to_string()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
