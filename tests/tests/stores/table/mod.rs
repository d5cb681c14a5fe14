//! What the registry needs of DynamoDB.

mod batch;
mod conditions;
mod index;
mod items;
mod queries;
mod tokens;
mod transactions;
mod updates;

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Credentials;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemFluentBuilder;
use aws_sdk_dynamodb::operation::query::QueryOutput;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ConditionCheck, Delete, Put, TableStatus, TransactWriteItem, Update};

use crate::probe::{Probe, Refusal, Scoped, Seen, Verdict, ok, same, same_list};

/// How long a new table, or an index after a write, may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// What a call with a fault of the caller answers.
const INVALID: &str = "400 ValidationException";
/// What a failed condition answers.
const FAILED: &str = "400 ConditionalCheckFailedException";

pub(crate) type Attributes = HashMap<String, AttributeValue>;

/// Every probe of this store.
pub(crate) fn probes() -> impl Iterator<Item = &'static Probe<Partition>> {
    let all = [
        items::PROBES,
        batch::PROBES,
        updates::PROBES,
        conditions::PROBES,
        transactions::PROBES,
        tokens::PROBES,
        queries::PROBES,
        index::PROBES,
    ];
    all.into_iter().flatten()
}

/// The table of a run, and the partition of one probe in it.
#[derive(Clone)]
pub(crate) struct Partition {
    client: Client,
    access_key: String,
    table: String,
    scope: &'static str,
}

impl Scoped for Partition {
    fn scoped(&self, id: &'static str) -> Self {
        Self { scope: id, ..self.clone() }
    }
}

impl Partition {
    /// A new table, as the registry makes it where no template does.
    pub(crate) async fn create(client: Client, access_key: &str, table: &str) -> Self {
        let created = skillhub_store::Table::new(client.clone(), table).create_if_absent().await;
        let active = async {
            while client.describe_table().table_name(table).send().await.is_ok_and(|answer| {
                answer.table().and_then(|table| table.table_status()).is_some_and(|is| *is != TableStatus::Active)
            }) {
                tokio::time::sleep(PAUSE).await;
            }
        };
        tokio::time::timeout(PATIENCE, active).await.unwrap();
        // AWS refuses to set a time to live while it is still creating the table.
        created
            .or_else(|error| if error.to_string().contains("UpdateTimeToLive") { Ok(()) } else { Err(error) })
            .unwrap();
        Self { client, access_key: access_key.to_owned(), table: table.to_owned(), scope: "" }
    }

    /// Removes the table.
    pub(crate) async fn remove(self) {
        self.client.delete_table().table_name(&self.table).send().await.unwrap();
    }

    /// The same table for one who signs with another secret.
    fn with_wrong_secret(&self) -> Self {
        let stranger = Credentials::new(&self.access_key, "wrong", None, None, "probes");
        let config = self.client.config().to_builder().credentials_provider(stranger);
        Self { client: Client::from_conf(config.build()), ..self.clone() }
    }

    fn key(&self, sk: &str) -> Attributes {
        HashMap::from([("pk".to_owned(), s(self.scope)), ("sk".to_owned(), s(sk))])
    }

    fn item(&self, sk: &str, attributes: &[(&str, AttributeValue)]) -> Attributes {
        let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        self.key(sk).into_iter().chain(attributes).collect()
    }

    fn put(&self, sk: &str, attributes: &[(&str, AttributeValue)]) -> PutItemFluentBuilder {
        self.client.put_item().table_name(&self.table).set_item(Some(self.item(sk, attributes)))
    }

    fn update(&self, sk: &str, change: &str) -> UpdateItemFluentBuilder {
        self.client.update_item().table_name(&self.table).set_key(Some(self.key(sk))).update_expression(change)
    }

    async fn store(&self, sk: &str, attributes: &[(&str, AttributeValue)]) -> Verdict {
        ok("a plain PutItem", self.put(sk, attributes).send().await).map(drop)
    }

    /// Stores items in one transaction, at most 100, since each write of its own waits for a disk.
    async fn store_all(&self, keys: &[impl AsRef<str>], attributes: &[(&str, AttributeValue)]) -> Verdict {
        let puts = keys.iter().map(|sk| self.put_any(sk.as_ref(), attributes)).collect();
        same("a plain transaction", self.transact(puts, None).await, Transacted::Committed)
    }

    /// Reads strongly.
    async fn read(&self, sk: &str) -> Result<Option<Attributes>, Seen> {
        let get = self.client.get_item().table_name(&self.table).set_key(Some(self.key(sk))).consistent_read(true);
        Ok(ok("GetItem", get.send().await)?.item)
    }

