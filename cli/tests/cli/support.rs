//! A place to run the command in, and servers to run it against.

mod package;
mod people;
mod sandbox;
mod scenario;
mod server;
mod shop;

pub(crate) use package::{Answers, Skill};
pub(crate) use sandbox::{Ran, Sandbox, tree};
pub(crate) use scenario::Scenario;
pub(crate) use server::{Request, Response, Server, Tls};
pub(crate) use shop::Shop;
