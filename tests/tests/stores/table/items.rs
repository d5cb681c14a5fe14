//! Single items: what they hold, how large they may be, how fresh a read is.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, TimeToLiveSpecification, TimeToLiveStatus};

use super::{INVALID, Partition, filler, n, s};
use crate::probe::{Probe, Verdict, demand, ok, probes, refused, same};

pub(super) const PROBES: &[Probe<Partition>] = probes![
    strong_read: "a strong read sees the write that was answered before it",
    missing_item: "a read of a missing item is an answer without an item",
    unknown_table: "an unknown table is `ResourceNotFoundException`, never a missing item",
    every_type: "text, number, boolean, null, list, map and bytes come back as they were put",
    empty_values: "empty text and empty bytes are kept",
    empty_key: "an empty text in a key is refused",
    large_item: "an item of 390 KB is kept",
    too_large_item: "an item of more than 400 KB is refused",
    put_replaces: "a put replaces the whole item",
    delete_twice: "a delete of what is not there is a success",
    wrong_secret_for_items: "a request that is signed with another secret is refused",
    time_to_live: "`ttl` can be named as the time to live of a table",
];

async fn strong_read(partition: Partition) -> Verdict {
    for round in 0..8 {
        partition.store("a", &[("n", n(round))]).await?;
        partition.holds("a", "n", &round.to_string()).await?;
    }
    Ok(())
}

async fn missing_item(partition: Partition) -> Verdict {
    let item = partition.read("a").await?;
    demand(item.is_none(), || "there is an item".to_owned())
}

async fn unknown_table(partition: Partition) -> Verdict {
    let unknown = Partition { table: format!("{}-absent", partition.table), ..partition };
    let wanted = "400 ResourceNotFoundException";
    let get = unknown.client.get_item().table_name(&unknown.table).set_key(Some(unknown.key("a")));
    refused("GetItem", &get.send().await, wanted)?;
    refused("PutItem", &unknown.put("a", &[]).send().await, wanted)?;
    refused("Query", &unknown.query("pk = :pk").send().await, wanted)?;
    let write = unknown.client.transact_write_items().transact_items(unknown.put_new("a"));
    refused("TransactWriteItems", &write.send().await, wanted)
}

async fn every_type(partition: Partition) -> Verdict {
    let list = AttributeValue::L(vec![s("x"), n(2), AttributeValue::Bool(false)]);
    let map = AttributeValue::M([("inner".to_owned(), list.clone())].into());
    let values = [
        ("text", s("ü 🦀 \u{0} \"")),
        ("number", AttributeValue::N("-12345678901234567890".to_owned())),
        ("yes", AttributeValue::Bool(true)),
        ("nothing", AttributeValue::Null(true)),
        ("bytes", AttributeValue::B(Blob::new((0..=255).collect::<Vec<u8>>()))),
        ("list", list),
        ("map", map),
    ];
    partition.store("a", &values).await?;
    let item = partition.read("a").await?.unwrap_or_default();
    for (name, value) in values {
        demand(item.get(name) == Some(&value), || format!("{name}: {:?}", item.get(name)))?;
    }
    same("attributes", item.len(), 9)
}

async fn empty_values(partition: Partition) -> Verdict {
    let bytes = AttributeValue::B(Blob::new(Vec::new()));
    partition.store("a", &[("text", s("")), ("bytes", bytes.clone())]).await?;
    let item = partition.read("a").await?.unwrap_or_default();
    demand(item.get("text") == Some(&s("")), || format!("text: {:?}", item.get("text")))?;
    demand(item.get("bytes") == Some(&bytes), || format!("bytes: {:?}", item.get("bytes")))
}

async fn empty_key(partition: Partition) -> Verdict {
    refused("PutItem", &partition.put("", &[]).send().await, INVALID)
}

async fn large_item(partition: Partition) -> Verdict {
    partition.store("a", &[("f", filler(390 * 1024))]).await?;
    let item = partition.read("a").await?.unwrap_or_default();
    demand(item.get("f") == Some(&filler(390 * 1024)), || "another value".to_owned())
}

async fn too_large_item(partition: Partition) -> Verdict {
    refused("PutItem", &partition.put("a", &[("f", filler(400 * 1024))]).send().await, INVALID)?;
    partition.holds_only("after the refusal", &[], &["a"]).await
}

async fn put_replaces(partition: Partition) -> Verdict {
    partition.store("a", &[("old", n(1)), ("n", n(1))]).await?;
    partition.store("a", &[("n", n(2))]).await?;
    partition.holds("a", "n", "2").await?;
    partition.holds("a", "old", "-").await
}

async fn delete_twice(partition: Partition) -> Verdict {
    let delete = || partition.client.delete_item().table_name(&partition.table).set_key(Some(partition.key("a")));
    ok("a delete of what never was", delete().send().await)?;
    partition.store("a", &[]).await?;
    ok("the first delete", delete().send().await)?;
    ok("the second delete", delete().send().await)?;
    partition.holds_only("after it", &[], &["a"]).await
}

async fn wrong_secret_for_items(partition: Partition) -> Verdict {
    partition.store("a", &[]).await?;
    let stranger = partition.with_wrong_secret();
    let get = stranger.client.get_item().table_name(&stranger.table).set_key(Some(stranger.key("a")));
    refused("GetItem", &get.send().await, "400 InvalidSignatureException")
}

async fn time_to_live(partition: Partition) -> Verdict {
    let Partition { client, table, .. } = &partition;
    let described =
        || async { ok("DescribeTimeToLive", client.describe_time_to_live().table_name(table).send().await) };
    let is_on = |status: &TimeToLiveStatus| matches!(status, TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling);
    let found = described().await?.time_to_live_description.unwrap();
    if !found.time_to_live_status().is_some_and(is_on) {
        let ttl = TimeToLiveSpecification::builder().attribute_name("ttl").enabled(true).build().unwrap();
        let update = client.update_time_to_live().table_name(table).time_to_live_specification(ttl);
        ok("UpdateTimeToLive", update.send().await)?;
    }
    let found = described().await?.time_to_live_description.unwrap();
    demand(found.time_to_live_status().is_some_and(is_on), || format!("{:?}", found.time_to_live_status()))?;
    same("attribute", found.attribute_name().unwrap_or("-"), "ttl")?;
    partition.store("a", &[("ttl", n(4_000_000_000))]).await?;
    partition.holds("a", "ttl", "4000000000").await
}
