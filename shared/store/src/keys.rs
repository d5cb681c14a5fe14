//! Every key of the table and of the bucket, in one place.
//!
//! Parts of a key match `[A-Za-z0-9.-]` by type (ids, slugs, handles, release keys); anything else is hashed, so no content
//! can forge a key.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use sha2::{Digest, Sha256 as Hasher};
use skillhub_protocol::{
    Namespace, Release, Scope, Sha256, SkillId, Slug, Tag, TokenId, UploadId, UtcMillis, VersionId,
};

use crate::ids::{NamespaceId, PrincipalId, TicketId};
use crate::release_key::release_key;

/// The partition of the sparse index that holds every session that is not terminal.
pub(crate) const DUE_PARTITION: &str = "X";
/// The sparse index over sessions that are not terminal.
pub(crate) const DUE_INDEX: &str = "due";

/// The primary key of an item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) pk: String,
    pub(crate) sk: String,
}

impl Key {
    fn new(pk: impl Into<String>, sk: impl Into<String>) -> Self {
        Self { pk: pk.into(), sk: sk.into() }
    }

    pub(crate) fn attributes(&self) -> HashMap<String, AttributeValue> {
        HashMap::from([
            (String::from("pk"), AttributeValue::S(self.pk.clone())),
            (String::from("sk"), AttributeValue::S(self.sk.clone())),
        ])
    }

    pub(crate) fn skill(id: &SkillId) -> Self {
        Self::new(skill_partition(id), SKILL)
    }

    pub(crate) fn version(skill: &SkillId, version: &VersionId) -> Self {
        Self::new(skill_partition(skill), format!("{VERSIONS}{}", part(version.as_str())))
    }

    pub(crate) fn version_body(skill: &SkillId, version: &VersionId) -> Self {
        Self::new(skill_partition(skill), format!("{VERSION_BODIES}{}", part(version.as_str())))
    }

    pub(crate) fn version_number(skill: &SkillId, release: &Release) -> Self {
        Self::new(skill_partition(skill), version_number_key(release))
    }

    pub(crate) fn tag(skill: &SkillId, tag: &Tag) -> Self {
        Self::new(skill_partition(skill), format!("T#{tag}"))
    }

    pub(crate) fn slug(namespace: &NamespaceId, slug: &Slug) -> Self {
        Self::new(format!("G#{}", namespace.as_str()), slug.as_str())
    }

    pub(crate) fn list_entry(partition: &str, skill: &SkillId) -> Self {
        Self::new(partition, skill.as_str())
    }

    pub(crate) fn search_entry(partition: &str, slug: &Slug, skill: &SkillId) -> Self {
        Self::new(partition, format!("{slug}#{skill}"))
    }

    pub(crate) fn namespace(id: &NamespaceId) -> Self {
        Self::new(namespace_partition(id), "#")
    }

    pub(crate) fn handle(namespace: &Namespace) -> Self {
        Self::new(format!("H#{}", namespace.handle()), "#")
    }

    pub(crate) fn member(namespace: &NamespaceId, principal: &PrincipalId) -> Self {
        Self::new(namespace_partition(namespace), format!("{MEMBERS}{}", principal.as_str()))
    }

    pub(crate) fn membership(principal: &PrincipalId, namespace: &NamespaceId) -> Self {
        Self::new(principal_partition(principal), format!("{MEMBERSHIPS}{}", namespace.as_str()))
    }

    pub(crate) fn token(hash: &Sha256) -> Self {
        Self::new(format!("K#{hash}"), "#")
    }

    pub(crate) fn own_token(principal: &PrincipalId, id: &TokenId) -> Self {
        Self::new(principal_partition(principal), format!("{OWN_TOKENS}{id}"))
    }

    pub(crate) fn rate(principal: &PrincipalId) -> Self {
        Self::new(format!("RL#{}", principal.as_str()), "#")
    }

    /// `name` is one of ours.
    pub(crate) fn config(name: &str) -> Self {
        Self::new("CFG", name)
    }

    pub(crate) fn session(id: &UploadId) -> Self {
        Self::new(format!("U#{id}"), "#")
    }

    pub(crate) fn session_manifest(id: &UploadId) -> Self {
        Self::new(format!("U#{id}"), "M")
    }

    pub(crate) fn own_session(principal: &PrincipalId, id: &UploadId) -> Self {
        Self::new(principal_partition(principal), format!("{OWN_SESSIONS}{id}"))
    }

    pub(crate) fn upload_lock(namespace: &NamespaceId, slug: &Slug, release: &Release) -> Self {
        Self::new(lock_partition(namespace, slug), release_key(release))
    }

    pub(crate) fn idempotency(principal: &PrincipalId, key: &str) -> Self {
        Self::new(format!("I#{}", principal.as_str()), hashed(key))
    }

    /// A content of a skill, by the fingerprint that other clients know it by.
    pub(crate) fn fingerprint(skill: &SkillId, fingerprint: &Sha256) -> Self {
        Self::new(format!("F#{skill}"), fingerprint.to_string())
    }

