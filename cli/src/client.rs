//! A typed client of one registry.

mod answer;
mod api;
mod http;
mod manage;
mod transfer;

pub use api::Client;
pub(crate) use transfer::{Fetched, Stored};
