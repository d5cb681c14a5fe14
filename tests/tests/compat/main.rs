//! The registry as ClawHub clients speak to it.

mod changing;
mod costs;
mod hidden;
mod names;
mod publishing;
mod role;
mod shapes;
mod support;
