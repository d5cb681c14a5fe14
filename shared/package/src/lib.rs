#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::arithmetic_side_effects
    )
)]

mod archive;
mod canonical;
mod content;
mod contents;
mod digest;
mod findings;
mod limits;
pub mod pack;
mod path;
mod policy;
mod skill_md;
mod verify;

pub use archive::read;
pub use canonical::{Canonical, FileLocation, Method, canonical};
pub use contents::{Contents, PackageFile};
pub use digest::sha256;
pub use findings::MAX_FINDINGS;
pub use limits::Limits;
pub use policy::{
    Action, ContentCheck, ContentPolicy, Declared, FileTypes, NameRule, Package, Policy, Report, check, check_contents,
};
pub use skill_md::{SkillMd, describe_skill_md, parse_skill_md};
pub use verify::{verify, verify_skill_md};
