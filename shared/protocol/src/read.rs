//! Reading JSON by hand, so that every error has the contract's field path and unknown fields fall away.
//!
//! Numbers are JavaScript's: `1`, `1.0` and `1e0` are the same integer. The last of equal keys wins.
//!
//! DIFFERENCE from JavaScript, each because Rust has no such value: a lone surrogate escape anywhere, a number beyond the
//! range of a double, and nesting deeper than 128 make the whole text invalid JSON, even in an unknown field.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};

use crate::MAX_SAFE_INTEGER;
use crate::error::{Error, InvalidValue, Kind};

/// A place in a document, kept as a chain so that paths cost nothing until an error needs one.
#[derive(Clone, Copy)]
pub(crate) enum At<'a> {
    Root(&'a str),
    Field(&'a At<'a>, &'a str),
    Item(&'a At<'a>, usize),
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root("") => Ok(()),
            Self::Root(name) => f.write_str(name),
            Self::Field(Self::Root(""), name) => f.write_str(name),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

impl At<'_> {
    pub(crate) fn error(&self, kind: Kind, message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
        Error::new(self.to_string(), kind, message)
    }
}

/// The JSON value of a text.
pub(crate) fn json(root: &str, text: &str) -> Result<Value, Error> {
    serde_json::from_str(text).map_err(|e| Error::new(root, Kind::Json, format!("must be JSON ({e})")))
}

/// Reads the body of a request, whose fields are named without a root.
pub(crate) fn request<T>(text: &str, read: impl FnOnce(&Fields<'_>) -> Result<T, Error>) -> Result<T, Error> {
    let value = json("request", text)?;
    let root = At::Root("");
    let fields = Fields::new(&root, &value).map_err(|e| Error::new("request", e.kind(), e.message().to_owned()))?;
    read(&fields)
}

/// Reads an answer that the contract does not have; what is wrong inside stands in the message.
pub(crate) fn answer<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Error> {
    let value = json("response", text)?;
    serde_json::from_value(value)
        .map_err(|e| Error::new("response", Kind::Value, format!("is not as it must be ({e})")))
}

/// An object whose fields are being read.
pub(crate) struct Fields<'a> {
    pub(crate) at: &'a At<'a>,
    map: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(at: &'a At<'a>, value: &'a Value) -> Result<Self, Error> {
        match value {
            Value::Object(map) => Ok(Self { at, map }),
            _ => Err(at.error(Kind::Type, "must be an object")),
        }
    }

    pub(crate) fn at(&self, name: &'a str) -> At<'a> {
        At::Field(self.at, name)
    }

    /// The value of a field, `None` if absent. An explicit `null` is a value.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name)
    }

    /// The value of a field that may be left out or `null`.
    pub(crate) fn optional(&self, name: &str) -> Option<&'a Value> {
        self.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn required(&self, name: &'a str) -> Result<&'a Value, Error> {
        self.get(name).ok_or_else(|| self.at(name).error(Kind::Missing, "is missing"))
    }

    pub(crate) fn str(&self, name: &'a str) -> Result<&'a str, Error> {
        self.required(name)?.as_str().ok_or_else(|| self.at(name).error(Kind::Type, "must be a string"))
    }

    /// A field whose text is a `T`.
    pub(crate) fn parse<T: FromStr<Err: fmt::Display>>(&self, name: &'a str) -> Result<T, Error> {
        self.str(name)?.parse().map_err(|e: T::Err| self.at(name).error(Kind::Value, e.to_string()))
    }

    /// The same for a field that may be left out or `null`.
    pub(crate) fn parse_optional<T: FromStr<Err: fmt::Display>>(&self, name: &'a str) -> Result<Option<T>, Error> {
        self.optional(name).map(|_| self.parse(name)).transpose()
    }

    pub(crate) fn array(&self, name: &'a str) -> Result<&'a Vec<Value>, Error> {
        self.required(name)?.as_array().ok_or_else(|| self.at(name).error(Kind::Type, "must be an array"))
    }

    /// An integer of JavaScript from `min` to 2^53 - 1.
    pub(crate) fn integer(&self, name: &'a str, min: u64) -> Result<u64, Error> {
        let number = integer(self.required(name)?);
        number.filter(|n| *n >= min).ok_or_else(|| {
            self.at(name).error(Kind::Value, format!("must be an integer from {min} to {MAX_SAFE_INTEGER}"))
        })
    }

    /// Demands that `schemaVersion` is `known`.
    pub(crate) fn schema_version(&self, known: u64) -> Result<(), Error> {
        let at = self.at("schemaVersion");
        match integer(self.required("schemaVersion")?) {
            Some(version) if version == known => Ok(()),
            Some(version) => Err(at.error(
                Kind::UnsupportedSchemaVersion,
                format!("must be {known}, got {version}: a newer client is needed"),
            )),
            None => Err(at.error(Kind::Type, format!("must be the number {known}"))),
        }
    }
}

/// The value as a non-negative integer within JavaScript's exact range; `-0` is 0, `1.0` is 1.
fn integer(value: &Value) -> Option<u64> {
    let exact = value.as_u64().or_else(|| {
        let float = value.as_f64()?;
        // The bound is exact in a double, and so is every integer below it.
        let whole = float.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(&float);
        whole.then_some(float as u64)
    })?;
    (exact <= MAX_SAFE_INTEGER).then_some(exact)
}

impl From<InvalidValue> for String {
    fn from(invalid: InvalidValue) -> Self {
        invalid.0.into_owned()
    }
}
