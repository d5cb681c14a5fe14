//! What the tests share: a registry in a process, an HTTP client.

mod http;
mod objects;
mod process;
mod redact;
mod scenario;

pub(crate) use http::{Answer, Http};
pub(crate) use objects::overwrite;
pub(crate) use process::Registry;
pub(crate) use scenario::Scenario;
pub(crate) use skillhub_tests::skill::{Skill, archive_of, open_request};