    /// Demands the value of an attribute; `-` stands for none.
    async fn holds(&self, sk: &str, name: &str, wanted: &str) -> Verdict {
        let item = self.read(sk).await?;
        same(&format!("{name} of {sk}"), text(item.as_ref(), name).as_str(), wanted)
    }

    /// Demands which of some items are there.
    async fn holds_only(&self, when: &str, there: &[&str], absent: &[&str]) -> Verdict {
        let mut found = Vec::new();
        for sk in there.iter().chain(absent) {
            found.extend(self.read(sk).await?.map(|_| *sk));
        }
        same_list(when, &found, there)
    }

    /// A strong query of this partition; `:pk` stands for it.
    fn query(&self, condition: &str) -> QueryFluentBuilder {
        let query = self.client.query().table_name(&self.table).consistent_read(true);
        query.key_condition_expression(condition).expression_attribute_values(":pk", s(self.scope))
    }

    async fn transact(&self, actions: Vec<TransactWriteItem>, token: Option<String>) -> Transacted {
        let request = self.client.transact_write_items().set_transact_items(Some(actions));
        let Err(error) = request.set_client_request_token(token).send().await else { return Transacted::Committed };
        match error.as_service_error() {
            Some(TransactWriteItemsError::TransactionCanceledException(canceled)) => {
                let code =
                    |reason: &aws_sdk_dynamodb::types::CancellationReason| reason.code().unwrap_or("-").to_owned();
                Transacted::Canceled(canceled.cancellation_reasons().iter().map(code).collect())
            }
            _ => Transacted::Refused(Refusal::from(&error).0),
        }
    }

    /// A put where nothing may be.
    fn put_new(&self, sk: &str) -> TransactWriteItem {
        let put = Put::builder().table_name(&self.table).set_item(Some(self.key(sk)));
        let put = put.condition_expression("attribute_not_exists(pk)").build().unwrap();
        TransactWriteItem::builder().put(put).build()
    }

    /// A put whatever is there.
    fn put_any(&self, sk: &str, attributes: &[(&str, AttributeValue)]) -> TransactWriteItem {
        let put = Put::builder().table_name(&self.table).set_item(Some(self.item(sk, attributes))).build().unwrap();
        TransactWriteItem::builder().put(put).build()
    }

    fn check(&self, sk: &str, condition: &str) -> TransactWriteItem {
        let check = ConditionCheck::builder().table_name(&self.table).set_key(Some(self.key(sk)));
        let check = check.condition_expression(condition).build().unwrap();
        TransactWriteItem::builder().condition_check(check).build()
    }

    /// An update that adds one to `n` and takes `lease` away, if `n` is `at`.
    fn raise(&self, sk: &str, at: u32) -> TransactWriteItem {
        let update = Update::builder().table_name(&self.table).set_key(Some(self.key(sk)));
        let update = update.update_expression("SET n = n + :one REMOVE lease").condition_expression("n = :at");
        let update = update.expression_attribute_values(":one", n(1)).expression_attribute_values(":at", n(at));
        TransactWriteItem::builder().update(update.build().unwrap()).build()
    }

    fn remove_item(&self, sk: &str) -> TransactWriteItem {
        let delete = Delete::builder().table_name(&self.table).set_key(Some(self.key(sk))).build().unwrap();
        TransactWriteItem::builder().delete(delete).build()
    }

    /// A client token that no other run uses.
    fn token(&self, name: &str) -> Option<String> {
        let run = self.table.trim_start_matches("skillhub-probes-");
        Some(format!("{run}-{name}"))
    }
}

/// What became of a transaction.
#[derive(Debug, PartialEq, Eq)]
enum Transacted {
    Committed,
    /// The code of each action's reason.
    Canceled(Vec<String>),
    /// Status and code.
    Refused(String),
}

impl Transacted {
    fn canceled(codes: &[&str]) -> Self {
        Self::Canceled(codes.iter().map(|code| (*code).to_owned()).collect())
    }
}

impl fmt::Display for Transacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Committed => f.write_str("committed"),
            Self::Canceled(codes) => write!(f, "cancelled for {}", codes.join(", ")),
            Self::Refused(refusal) => f.write_str(refusal),
        }
    }
}

fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn n(number: u32) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// An attribute that takes so many bytes.
fn filler(bytes: usize) -> AttributeValue {
    AttributeValue::S("f".repeat(bytes))
}

/// Text or number of an attribute; `-` if there is none.
fn text(item: Option<&Attributes>, name: &str) -> String {
    match item.and_then(|item| item.get(name)) {
        Some(AttributeValue::S(text) | AttributeValue::N(text)) => text.clone(),
        Some(other) => format!("{other:?}"),
        None => "-".to_owned(),
    }
}

/// The sort keys of a page.
fn sort_keys(page: &QueryOutput) -> Vec<String> {
    page.items().iter().map(|item| text(Some(item), "sk")).collect()
}
