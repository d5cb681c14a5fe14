//! What the tests share: a registry in a process, an HTTP client, packages to publish.

mod http;
pub(crate) mod issuer;
mod objects;
mod package;
mod process;

pub(crate) use http::{Answer, Http};
pub(crate) use objects::overwrite;
pub(crate) use package::{Skill, archive_of, open_request};
pub(crate) use process::Registry;
