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
mod identity;
mod manage;
mod manifest;
mod market;
mod namespace;
mod newtype;
#[cfg(feature = "openapi")]
mod openapi;
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
mod version_list;

pub use coordinate::{CanonicalSlug, Coordinate, Selector};
pub use digest::Sha256;
pub use error::{Error, InvalidValue, Kind};
pub use finding::{Finding, Severity};
pub use id::{OrganizationId, SkillId, UploadId, VersionId};
pub use identity::{
    AuditEntry, AuditResponse, CreateNamespace, CreateToken, Member, Membership, NamespaceKind, NamespaceResponse,
    Role, SetRole, TokenId, TokenName, TokenResponse, TokenScope, TokenSummary, TokensResponse, WhoAmI,
};
pub use manage::{ChangeSkill, ChangeState, MaintainersResponse, MoveTag, Reason, TagTarget, TagsResponse};
pub use manifest::{FileEntry, Manifest};
pub use market::{
    DownloadResponse, ListResponse, SearchResponse, SkillDetail, SkillResponse, SkillSummary, VersionDetail,
    VersionResponse, VersionSummary, Visibility,
};
pub use namespace::{Namespace, Scope};
pub use path::{PackagePath, PathFault};
pub use problem::{Problem, ProblemItem};
pub use registry::{NamedSkillResponse, ResolveResponse};
pub use secret_url::HttpsUrl;
pub use slug::{SkillName, Slug, SlugFault, Summary, is_kebab_case};
pub use time::UtcMillis;
pub use upload::{
    OpenUpload, PackageDeclaration, PresignedPut, PublishedVersion, UploadSession, UploadState, UploadsResponse,
};
pub use version::{Release, Tag, Version};
pub use version_list::{VersionEntry, VersionListResponse, VersionState};

/// The manifest schema that this crate reads and writes (`SKILL_PACKAGE_SCHEMA_VERSION` of the contract).
pub const PACKAGE_SCHEMA_VERSION: u64 = 1;
/// The API schema that this crate reads and writes (`SKILL_API_SCHEMA_VERSION` of the contract).
pub const API_SCHEMA_VERSION: u64 = 1;
/// The largest integer that JavaScript holds exactly, 2^53 - 1: the upper bound of every number on the wire.
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;
