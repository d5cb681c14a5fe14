#![doc = include_str!("../README.md")]

mod artifacts;
mod audience;
mod catalog;
mod client;
mod codec;
mod error;
mod identity;
mod ids;
mod issuers;
mod items;
mod jwk;
mod keys;
mod objects;
mod publish;
mod release_key;
mod sessions;
mod settings;
mod setup;
mod table;
mod transaction;

pub use artifacts::{BodyExtra, FileSpan, VersionBody};
pub use audience::{Audience, Viewer};
pub use catalog::{ListPage, ListPartition, Resolved};
pub use client::{Connection, ConnectionError};
pub use error::StoreError;
pub use identity::{Authenticated, TokenSecret};
pub use ids::{NamespaceId, PrincipalId, mint_skill_id, mint_upload_id, mint_version_id};
pub use issuers::{Issuer, IssuerKeys};
pub use items::{
    AuditItem, CurrentVersion, MembershipItem, NamespaceItem, SessionItem, SkillItem, SlugItem, TokenItem, TokenScope,
    VersionItem, VersionNumberItem, VersionState,
};
pub use jwk::{IssuerKey, PublicKey, UnusableKey};
pub use keys::ObjectKey;
pub use objects::{Credential, Objects, StagedBytes};
pub use publish::{Decision, Publication, Situation, Verdict};
pub use release_key::release_key;
pub use sessions::{Claim, Due, Opened, OpenedBy};
pub use settings::{Settings, SettingsError};
pub use table::Table;
