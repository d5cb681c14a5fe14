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

mod coordinate;
mod digest;
mod error;
mod finding;
mod id;
mod manifest;
mod market;
mod namespace;
mod newtype;
mod path;
mod problem;
mod read;
mod registry;
mod secret_url;
mod slug;
pub mod text;
mod time;
mod upload;
mod version;

pub use coordinate::{CanonicalSlug, Coordinate, Selector};
pub use digest::Sha256;
pub use error::{Error, InvalidValue, Kind};
pub use finding::{Finding, Severity};
pub use id::{OrganizationId, SkillId, UploadId, VersionId};
pub use manifest::{FileEntry, Manifest};
pub use market::{
    DownloadResponse, ListResponse, SkillDetail, SkillResponse, SkillSummary, VersionDetail, VersionResponse,
    VersionSummary, Visibility,
};
pub use namespace::{Namespace, Scope};
pub use path::{PackagePath, PathFault};
pub use problem::{Problem, ProblemItem};
pub use registry::{Membership, NamespaceKind, ResolveResponse, Role, WhoAmI};
pub use secret_url::HttpsUrl;
pub use slug::{SkillName, Slug, SlugFault, Summary, is_kebab_case};
pub use time::UtcMillis;
pub use upload::{OpenUpload, PackageDeclaration, PresignedPut, PublishedVersion, UploadSession, UploadState};
pub use version::{Release, Tag, Version};

/// The manifest schema that this crate reads and writes (`SKILL_PACKAGE_SCHEMA_VERSION` of the contract).
pub const PACKAGE_SCHEMA_VERSION: u64 = 1;
/// The API schema that this crate reads and writes (`SKILL_API_SCHEMA_VERSION` of the contract).
pub const API_SCHEMA_VERSION: u64 = 1;
/// The largest integer that JavaScript holds exactly, 2^53 - 1: the upper bound of every number on the wire.
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;
