//! Items to attributes and back.
//!
//! Every item carries `v`, the number of its format. A release reads the formats that it knows and no other.

use std::collections::HashMap;
use std::io::{Read, Write};

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::StoreError;
use crate::keys::Key;

/// The attributes of an item.
pub(crate) type Attributes = HashMap<String, AttributeValue>;

/// A stored type: its name in errors and its format.
pub(crate) trait Item: Serialize + DeserializeOwned {
    /// What the item is, for error messages.
    const KIND: &'static str;
    /// The format that this release writes and reads.
    const FORMAT: u32 = 1;
}

pub(crate) fn encode<T: Item>(key: &Key, item: &T) -> Result<Attributes, StoreError> {
    let item: serde_dynamo::Item = serde_dynamo::to_item(item).map_err(|e| StoreError::corrupt(T::KIND, e))?;
    let mut attributes: Attributes = item.into();
    attributes.extend(key.attributes());
    attributes.insert(String::from("v"), AttributeValue::N(T::FORMAT.to_string()));
    Ok(attributes)
}

pub(crate) fn decode<T: Item>(attributes: Attributes) -> Result<T, StoreError> {
    match attributes.get("v") {
        Some(AttributeValue::N(n)) if *n == T::FORMAT.to_string() => {}
        other => {
            let format = other.map_or_else(|| String::from("(none)"), |v| format!("{v:?}"));
            return Err(StoreError::UnknownFormat { kind: T::KIND, format });
        }
    }
    serde_dynamo::from_item(serde_dynamo::Item::from(attributes)).map_err(|e| StoreError::corrupt(T::KIND, e))
}

/// The largest inflated blob that an item may hold: far above any manifest of 100 files, far below what hurts.
const MAX_INFLATED: u64 = 4 << 20;

/// JSON, deflated: how manifests and the like are kept below the size of an item.
pub(crate) fn deflate(text: &str) -> Result<Blob, StoreError> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let bytes = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    bytes.map(Blob::new).map_err(|e| StoreError::corrupt("deflated text", e))
}

pub(crate) fn inflate(kind: &'static str, attributes: &Attributes, name: &'static str) -> Result<String, StoreError> {
    let Some(AttributeValue::B(blob)) = attributes.get(name) else {
        return Err(StoreError::corrupt(kind, format_args!("{name} is missing")));
    };
    let mut text = String::new();
    let read = DeflateDecoder::new(blob.as_ref()).take(MAX_INFLATED).read_to_string(&mut text);
    read.map_err(|e| StoreError::corrupt(kind, format_args!("{name}: {e}")))?;
    Ok(text)
}
