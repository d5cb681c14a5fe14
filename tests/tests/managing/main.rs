//! What happens to skills after their publication, and who may do what: the rules of DESIGN §2 on the real handlers and stores.

mod limits;
mod listing;
mod people;
mod permissions;
mod restoring;
mod scope;
mod support;
mod sweeping;
mod tokens;
mod versions;
