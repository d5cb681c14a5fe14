//! What the tests of the whole project share with each other and with tools.

pub mod in_process;
pub mod invariants;
pub mod issuer;
pub mod model;
pub mod proxy;
pub mod raw_table;
pub mod skill;
pub mod vectors;
pub mod wire;
