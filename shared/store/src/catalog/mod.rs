//! What readers ask: lists, details, versions, search, what a coordinate means.

mod list;
mod locate;
mod resolve;
mod search;
mod versions;

pub use list::{Filter, ListPage, ListPartition};
pub use locate::{Located, LocatedVersion};
pub use resolve::Resolved;
pub use search::SearchPartition;
pub use versions::VersionPage;
