//! What the tests of the whole project share with tools: the vectors and what they demand.

pub mod vectors;
