//! What AWS asks of the role of whoever makes a call.

use super::{Call, Operation};

/// One action on one kind of thing, such as `dynamodb:Query` on `P#*` or `s3:GetObject` on `staging/*`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Permission {
    /// The action, as IAM spells it.
    pub action: String,
    /// Partitions of the table, the prefix of objects, `index/NAME`, or empty for the bucket itself.
    pub on: String,
}

impl Permission {
    /// The permission of this action on the thing with this key.
    pub fn new(action: &str, key: &str) -> Self {
        Self { action: action.to_owned(), on: kind_of(key) }
    }
}

/// `P#` of `P#abc N#def`, `staging/` of `staging/u0`; a key that is one word stays whole.
fn kind_of(key: &str) -> String {
    if key.starts_with("index/") {
        return key.to_owned();
    }
    let partition = key.split(' ').next().unwrap_or_default();
    match partition.find(['#', '/']) {
        Some(end) => format!("{}*", &partition[..=end]),
        None => partition.to_owned(),
    }
}

impl Call {
    /// What the caller's role must allow. Each part of a batch and of a transaction is asked for by itself.
    pub fn permissions(&self) -> Vec<Permission> {
        let all = |action: &str| self.targets.iter().map(|key| Permission::new(action, key)).collect();
        match self.operation {
            Operation::TransactWriteItems => {
                let parts = self.kinds.iter().zip(&self.targets);
                parts.map(|(kind, key)| Permission::new(&format!("dynamodb:{kind}Item"), key)).collect()
            }
            Operation::Query => match &self.index {
                Some(index) => vec![Permission::new("dynamodb:Query", &format!("index/{index}"))],
                None => all("dynamodb:Query"),
            },
            Operation::GetObject | Operation::HeadObject => all("s3:GetObject"),
            Operation::PutObject => all("s3:PutObject"),
            Operation::DeleteObject => all("s3:DeleteObject"),
            Operation::ListObjects => vec![Permission::new("s3:ListBucket", "")],
            Operation::Other => Vec::new(),
            table => all(&format!("dynamodb:{table:?}")),
        }
    }
}
