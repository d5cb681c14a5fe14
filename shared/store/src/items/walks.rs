//! How far the sweeper has come.

use serde::{Deserialize, Serialize};

/// Where the sweeper's walk over a part of the bucket or table stands: `CFG` / `<name>`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkItem {
    /// After which key it goes on; absent at its beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// What this walk has seen so far.
    pub counted: Count,
    /// What the last whole walk has seen.
    pub last: Count,
}

/// What a walk has seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// How many there are.
    pub seen: u64,
    /// How many of them no version points at.
    pub orphans: u64,
    /// Some of the latter, for an operator to look at.
    pub examples: Vec<String>,
}
