//! The registry as a model: what it is and does, without any store. Random histories of operations are carried out by the
//! registry itself, and everything that it answers must be explained by the model.
//!
//! The specification is [`world`], [`access`], [`read`], [`manage`] and [`upload`]: sequential, and without a word about
//! stores. [`explain`](explain()) finds out whether there is an order of what happened at once that gives the answers. The
//! rest makes histories, carries them out, and translates.

pub mod access;
pub mod answer;
mod campaign;
mod drive;
mod explain;
mod generate;
pub mod manage;
mod names;
mod observe;
pub mod op;
pub mod read;
mod request;
mod run;
mod tally;
mod understand;
pub mod upload;
pub mod words;
pub mod world;

pub use campaign::{Failure, campaign, shrink};
pub use explain::{Happened, explain};
pub use generate::generate;
pub use run::{OPERATIONS, run};
pub use tally::{Broken, Kind, Tally};
