//! Transactions: all or nothing, and safe to send twice.

use aws_sdk_dynamodb::types::{AttributeValue, ConditionCheck, Delete, Put, TransactWriteItem, Update};
use sha2::{Digest, Sha256 as Hasher};

use crate::codec::{Attributes, Item, encode};
use crate::error::{StoreError, sdk_error};
use crate::keys::Key;
use crate::table::Table;

/// Writes that happen together or not at all.
#[derive(Debug, Default)]
pub(crate) struct Transaction {
    actions: Vec<TransactWriteItem>,
    hash: Hasher,
}

/// What became of a transaction.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a conflict has written nothing"]
pub(crate) enum Outcome {
    /// Everything is written.
    Committed,
    /// Nothing is written, because conditions of these actions failed: read again and decide again.
    ConditionsFailed(Vec<usize>),
    /// Nothing is written, because of a conflict or of throttling: the same transaction may succeed later.
    Busy,
}

/// A condition with its values, and the change of an update.
#[derive(Debug)]
pub(crate) struct Expression<'a> {
    pub(crate) text: &'a str,
    pub(crate) names: &'a [(&'a str, &'a str)],
    pub(crate) values: Vec<(&'a str, AttributeValue)>,
}

impl Expression<'_> {
    fn names(&self) -> Option<std::collections::HashMap<String, String>> {
        let names = self.names.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        (!self.names.is_empty()).then(|| names.collect())
    }

    fn values(&self) -> Option<Attributes> {
        let values = self.values.iter().map(|(k, v)| ((*k).to_owned(), v.clone()));
        (!self.values.is_empty()).then(|| values.collect())
    }
}

impl Transaction {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn put<T: Item>(&mut self, key: &Key, item: &T) -> Result<(), StoreError> {
        self.put_raw(encode(key, item)?, None)
    }

    pub(crate) fn put_new<T: Item>(&mut self, key: &Key, item: &T) -> Result<(), StoreError> {
        self.put_new_raw(encode(key, item)?)
    }

    pub(crate) fn put_new_raw(&mut self, item: Attributes) -> Result<(), StoreError> {
        let absent = Expression { text: "attribute_not_exists(pk)", names: &[], values: Vec::new() };
        self.put_raw(item, Some(absent))
    }

    pub(crate) fn put_if<T: Item>(&mut self, key: &Key, item: &T, when: Expression<'_>) -> Result<(), StoreError> {
        self.put_raw(encode(key, item)?, Some(when))
    }

    pub(crate) fn put_raw(&mut self, item: Attributes, when: Option<Expression<'_>>) -> Result<(), StoreError> {
        self.note("put", &item, when.as_ref());
        let mut put = Put::builder().table_name("").set_item(Some(item));
        if let Some(when) = when {
            put = put.condition_expression(when.text).set_expression_attribute_names(when.names());
            put = put.set_expression_attribute_values(when.values());
        }
        let put = put.build().map_err(|e| StoreError::corrupt("put", e))?;
        self.actions.push(TransactWriteItem::builder().put(put).build());
        Ok(())
    }

    /// Demands that an item fulfils a condition.
    pub(crate) fn check(&mut self, key: &Key, when: Expression<'_>) -> Result<(), StoreError> {
        self.note("check", &key.attributes(), Some(&when));
        let check = ConditionCheck::builder().table_name("").set_key(Some(key.attributes()));
        let check = check.condition_expression(when.text).set_expression_attribute_names(when.names());
        let check = check.set_expression_attribute_values(when.values()).build();
        let check = check.map_err(|e| StoreError::corrupt("condition check", e))?;
        self.actions.push(TransactWriteItem::builder().condition_check(check).build());
        Ok(())
    }

    /// Changes an item under a condition; `change.values` serves both expressions.
    pub(crate) fn update(&mut self, key: &Key, change: Expression<'_>, when: &str) -> Result<(), StoreError> {
        self.note("update", &key.attributes(), Some(&change));
        let update = Update::builder().table_name("").set_key(Some(key.attributes()));
        let update = update.update_expression(change.text).condition_expression(when);
        let update = update.set_expression_attribute_names(change.names());
        let update = update.set_expression_attribute_values(change.values()).build();
        let update = update.map_err(|e| StoreError::corrupt("update", e))?;
        self.actions.push(TransactWriteItem::builder().update(update).build());
        Ok(())
    }

    pub(crate) fn delete(&mut self, key: &Key) -> Result<(), StoreError> {
        self.delete_if(key, None)
    }

    /// Deletes what must be there.
    pub(crate) fn delete_existing(&mut self, key: &Key) -> Result<(), StoreError> {
        self.delete_if(key, Some("attribute_exists(pk)"))
    }

