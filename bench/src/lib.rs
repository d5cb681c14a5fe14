#![doc = include_str!("../README.md")]

mod baseline;
mod cost;
mod processes;
mod report;
mod rounds;

pub use baseline::Baseline;
pub use cost::{Consumption, CountedCall, Function, Operation, Prices, UsdPerMillion};
pub use processes::{await_idle, cpu_seconds, resident_bytes};
pub use report::{Bound, Line, Report, Row, Unit};
pub use rounds::{in_turn, load, median, percentile, shares};
