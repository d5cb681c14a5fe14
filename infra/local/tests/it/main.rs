//! The embedded stores over real sockets, with the real SDK.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test ends where something unexpected happens")]

mod crash;
mod data;
mod events;
mod objects;
mod presigned;
mod run;
mod support;
mod tables;