    fn delete_if(&mut self, key: &Key, condition: Option<&str>) -> Result<(), StoreError> {
        self.note(condition.map_or("delete", |_| "delete existing"), &key.attributes(), None);
        let delete = Delete::builder().table_name("").set_key(Some(key.attributes()));
        let delete = delete.set_condition_expression(condition.map(str::to_owned)).build();
        let delete = delete.map_err(|e| StoreError::corrupt("delete", e))?;
        self.actions.push(TransactWriteItem::builder().delete(delete).build());
        Ok(())
    }

    /// The items that it puts.
    #[cfg(feature = "seed")]
    pub(crate) fn into_puts(self) -> Vec<Attributes> {
        self.actions.into_iter().filter_map(|action| Some(action.put?.item)).collect()
    }

    /// The token by which the store knows a repetition: a hash of everything that the transaction does.
    fn note(&mut self, kind: &str, item: &Attributes, expression: Option<&Expression<'_>>) {
        self.hash.update(kind);
        hash_map(&mut self.hash, item);
        if let Some(expression) = expression {
            self.hash.update(expression.text);
            hash_map(&mut self.hash, &expression.values().unwrap_or_default());
        }
    }
}

/// Attributes in one order, whatever order the map has.
fn hash_map(hash: &mut Hasher, map: &Attributes) {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by_key(|(name, _)| *name);
    for (name, value) in entries {
        hash.update(name);
        match value {
            AttributeValue::M(inner) => hash_map(hash, inner),
            AttributeValue::L(list) => list.iter().for_each(|value| hash.update(format!("{value:?}"))),
            other => hash.update(format!("{other:?}")),
        }
        hash.update([0]);
    }
}

fn in_table(mut action: TransactWriteItem, name: &str) -> TransactWriteItem {
    let name = name.to_owned();
    if let Some(put) = &mut action.put {
        put.table_name = name;
    } else if let Some(update) = &mut action.update {
        update.table_name = name;
    } else if let Some(Delete { table_name, .. }) = &mut action.delete {
        *table_name = name;
    } else if let Some(check) = &mut action.condition_check {
        check.table_name = name;
    }
    action
}

impl Table {
    pub(crate) async fn transact(&self, transaction: Transaction) -> Result<Outcome, StoreError> {
        // The API takes at most 36 characters.
        let token: String = transaction.hash.finalize().iter().take(18).map(|byte| format!("{byte:02x}")).collect();
        let actions = transaction.actions.into_iter().map(|action| in_table(action, &self.name)).collect();
        let request = self.client.transact_write_items().set_transact_items(Some(actions)).client_request_token(token);
        let Err(error) = request.send().await else {
            return Ok(Outcome::Committed);
        };
        let Some(service) = error.as_service_error() else {
            return Err(sdk_error("TransactWriteItems", error));
        };
        if let aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError::TransactionCanceledException(
            canceled,
        ) = service
        {
            let codes: Vec<_> = canceled.cancellation_reasons().iter().map(|r| r.code().unwrap_or("None")).collect();
            return outcome(&codes).ok_or_else(|| sdk_error("TransactWriteItems", error));
        }
        Err(sdk_error("TransactWriteItems", error))
    }
}

/// What the reasons of a cancelled transaction amount to. Any failed condition outweighs conflicts; `None` if neither is there.
fn outcome(codes: &[&str]) -> Option<Outcome> {
    let failed: Vec<_> =
        codes.iter().enumerate().filter(|(_, c)| **c == "ConditionalCheckFailed").map(|(i, _)| i).collect();
    if !failed.is_empty() {
        return Some(Outcome::ConditionsFailed(failed));
    }
    let busy =
        |code: &&str| matches!(*code, "TransactionConflict" | "ThrottlingError" | "ProvisionedThroughputExceeded");
    codes.iter().any(busy).then_some(Outcome::Busy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_condition_outweighs_conflicts_and_nothing_else_is_guessed() {
        let cases: [(&[&str], Option<Outcome>); 4] = [
            (&["None", "ConditionalCheckFailed", "TransactionConflict"], Some(Outcome::ConditionsFailed(vec![1]))),
            (&["None", "TransactionConflict"], Some(Outcome::Busy)),
            (&["ThrottlingError"], Some(Outcome::Busy)),
            (&["ValidationError"], None),
        ];
        for (codes, expected) in cases {
            assert_eq!(outcome(codes), expected, "{codes:?}");
        }
    }

    #[test]
    fn equal_transactions_have_equal_tokens_whatever_the_order_of_attributes() {
        let build = |value: &str| {
            let mut transaction = Transaction::new();
            let item = (0..20).map(|i| (format!("a{i}"), AttributeValue::S(value.to_owned()))).collect();
            transaction.put_raw(item, None).unwrap();
            transaction.hash.finalize()
        };
        assert_eq!(build("x"), build("x"));
        assert_ne!(build("x"), build("y"));
    }
}
