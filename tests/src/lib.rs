//! What the tests of the whole project share with each other and with tools.

pub mod proxy;
pub mod vectors;
pub mod wire;
