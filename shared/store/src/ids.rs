//! Ids: minted ones, and those derived from an identity.

use std::fmt;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use skillhub_protocol::{SkillId, TokenId, UploadId, UtcMillis, VersionId};

/// Time digits of a minted id: base 36, enough until the year 5188.
const TIME_DIGITS: usize = 10;
/// Random digits of a minted id: 72 bits.
const RANDOM_DIGITS: usize = 14;

const BASE36: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// A skill's id, sortable by `now`.
pub fn mint_skill_id(now: UtcMillis, rng: &mut impl Rng) -> SkillId {
    mint('c', now, rng)
}

/// A version's id, sortable by `now`.
pub fn mint_version_id(now: UtcMillis, rng: &mut impl Rng) -> VersionId {
    mint('v', now, rng)
}

/// An upload session's id, sortable by `now`.
pub fn mint_upload_id(now: UtcMillis, rng: &mut impl Rng) -> UploadId {
    mint('u', now, rng)
}

/// A new id for a token.
pub(crate) fn mint_token_id(now: UtcMillis, rng: &mut impl Rng) -> TokenId {
    mint('t', now, rng)
}

/// A new ticket's id, sortable by `now`.
pub(crate) fn mint_ticket_id(now: UtcMillis, rng: &mut impl Rng) -> TicketId {
    TicketId(format!("{TICKET}{}", digits(now, rng)))
}

/// When a skill's id was minted, which is when the skill was created. `None` for a time that cannot be.
pub fn created_at(skill: &SkillId) -> Option<UtcMillis> {
    let time = skill.as_str().get(1..=TIME_DIGITS)?;
    UtcMillis::from_epoch_millis(i64::from_str_radix(time, 36).ok()?)
}

fn mint<T: std::str::FromStr<Err: fmt::Debug>>(letter: char, now: UtcMillis, rng: &mut impl Rng) -> T {
    format!("{letter}{}", digits(now, rng)).parse().expect("a letter and 24 base-36 digits are an id")
}

fn digits(now: UtcMillis, rng: &mut impl Rng) -> String {
    let mut rest = now.epoch_millis().unsigned_abs();
    let mut time = [b'0'; TIME_DIGITS];
    for digit in time.iter_mut().rev() {
        *digit = BASE36[(rest % 36) as usize];
        rest /= 36;
    }
    let random = (0..RANDOM_DIGITS).map(|_| BASE36[rng.random_range(0..36)]);
    time.into_iter().chain(random).map(char::from).collect()
}

/// The internal id of a caller: 26 base-32 digits (130 bits) of SHA-256(issuer NUL subject). Never in an answer to others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PrincipalId(String);

impl PrincipalId {
    /// The id of `subject` at `issuer`.
    pub fn derive(issuer: &str, subject: &str) -> Self {
        let hash = Sha256::new().chain_update(issuer).chain_update([0]).chain_update(subject).finalize();
        let digit = |i: usize| {
            let (byte, shift) = (i * 5 / 8, i * 5 % 8);
            let window = u16::from_be_bytes([hash[byte], hash[byte + 1]]);
            char::from(BASE32[usize::from(window >> (11 - shift)) & 31])
        };
        Self((0..26).map(digit).collect())
    }

    /// The text, for keys and audit.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The internal id of a namespace; it outlives a change of the handle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NamespaceId(String);

impl NamespaceId {
    /// The id of `@global`.
    pub fn global() -> Self {
        Self(String::from("global"))
    }

    /// The id of a principal's personal namespace.
    pub fn personal(principal: &PrincipalId) -> Self {
        Self(format!("p-{}", principal.as_str()))
    }

    /// A new organization's id; its organization id on the wire is the same text.
    pub fn organization(now: UtcMillis, rng: &mut impl Rng) -> Self {
        Self(format!("o{}", digits(now, rng)))
    }

    /// The principal whose personal namespace this is.
    pub fn person(&self) -> Option<PrincipalId> {
        self.0.strip_prefix("p-").map(|id| PrincipalId(id.to_owned()))
    }

    /// The text, for keys and audit.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// First letter of a ticket's id.
const TICKET: char = 'p';

/// The id of the permission to upload one file: `p` and 24 base-36 digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TicketId(String);

/// A text is no [`TicketId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be \"p\" and 24 lower-case letters or digits")]
pub struct InvalidTicketId;

impl std::str::FromStr for TicketId {
    type Err = InvalidTicketId;

    fn from_str(text: &str) -> Result<Self, InvalidTicketId> {
        let digits = text.strip_prefix(TICKET).ok_or(InvalidTicketId)?;
        let legal = digits.len() == TIME_DIGITS + RANDOM_DIGITS && digits.bytes().all(|b| BASE36.contains(&b));
        if legal { Ok(Self(text.to_owned())) } else { Err(InvalidTicketId) }
    }
}

impl TryFrom<String> for TicketId {
    type Error = InvalidTicketId;

    fn try_from(text: String) -> Result<Self, InvalidTicketId> {
        text.parse()
    }
}

impl From<TicketId> for String {
    fn from(id: TicketId) -> Self {
        id.0
    }
}

impl fmt::Display for TicketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn minted_ids_sort_by_time_and_are_of_the_wire_form() {
        let mut rng = rand::rngs::StdRng::seed_from_u64(7);
        let at = |ms| UtcMillis::from_epoch_millis(ms).unwrap();
        let ids: Vec<_> =
            [1, 35, 36, 1_790_000_000_000, 253_402_300_799_999].map(|ms| mint_skill_id(at(ms), &mut rng)).into();
        assert!(ids.is_sorted());
        assert!(mint_version_id(at(0), &mut rng).is_minted());
        let created = ids.iter().map(|id| created_at(id).unwrap().epoch_millis());
        assert!(created.eq([1, 35, 36, 1_790_000_000_000, 253_402_300_799_999]));
        let ticket = mint_ticket_id(at(36), &mut rng).to_string();
        assert_eq!(ticket.parse::<TicketId>().unwrap().to_string(), ticket);
        for text in ["", "p", "p0/../packages", &ticket[1..], &ticket.to_uppercase(), &format!("{ticket}0")] {
            assert!(text.parse::<TicketId>().is_err(), "{text}");
        }
    }

    #[test]
    fn principal_ids_are_26_digits_and_separate_issuer_from_subject() {
        let a = PrincipalId::derive("https://issuer.example/a", "b");
        assert_eq!(a.as_str().len(), 26);
        assert_ne!(a, PrincipalId::derive("https://issuer.example/", "ab"));
        assert_eq!(a, PrincipalId::derive("https://issuer.example/a", "b"));
    }
}
