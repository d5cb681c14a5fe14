//! Points in time as the wire spells them.

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil::{DateTime, datetime};

use crate::error::InvalidValue;
use crate::newtype::serde_as_text;

const EPOCH: DateTime = datetime(1970, 1, 1, 0, 0, 0, 0);

/// A point in time with milliseconds, from year 0 to 9999, on the wire always `2026-07-23T00:05:00.000Z`.
///
/// A text is accepted only if it is what this type would write (`new Date(text).toISOString() === text` in JavaScript): no
/// leap second, no hour 24, no 30 February, no other offset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "openapi",
    derive(utoipa::ToSchema),
    schema(
        value_type = String,
        pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$",
        format = DateTime, example = "2026-07-23T00:05:00.000Z"
    )
)]
pub struct UtcMillis(i64);

impl UtcMillis {
    const MIN: i64 = -62_167_219_200_000;
    const MAX: i64 = 253_402_300_799_999;

    /// The point `millis` milliseconds after 1970-01-01, or `None` outside of the years 0 to 9999.
    pub const fn from_epoch_millis(millis: i64) -> Option<Self> {
        if millis >= Self::MIN && millis <= Self::MAX { Some(Self(millis)) } else { None }
    }

    /// Milliseconds since 1970-01-01.
    pub const fn epoch_millis(self) -> i64 {
        self.0
    }

    /// The point `millis` later (or earlier, if negative); it stops at the ends of the range.
    pub const fn plus_millis(self, millis: i64) -> Self {
        let moved = self.0.saturating_add(millis);
        Self(if moved < Self::MIN {
            Self::MIN
        } else if moved > Self::MAX {
            Self::MAX
        } else {
            moved
        })
    }
}

impl FromStr for UtcMillis {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const DEMAND: InvalidValue =
            InvalidValue::new("must be a UTC time with milliseconds, such as 2026-07-23T00:05:00.000Z");
        // Civil time without a zone, because a time stamp with one ends a day before the year does.
        let civil: DateTime = text.strip_suffix('Z').and_then(|text| text.parse().ok()).ok_or(DEMAND)?;
        let millis = i64::try_from(civil.duration_since(EPOCH).as_millis()).map_err(|_| DEMAND)?;
        let parsed = Self::from_epoch_millis(millis).ok_or(DEMAND)?;
        if parsed.to_string() == text { Ok(parsed) } else { Err(DEMAND) }
    }
}

impl fmt::Display for UtcMillis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Every value of this type is within the range of civil times, so the sum exists.
        let civil = EPOCH.checked_add(SignedDuration::from_millis(self.0)).unwrap_or(EPOCH);
        write!(f, "{civil:.3}Z")
    }
}

impl fmt::Debug for UtcMillis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

serde_as_text!(UtcMillis);
