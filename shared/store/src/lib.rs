#![doc = include_str!("../README.md")]

mod artifacts;
mod audience;
mod audit;
mod catalog;
mod changes;
mod client;
mod codec;
mod error;
mod fail_point;
mod files;
mod identity;
mod ids;
mod issuers;
mod items;
mod jwk;
mod keys;
mod leftovers;
mod listing;
mod objects;
mod origin;
mod parts;
mod permission;
mod presign;
mod publish;
mod rate;
mod release_key;
#[cfg(feature = "seed")]
mod seed;
mod sessions;
mod settings;
mod setup;
mod stars;
mod table;
mod transaction;

pub use artifacts::{BodyExtra, FileSpan, Files, SkillFront, VersionBody};
pub use audience::{Audience, Viewer};
pub use audit::{AuditCursor, AuditPage, InvalidCursor};
pub use catalog::{Filter, ListPage, ListPartition, Located, LocatedVersion, Resolved, SearchPartition, VersionPage};
pub use changes::{ChangeError, ChangedBy, NamespaceMembers, NewToken, Refusal};
pub use client::{Connection, ConnectionError, Patience};
pub use error::StoreError;
pub use fail_point::fail_point;
pub use identity::{Authenticated, TokenSecret};
pub use ids::{
    InvalidTicketId, NamespaceId, PrincipalId, TicketId, created_at, mint_skill_id, mint_upload_id, mint_version_id,
};
pub use issuers::{Issuer, IssuerKeys};
pub use items::{
    AuditItem, Count, CurrentVersion, FingerprintItem, MembershipItem, NamespaceItem, SessionItem, SkillItem, SkillTag,
    SlugItem, TicketItem, VersionItem, VersionNumberItem, WalkItem,
};
pub use jwk::{IssuerKey, PublicKey, UnusableKey};
pub use keys::ObjectKey;
pub use leftovers::{Stored, StoredPage, Walk};
pub use objects::{Objects, StagedBytes};
pub use origin::Origin;
pub use parts::NewTicket;
pub use presign::Credential;
pub use publish::{Decision, Publication, Situation};
pub use rate::{Permit, Rate};
pub use release_key::release_key;
#[cfg(feature = "seed")]
pub use seed::SeedArtifact;
pub use sessions::{Claim, Due, Fenced, Opened, OpenedBy, Quota};
pub use settings::{Settings, SettingsError};
pub use table::Table;
