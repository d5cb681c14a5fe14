//! A place to run the command in, and servers to run it against.

mod package;
mod sandbox;
mod server;

pub(crate) use package::{Answers, Skill};
pub(crate) use sandbox::{Ran, Sandbox, tree};
pub(crate) use server::{Request, Response, Server, Tls};