    pub(crate) fn star(principal: &PrincipalId, skill: &SkillId) -> Self {
        Self::new(principal_partition(principal), format!("ST#{skill}"))
    }

    pub(crate) fn ticket(id: &TicketId) -> Self {
        Self::new(format!("PT#{id}"), "#")
    }

    pub(crate) fn issuer_keys(issuer: &str) -> Self {
        Self::new("CFG", format!("JWKS#{}", hashed(issuer)))
    }

    /// `random` keeps two events of one millisecond apart.
    pub(crate) fn audit(namespace: &NamespaceId, at: UtcMillis, random: u64) -> Self {
        Self::new(audit_partition(namespace), format!("{at}#{random:016x}"))
    }
}

/// Sort key of a skill itself.
pub(crate) const SKILL: &str = "#META";
/// Sort key prefix of the bodies of a skill's versions. Ids are in order of their time, so the newest body is the item right
/// before [`SKILL`], and both are had by one query.
pub(crate) const VERSION_BODIES: &str = "#BODY#";
/// Sort key prefix of a skill's versions.
pub(crate) const VERSIONS: &str = "V#";
/// Sort key prefix of a skill's version numbers.
pub(crate) const VERSION_NUMBERS: &str = "VN#";
/// Sort key prefix of a namespace's members.
pub(crate) const MEMBERS: &str = "M#";
/// Sort key prefix of a principal's own tokens.
pub(crate) const OWN_TOKENS: &str = "K#";
/// Sort key prefix of a principal's memberships.
pub(crate) const MEMBERSHIPS: &str = "N#";
/// Sort key prefix of a principal's own upload sessions.
pub(crate) const OWN_SESSIONS: &str = "U#";

/// The partition of the locks on one slug's versions.
pub(crate) fn lock_partition(namespace: &NamespaceId, slug: &Slug) -> String {
    format!("UL#{}#{slug}", namespace.as_str())
}

pub(crate) fn skill_partition(id: &SkillId) -> String {
    format!("S#{id}")
}

pub(crate) fn version_number_key(release: &Release) -> String {
    format!("{VERSION_NUMBERS}{}", release_key(release))
}

pub(crate) fn namespace_partition(id: &NamespaceId) -> String {
    format!("N#{}", id.as_str())
}

pub(crate) fn audit_partition(id: &NamespaceId) -> String {
    format!("A#{}", id.as_str())
}

pub(crate) fn principal_partition(principal: &PrincipalId) -> String {
    format!("P#{}", principal.as_str())
}

/// The list of one namespace's skills of one scope.
pub(crate) fn namespace_list(namespace: &NamespaceId, scope: Scope) -> String {
    format!("L#N#{}#{scope}", namespace.as_str())
}

/// Sort key of the sparse index: due first.
pub(crate) fn due_key(at: UtcMillis, id: &UploadId) -> String {
    format!("{at}#{id}")
}

/// `text` if it may stand in a key, else its hash.
fn part(text: &str) -> String {
    let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-';
    if !text.is_empty() && text.len() <= 128 && text.bytes().all(legal) { text.to_owned() } else { hashed(text) }
}

fn hashed(text: &str) -> String {
    Sha256::from_bytes(Hasher::digest(text).into()).to_string()
}

/// Where an object is in the bucket. Clients never name a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ObjectKey {
    /// The bytes that a publisher uploads, until the verdict.
    Staging(UploadId),
    /// One file of a package that another client uploads file by file, until it is published or its ticket has expired.
    Part(TicketId),
    /// A published artifact; no URL that writes it is ever minted.
    Package {
        /// The skill.
        skill: SkillId,
        /// The version.
        version: VersionId,
        /// The digest of the canonical ZIP.
        artifact: Sha256,
    },
}

impl ObjectKey {
    /// The prefix whose events go to the validator.
    pub const STAGING_PREFIX: &str = "staging/";

    /// The prefix of files that are uploaded one by one.
    pub const PARTS_PREFIX: &str = "parts/";

    /// The prefix of everything that was published.
    pub const PACKAGES_PREFIX: &str = "packages/";

    /// The artifact of a key under `packages/`; `None` for any other key.
    pub fn parse_package(key: &str) -> Option<Self> {
        let mut parts = key.strip_prefix(Self::PACKAGES_PREFIX)?.split('/');
        let (skill, version, file) = (parts.next()?, parts.next()?, parts.next()?);
        let package = Self::Package {
            skill: skill.parse().ok()?,
            version: version.parse().ok()?,
            artifact: file.strip_suffix(".zip")?.parse().ok()?,
        };
        (parts.next().is_none() && package.to_string() == key).then_some(package)
    }

    /// The ticket of a part's key; `None` for any other key.
    pub fn parse_part(key: &str) -> Option<TicketId> {
        key.strip_prefix(Self::PARTS_PREFIX)?.parse().ok()
    }

