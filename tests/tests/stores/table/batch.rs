//! Many items in one read.

use aws_sdk_dynamodb::operation::batch_get_item::BatchGetItemOutput;
use aws_sdk_dynamodb::operation::batch_get_item::builders::BatchGetItemFluentBuilder;
use aws_sdk_dynamodb::types::KeysAndAttributes;

use super::{Attributes, INVALID, Partition, n, text};
use crate::probe::{Probe, Verdict, demand, ok, probes, refused, same, same_list};

pub(super) const PROBES: &[Probe<Partition>] = probes![
    batch_get: "one strong BatchGetItem of 40 keys sees every write that was answered before it",
    batch_get_missing: "keys without an item are left out of the answer of a BatchGetItem",
    batch_get_too_many: "a BatchGetItem of more than 100 keys is refused",
    batch_get_twice: "a BatchGetItem that names a key twice is refused",
];

fn batch(partition: &Partition, keys: Vec<Attributes>) -> BatchGetItemFluentBuilder {
    let keys = KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true).build().unwrap();
    partition.client.batch_get_item().request_items(&partition.table, keys)
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{number:03}")).collect()
}

/// The items of an answer, and the keys that are left.
fn taken(partition: &Partition, answer: BatchGetItemOutput) -> (Vec<Attributes>, Vec<Attributes>) {
    let items = answer.responses.unwrap_or_default().remove(&partition.table).unwrap_or_default();
    let left = answer.unprocessed_keys.unwrap_or_default().remove(&partition.table);
    (items, left.map(|left| left.keys).unwrap_or_default())
}

async fn batch_get(partition: Partition) -> Verdict {
    let names = names(40);
    for round in 0..4 {
        partition.store_all(&names, &[("n", n(round))]).await?;
        let keys = names.iter().map(|name| partition.key(name)).collect();
        let (items, left) = taken(&partition, ok("BatchGetItem", batch(&partition, keys).send().await)?);
        demand(left.is_empty(), || format!("{} keys are left", left.len()))?;
        let mut found: Vec<_> = items.iter().map(|item| text(Some(item), "sk")).collect();
        found.sort_unstable();
        same_list("items", &found, &names)?;
        let fresh = items.iter().all(|item| text(Some(item), "n") == round.to_string());
        demand(fresh, || "an item is not the last that was written".to_owned())?;
    }
    Ok(())
}

async fn batch_get_missing(partition: Partition) -> Verdict {
    partition.store("there", &[]).await?;
    let keys = ["absent", "there", "also absent"].map(|name| partition.key(name)).to_vec();
    let (items, left) = taken(&partition, ok("BatchGetItem", batch(&partition, keys).send().await)?);
    same_list("items", &items.iter().map(|item| text(Some(item), "sk")).collect::<Vec<_>>(), &["there"])?;
    same("keys left", left.len(), 0)
}

async fn batch_get_too_many(partition: Partition) -> Verdict {
    let keys = |count| names(count).iter().map(|name| partition.key(name)).collect();
    ok("100 keys", batch(&partition, keys(100)).send().await)?;
    refused("101 keys", &batch(&partition, keys(101)).send().await, INVALID)
}

async fn batch_get_twice(partition: Partition) -> Verdict {
    let keys = vec![partition.key("a"), partition.key("a")];
    refused("BatchGetItem", &batch(&partition, keys).send().await, INVALID)
}
