//! What the SDK asks of the stores, as data.

use std::fmt;

use http::request::Parts;
use http::{HeaderMap, Method};
use serde_json::Value;

use super::Fault;

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the stores' own names")]
pub enum Operation {
    GetItem,
    BatchGetItem,
    Query,
    Scan,
    PutItem,
    UpdateItem,
    DeleteItem,
    TransactWriteItems,
    GetObject,
    HeadObject,
    PutObject,
    DeleteObject,
    ListObjects,
    /// Anything else, such as the making of table and bucket.
    Other,
}

impl Operation {
    /// Whether the call goes to the object store.
    pub fn is_on_objects(self) -> bool {
        matches!(self, Self::GetObject | Self::HeadObject | Self::PutObject | Self::DeleteObject | Self::ListObjects)
    }
}

/// One attempt at a call, as it passed the proxy.
#[derive(Debug, Clone)]
pub struct Call {
    /// What it does.
    pub operation: Operation,
    /// What it touches: `pk sk` of each item, the partition of a query, the key of an object.
    pub targets: Vec<String>,
    /// What a transaction does to each of them, as DynamoDB spells it: `Put`, `ConditionCheck` and so on.
    pub kinds: Vec<String>,
    /// The index that a query reads.
    pub index: Option<String>,
    /// Whether it reads strongly.
    pub strong: bool,
    /// The same for all attempts at one call.
    pub invocation: String,
    /// 1, or more if the SDK repeats the call.
    pub attempt: u32,
    /// Bytes of the request's body.
    pub bytes_in: usize,
    /// Bytes of the items that it puts, and of those in its answer, as DynamoDB counts them.
    pub item_bytes: usize,
    /// Capacity that it has consumed, indexes included: units of reading or of writing, whichever it does. Nothing unless the
    /// proxy counts them.
    pub units: Option<f64>,
    /// What the proxy did to it.
    pub fault: Option<Fault>,
    /// What the store answered, if it was asked and has answered.
    pub answer: Option<Answered>,
}

/// What a store answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answered {
    /// The HTTP status.
    pub status: u16,
    /// Bytes of the body.
    pub bytes_out: usize,
    /// Items of a query's page.
    pub items: Option<u64>,
}

impl Call {
    /// A call of DynamoDB.
    pub(super) fn of_table(head: &Parts, body: &[u8]) -> Self {
        let request: Value = serde_json::from_slice(body).unwrap_or_default();
        let target = text(&head.headers, "x-amz-target");
        let operation = match target.rsplit('.').next().unwrap_or_default() {
            "GetItem" => Operation::GetItem,
            "BatchGetItem" => Operation::BatchGetItem,
            "Query" => Operation::Query,
            "Scan" => Operation::Scan,
            "PutItem" => Operation::PutItem,
            "UpdateItem" => Operation::UpdateItem,
            "DeleteItem" => Operation::DeleteItem,
            "TransactWriteItems" => Operation::TransactWriteItems,
            _ => Operation::Other,
        };
        let index = request["IndexName"].as_str().map(str::to_owned);
        let call = Self { index, bytes_in: body.len(), ..Self::new(operation, &head.headers) };
        call.with_targets(&request)
    }

    /// A call of S3, path style. Its body may still be on the way.
    pub(super) fn of_objects(head: &Parts) -> Self {
        let key = head.uri.path().trim_start_matches('/').split_once('/').map_or("", |(_bucket, key)| key);
        let query = head.uri.query().unwrap_or_default();
        let mut parameters = url::form_urlencoded::parse(query.as_bytes());
        if let Some((_, prefix)) = parameters.find(|(name, _)| name == "prefix").filter(|_| key.is_empty()) {
            return Self { targets: vec![prefix.into_owned()], ..Self::new(Operation::ListObjects, &head.headers) };
        }
        let operation = match head.method {
            _ if key.is_empty() => Operation::Other,
            Method::GET => Operation::GetObject,
            Method::HEAD => Operation::HeadObject,
            Method::PUT => Operation::PutObject,
            Method::DELETE => Operation::DeleteObject,
            _ => Operation::Other,
        };
        Self { targets: vec![key.to_owned()], ..Self::new(operation, &head.headers) }
    }

    fn new(operation: Operation, headers: &HeaderMap) -> Self {
        let attempt = text(headers, "amz-sdk-request").split(';').find_map(|part| part.trim().strip_prefix("attempt="));
        Self {
            operation,
            targets: Vec::new(),
            kinds: Vec::new(),
            index: None,
            strong: false,
            invocation: text(headers, "amz-sdk-invocation-id").to_owned(),
            attempt: attempt.and_then(|n| n.parse().ok()).unwrap_or(1),
            bytes_in: 0,
            item_bytes: 0,
            units: None,
            fault: None,
            answer: None,
        }
    }

    fn with_targets(mut self, request: &Value) -> Self {
        self.strong = request["ConsistentRead"] == true;
        let values = &request["ExpressionAttributeValues"];
        self.targets = match self.operation {
            Operation::BatchGetItem => {
                let tables = request["RequestItems"].as_object().into_iter().flatten();
                let tables: Vec<_> = tables.map(|(_name, table)| table).collect();
                self.strong = tables.iter().all(|table| table["ConsistentRead"] == true);
                tables.iter().flat_map(|table| table["Keys"].as_array().into_iter().flatten()).map(key).collect()
            }
            Operation::TransactWriteItems => {
                let actions = request["TransactItems"].as_array().into_iter().flatten();
                let actions: Vec<_> = actions.flat_map(|action| action.as_object().into_iter().flatten()).collect();
                self.kinds = actions.iter().map(|(kind, _action)| (*kind).clone()).collect();
                actions.iter().map(|(_kind, action)| key(action.get("Key").unwrap_or(&action["Item"]))).collect()
            }
            Operation::Query => {
                [":pk", ":x"].iter().filter_map(|name| values[name]["S"].as_str()).map(str::to_owned).collect()
            }
            Operation::PutItem => vec![key(&request["Item"])],
            Operation::Other | Operation::Scan | Operation::ListObjects => Vec::new(),
            _ => vec![key(&request["Key"])],
        };
        self
    }

    /// Whether it touches something whose key begins so.
    pub fn touches(&self, prefix: &str) -> bool {
        self.targets.iter().any(|target| target.starts_with(prefix))
    }
}

/// The operation and, in one word, on what: the number of items, the index, the kind of key, or the folder; then whether a
/// single read is strong.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ", self.operation)?;
        let kind = |target: &String| target.split(['#', '/', ' ']).next().unwrap_or_default().to_owned();
        match self.operation {
            Operation::BatchGetItem | Operation::TransactWriteItems => write!(f, "{}", self.targets.len())?,
            _ => f.write_str(&self.index.clone().or_else(|| self.targets.first().map(kind)).unwrap_or_default())?,
        }
        if self.strong && self.operation != Operation::BatchGetItem { f.write_str(" strong") } else { Ok(()) }
    }
}

fn key(attributes: &Value) -> String {
    let part = |name: &str| attributes[name]["S"].as_str().unwrap_or_default().to_owned();
    format!("{} {}", part("pk"), part("sk"))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
