//! The command as a whole, against servers that the tests script.

mod config;
#[cfg(unix)]
mod crash;
mod install;
mod install_folder;
mod list;
mod pack;
mod pack_command;
mod publish;
mod scenarios;
mod support;
mod sync;
