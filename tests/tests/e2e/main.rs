//! The whole registry, from outside: real processes, real sockets, real stores.

mod command;
mod crash;
mod issuers;
mod logs;
mod managing;
mod publishing;
mod reading;
mod scenarios;
mod support;
mod tampering;
mod wire;
