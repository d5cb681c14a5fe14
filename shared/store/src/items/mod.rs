//! What the table holds, one struct an item.
//!
//! An absent `Option` is an absent attribute, so that conditions such as `if_not_exists` see it as absent.

mod people;
mod skills;
mod uploads;
mod walks;

pub use self::people::{AuditItem, MembershipItem, NamespaceItem};
pub(crate) use self::people::{HandleItem, OwnTokenItem, RateItem, StarItem, TokenItem};
pub use self::skills::{
    CurrentVersion, FingerprintItem, SkillItem, SkillTag, SlugItem, VersionItem, VersionNumberItem,
};
pub(crate) use self::skills::{ListItem, SearchItem, TagItem};
pub(crate) use self::uploads::{IdempotencyItem, OwnSessionItem, UploadLockItem};
pub use self::uploads::{SessionItem, TicketItem};
pub use self::walks::{Count, WalkItem};
use crate::codec::Item;

macro_rules! items {
    ($($name:ident: $kind:literal),+ $(,)?) => {
        $(impl Item for $name { const KIND: &'static str = $kind; })+
    };
}

items! {
    SkillItem: "skill",
    VersionItem: "version",
    VersionNumberItem: "version number",
    SlugItem: "slug",
    TagItem: "tag",
    ListItem: "list entry",
    SearchItem: "search entry",
    HandleItem: "handle",
    NamespaceItem: "namespace",
    MembershipItem: "membership",
    TokenItem: "token",
    OwnTokenItem: "own token",
    SessionItem: "upload session",
    OwnSessionItem: "own upload session",
    UploadLockItem: "upload lock",
    IdempotencyItem: "idempotency record",
    AuditItem: "audit record",
    RateItem: "rate",
    WalkItem: "walk",
    FingerprintItem: "fingerprint",
    StarItem: "star",
    TicketItem: "upload ticket",
}
