//! What calls of the table consume: the store is asked in the request, and says it in the answer.

use bytes::Bytes;
use serde_json::{Map, Value};

/// The request that also asks for what it consumes; `None` if it is no JSON.
pub(super) fn demand(request: &Bytes) -> Option<Bytes> {
    let mut request: Map<String, Value> = serde_json::from_slice(request).ok()?;
    request.insert("ReturnConsumedCapacity".to_owned(), "INDEXES".into());
    serde_json::to_vec(&request).ok().map(Bytes::from)
}

/// What an answer says of it: one table's units, or those of several.
pub(super) fn consumed(answer: &Bytes) -> Option<f64> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    match answer.get("ConsumedCapacity")? {
        Value::Array(tables) => tables.iter().map(|table| table["CapacityUnits"].as_f64()).sum(),
        table => table["CapacityUnits"].as_f64(),
    }
}

/// Bytes of all items in a request or an answer.
pub(super) fn item_bytes(body: &Bytes) -> usize {
    serde_json::from_slice(body).map_or(0, |body| items(&body))
}

/// Items stand below `Item`, `Items` and the tables of `Responses`, wherever these are. Keys and expressions are none.
fn items(value: &Value) -> usize {
    let Value::Object(fields) = value else {
        return value.as_array().into_iter().flatten().map(items).sum();
    };
    let found = fields.iter().map(|(name, value)| match (name.as_str(), value) {
        ("Item", Value::Object(item)) => item_size(item),
        ("Items", Value::Array(list)) => list.iter().filter_map(Value::as_object).map(item_size).sum(),
        ("Responses", Value::Object(tables)) => {
            let lists = tables.values().filter_map(Value::as_array).flatten();
            lists.filter_map(Value::as_object).map(item_size).sum()
        }
        ("Key" | "Keys" | "ExpressionAttributeValues", _) => 0,
        (_, value) => items(value),
    });
    found.sum()
}

fn item_size(item: &Map<String, Value>) -> usize {
    item.iter().map(|(name, value)| name.len() + value_size(value)).sum()
}

/// The size of a typed value: <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>.
fn value_size(value: &Value) -> usize {
    let Some((kind, value)) = value.as_object().and_then(|object| object.iter().next()) else { return 0 };
    match (kind.as_str(), value) {
        ("N", Value::String(digits)) => digits.bytes().filter(u8::is_ascii_digit).count().div_ceil(2) + 1,
        ("B", Value::String(base64)) => base64.trim_end_matches('=').len() * 3 / 4,
        ("S", Value::String(text)) => text.len(),
        ("L", Value::Array(list)) => 3 + list.iter().map(|value| 1 + value_size(value)).sum::<usize>(),
        ("M", Value::Object(map)) => 3 + map.len() + item_size(map),
        (_, Value::Array(set)) => set.iter().filter_map(Value::as_str).map(str::len).sum(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(value: &Value) -> Bytes {
        Bytes::from(value.to_string())
    }

    #[test]
    fn items_have_the_size_of_their_names_and_values() {
        let item = json!({ "pk": { "S": "abc" }, "n": { "N": "-123" }, "b": { "B": "AAEC" }, "t": { "BOOL": true } });
        let size = 2 + 3 + 1 + 3 + 1 + 3 + 1 + 1;
        let nested = json!({ "m": { "M": { "a": { "L": [{ "S": "xy" }] } } } });
        for (value, expected) in [
            (json!({ "Item": item }), size),
            (json!({ "Items": [item, item] }), 2 * size),
            (json!({ "Responses": { "t": [item] } }), size),
            (json!({ "TransactItems": [{ "Put": { "Item": item } }, { "Delete": { "Key": item } }] }), size),
            (json!({ "Item": nested }), 1 + 3 + 1 + 1 + 3 + 1 + 2),
            (json!({ "Key": item }), 0),
        ] {
            assert_eq!(item_bytes(&body(&value)), expected, "{value}");
        }
    }

    #[test]
    fn what_was_consumed_is_that_of_all_tables() {
        let table = |units: f64| json!({ "TableName": "t", "CapacityUnits": units });
        for (answer, expected) in [
            (json!({ "ConsumedCapacity": table(0.5) }), Some(0.5)),
            (json!({ "ConsumedCapacity": [table(1.5), table(2.0)] }), Some(3.5)),
            (json!({ "Item": {} }), None),
        ] {
            assert_eq!(consumed(&body(&answer)), expected);
        }
        let asked = demand(&body(&json!({ "TableName": "t" }))).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&asked).unwrap()["ReturnConsumedCapacity"], "INDEXES");
    }
}
