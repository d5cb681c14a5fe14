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
mod support;
mod sync;
#[cfg(unix)]
mod terminal;
