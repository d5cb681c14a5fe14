//! What the tests share: a registry in a process, an HTTP client.

mod http;
mod objects;
mod process;

pub(crate) use http::{Answer, Http};
pub(crate) use objects::overwrite;
pub(crate) use process::Registry;
pub(crate) use skillhub_tests::skill::{Skill, archive_of, open_request};
