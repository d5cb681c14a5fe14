//! .

pub mod vectors;
