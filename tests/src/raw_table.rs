//! The table behind the registry's back: every item as it stands, and items that no route writes.

use bytes::Bytes;
use http::Request;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::wire::{Wire, WireError};

/// The embedded DynamoDB, which checks no signatures.
#[derive(Clone)]
pub struct RawTable {
    wire: Wire,
    url: String,
    name: &'static str,
}

/// An item with plain values; binary ones in base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The partition key.
    pub pk: String,
    /// The sort key.
    pub sk: String,
    /// Everything, keys too.
    pub attributes: Value,
}

impl Row {
    /// The item as a type of the store.
    ///
    /// # Panics
    /// If it is none.
    pub fn read<T: DeserializeOwned>(&self) -> T {
        T::deserialize(&self.attributes).unwrap_or_else(|e| panic!("{} {}: {e}", self.pk, self.sk))
    }
}

impl RawTable {
    /// The table of this name at this address.
    pub fn new(wire: Wire, dynamodb_url: &str, name: &'static str) -> Self {
        Self { wire, url: dynamodb_url.to_owned(), name }
    }

    /// Every item, in the order of the keys.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn scan(&self) -> Result<Vec<Row>, WireError> {
        let mut rows = Vec::new();
        let mut request = json!({ "TableName": self.name, "ConsistentRead": true });
        loop {
            let answer = self.call("Scan", &request).await?;
            rows.extend(answer["Items"].as_array().into_iter().flatten().map(row));
            match answer.get("LastEvaluatedKey") {
                Some(last) => request["ExclusiveStartKey"] = last.clone(),
                None => break,
            }
        }
        rows.sort_by(|a: &Row, b: &Row| (&a.pk, &a.sk).cmp(&(&b.pk, &b.sk)));
        Ok(rows)
    }

    /// Writes an item of format 1, whatever stands there.
    ///
    /// # Errors
    /// If the store does not answer, or refuses.
    pub async fn put(&self, pk: &str, sk: &str, item: Value) -> Result<(), WireError> {
        self.put_of_format(1, pk, sk, item).await
    }

    /// Writes an item of this format, whatever stands there.
    ///
    /// # Errors
    /// If the store does not answer, or refuses.
    pub async fn put_of_format(&self, format: u32, pk: &str, sk: &str, item: Value) -> Result<(), WireError> {
        let mut item = typed(&item)["M"].clone();
        let format = json!({ "N": format.to_string() });
        (item["pk"], item["sk"], item["v"]) = (json!({ "S": pk }), json!({ "S": sk }), format);
        self.call("PutItem", &json!({ "TableName": self.name, "Item": item })).await.map(drop)
    }

    /// Deletes an item.
    ///
    /// # Errors
    /// If the store does not answer, or refuses.
    pub async fn delete(&self, pk: &str, sk: &str) -> Result<(), WireError> {
        let key = json!({ "pk": { "S": pk }, "sk": { "S": sk } });
        self.call("DeleteItem", &json!({ "TableName": self.name, "Key": key })).await.map(drop)
    }

    /// Sets one attribute of an item.
    ///
    /// # Errors
    /// If the store does not answer, or refuses.
    pub async fn set(&self, pk: &str, sk: &str, name: &str, value: &Value) -> Result<(), WireError> {
        let request = json!({
            "TableName": self.name,
            "Key": { "pk": { "S": pk }, "sk": { "S": sk } },
            "UpdateExpression": "SET #name = :value",
            "ExpressionAttributeNames": { "#name": name },
            "ExpressionAttributeValues": { ":value": typed(value) },
        });
        self.call("UpdateItem", &request).await.map(drop)
    }

    async fn call(&self, operation: &str, request: &Value) -> Result<Value, WireError> {
        // It wants to see a signature, and looks no further.
        let authorization =
            "AWS4-HMAC-SHA256 Credential=x/20200101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=x";
        let request = Request::post(format!("{}/", self.url))
            .header("x-amz-target", format!("DynamoDB_20120810.{operation}"))
            .header("content-type", "application/x-amz-json-1.0")
            .header("authorization", authorization)
            .header("x-amz-date", "20200101T000000Z")
            .body(Bytes::from(request.to_string()))?;
        let answer = self.wire.send(request).await?;
        let body = serde_json::from_slice(answer.body())?;
        if answer.status().is_success() { Ok(body) } else { Err(format!("{operation}: {body}").into()) }
    }
}

fn row(item: &Value) -> Row {
    let attributes = plain(&json!({ "M": item }));
    let key = |name: &str| attributes[name].as_str().unwrap_or_default().to_owned();
    Row { pk: key("pk"), sk: key("sk"), attributes }
}

/// DynamoDB's JSON as ordinary JSON.
fn plain(value: &Value) -> Value {
    let Some((kind, value)) = value.as_object().and_then(|object| object.iter().next()) else { return Value::Null };
    match (kind.as_str(), value) {
        ("N", Value::String(digits)) => serde_json::from_str(digits).unwrap_or_default(),
        ("L", Value::Array(list)) => list.iter().map(plain).collect(),
        ("M", Value::Object(map)) => {
            map.iter().map(|(name, value)| (name.clone(), plain(value))).collect::<Map<_, _>>().into()
        }
        ("NULL", _) => Value::Null,
        _ => value.clone(),
    }
}

/// The reverse.
fn typed(value: &Value) -> Value {
    match value {
        Value::Null => json!({ "NULL": true }),
        Value::Bool(value) => json!({ "BOOL": value }),
        Value::Number(number) => json!({ "N": number.to_string() }),
        Value::String(text) => json!({ "S": text }),
        Value::Array(list) => json!({ "L": list.iter().map(typed).collect::<Vec<_>>() }),
        Value::Object(map) => {
            json!({ "M": map.iter().map(|(name, value)| (name.clone(), typed(value))).collect::<Map<_, _>>() })
        }
    }
}
