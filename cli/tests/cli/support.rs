//! A place to run the command in, and servers to run it against.

mod package;
mod sandbox;
mod server;
mod shop;
#[cfg(unix)]
mod terminal;

pub(crate) use package::{Answers, Skill};
pub(crate) use sandbox::{Ran, Sandbox, tree};
pub(crate) use server::{Request, Response, Server, Tls};
pub(crate) use shop::Shop;
#[cfg(unix)]
pub(crate) use terminal::Terminal;