    /// The upload session of a staging key as it stands in the store (not form-encoded); `None` for any other key.
    pub fn parse_staging(key: &str) -> Option<UploadId> {
        key.strip_prefix(Self::STAGING_PREFIX)?.parse().ok()
    }
}

impl std::fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Staging(session) => write!(f, "{}{session}", Self::STAGING_PREFIX),
            Self::Part(ticket) => write!(f, "{}{ticket}", Self::PARTS_PREFIX),
            Self::Package { skill, version, artifact } => {
                write!(f, "{}{skill}/{}/{artifact}.zip", Self::PACKAGES_PREFIX, part(version.as_str()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(letter: char) -> T {
        format!("{letter}{}", "0".repeat(24)).parse().unwrap()
    }

    #[test]
    fn every_location_is_pinned() {
        let (skill, version, upload): (SkillId, VersionId, UploadId) = (id('c'), id('v'), id('u'));
        let principal = PrincipalId::derive("i", "s");
        let (global, slug) = (NamespaceId::global(), "hello".parse::<Slug>().unwrap());
        let release = "1.2.0".parse::<Release>().unwrap();
        let at = UtcMillis::from_epoch_millis(0).unwrap();
        let zeros = "0".repeat(24);
        let p = principal.as_str();
        let digest = Sha256::from_bytes([0xab; 32]);
        let hex = "ab".repeat(32);
        let keys = [
            (Key::skill(&skill), format!("S#c{zeros} #META")),
            (Key::version(&skill, &version), format!("S#c{zeros} V#v{zeros}")),
            (Key::version_body(&skill, &version), format!("S#c{zeros} #BODY#v{zeros}")),
            (Key::version_number(&skill, &release), format!("S#c{zeros} VN#011.012.010z")),
            (Key::tag(&skill, &"beta".parse().unwrap()), format!("S#c{zeros} T#beta")),
            (Key::slug(&global, &slug), String::from("G#global hello")),
            (Key::list_entry("L#P#0", &skill), format!("L#P#0 c{zeros}")),
            (Key::search_entry("Q#P", &slug, &skill), format!("Q#P hello#c{zeros}")),
            (Key::namespace(&global), String::from("N#global #")),
            (Key::handle(&Namespace::global()), String::from("H#global #")),
            (Key::member(&global, &principal), format!("N#global M#{p}")),
            (Key::membership(&principal, &global), format!("P#{p} N#global")),
            (Key::token(&digest), format!("K#{hex} #")),
            (Key::own_token(&principal, &id('t')), format!("P#{p} K#t{zeros}")),
            (Key::rate(&principal), format!("RL#{p} #")),
            (Key::config("orphans"), String::from("CFG orphans")),
            (Key::session(&upload), format!("U#u{zeros} #")),
            (Key::session_manifest(&upload), format!("U#u{zeros} M")),
            (Key::own_session(&principal, &upload), format!("P#{p} U#u{zeros}")),
            (Key::upload_lock(&global, &slug, &release), String::from("UL#global#hello 011.012.010z")),
            (
                Key::issuer_keys("https://id.example"),
                String::from("CFG JWKS#20a69b77c18109782ebd19432534d03604b3f39f14d1687e29c5d70bd55749da"),
            ),
            (Key::fingerprint(&skill, &digest), format!("F#c{zeros} {hex}")),
            (Key::star(&principal, &skill), format!("P#{p} ST#c{zeros}")),
            (Key::ticket(&id('p')), format!("PT#p{zeros} #")),
            (Key::audit(&global, at, 1), String::from("A#global 1970-01-01T00:00:00.000Z#0000000000000001")),
        ];
        for (key, expected) in keys {
            assert_eq!(format!("{} {}", key.pk, key.sk), expected);
        }
        assert_eq!(namespace_list(&global, Scope::Public), "L#N#global#public");
        assert_eq!(ObjectKey::Staging(upload.clone()).to_string(), format!("staging/u{zeros}"));
        assert_eq!(ObjectKey::Part(id('p')).to_string(), format!("parts/p{zeros}"));
        assert_eq!(ObjectKey::parse_part(&format!("parts/p{zeros}")), Some(id('p')));
        let package = ObjectKey::Package { skill, version, artifact: digest };
        assert_eq!(package.to_string(), format!("packages/c{zeros}/v{zeros}/{hex}.zip"));
        assert_eq!(ObjectKey::parse_package(&package.to_string()), Some(package));
        assert_eq!(ObjectKey::parse_staging(&format!("staging/u{zeros}")), Some(upload));
    }

    #[test]
    fn foreign_text_cannot_forge_a_key() {
        let version: VersionId = "../V#x".parse().unwrap();
        assert!(Key::version(&id('c'), &version).sk["V#".len()..].bytes().all(|b| b.is_ascii_hexdigit()));
        for key in ["staging/../packages/x", "staging/", "packages/a", "staging/u0/../..", ""] {
            assert_eq!(ObjectKey::parse_staging(key), None, "{key}");
            assert_eq!(ObjectKey::parse_package(key), None, "{key}");
        }
    }
}
