//! The sparse index `due`, by which the sweeper finds sessions.

use std::time::Instant;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue;

use super::{PATIENCE, PAUSE, Partition, s, sort_keys};
use crate::probe::{Probe, Seen, Verdict, ok, probes, same_list};

pub(super) const PROBES: &[Probe<Partition>] = probes![
    index_is_sparse: "an item is in the index while it has both index keys",
    index_order: "the index gives what is due by a time, the longest due first",
    index_moves: "an update of the index key moves the item in the index",
    index_keys_only: "the index carries keys and nothing else",
    index_limit: "`Limit` ends a page of the index, and the key of the last item leads to the next",
];

/// Index keys of an item that is due.
fn due(partition: &Partition, at: &str) -> [(&'static str, AttributeValue); 2] {
    [("x", s(partition.scope)), ("xs", s(at))]
}

/// What is due before a time.
fn query(partition: &Partition, until: &str) -> QueryFluentBuilder {
    let query = partition.client.query().table_name(&partition.table).index_name("due");
    let query = query.key_condition_expression("x = :x AND xs < :until");
    query.expression_attribute_values(":x", s(partition.scope)).expression_attribute_values(":until", s(until))
}

/// Demands what is due before a time. An index may lag behind its table, so it gets some time.
async fn same_due(partition: &Partition, what: &str, until: &str, wanted: &[&str]) -> Verdict {
    let deadline = Instant::now() + PATIENCE / 4;
    loop {
        let page = ok("Query", query(partition, until).send().await)?;
        match same_list(what, &sort_keys(&page), wanted) {
            Err(_) if Instant::now() < deadline => tokio::time::sleep(PAUSE).await,
            verdict => return verdict,
        }
    }
}

async fn index_is_sparse(partition: Partition) -> Verdict {
    partition.store("open", &due(&partition, "2026-01")).await?;
    partition.store("no key", &[]).await?;
    partition.store("half a key", &[("x", s(partition.scope))]).await?;
    same_due(&partition, "due", "3", &["open"]).await?;
    ok("UpdateItem", partition.update("open", "REMOVE x, xs").send().await)?;
    same_due(&partition, "due after REMOVE", "3", &[]).await?;
    partition.holds_only("in the table", &["open"], &[]).await
}

async fn index_order(partition: Partition) -> Verdict {
    for (sk, at) in [("third", "2026-03#c"), ("first", "2026-01#b"), ("later", "2027-01#a"), ("second", "2026-02#d")] {
        partition.store(sk, &due(&partition, at)).await?;
    }
    same_due(&partition, "due", "2026-12", &["first", "second", "third"]).await?;
    same_due(&partition, "due before the second", "2026-02#d", &["first"]).await
}

async fn index_moves(partition: Partition) -> Verdict {
    partition.store("a", &due(&partition, "2026-01")).await?;
    partition.store("b", &due(&partition, "2026-02")).await?;
    same_due(&partition, "due", "3", &["a", "b"]).await?;
    let update = partition.update("a", "SET xs = :xs").expression_attribute_values(":xs", s("2026-03"));
    ok("UpdateItem", update.send().await)?;
    same_due(&partition, "due after the update", "3", &["b", "a"]).await
}

async fn index_keys_only(partition: Partition) -> Verdict {
    let [x, xs] = due(&partition, "2026-01");
    partition.store("a", &[x, xs, ("manifest", s("large"))]).await?;
    same_due(&partition, "due", "3", &["a"]).await?;
    let page = ok("Query", query(&partition, "3").send().await)?;
    let mut names: Vec<_> = page.items().iter().flat_map(|item| item.keys()).collect();
    names.sort_unstable();
    same_list("attributes", &names, &["pk", "sk", "x", "xs"])
}

async fn index_limit(partition: Partition) -> Verdict {
    let keys: Vec<_> = (0..7).map(|number| format!("{number}")).collect();
    for key in &keys {
        partition.store(key, &due(&partition, &format!("2026#{key}"))).await?;
    }
    let all: Vec<_> = keys.iter().map(String::as_str).collect();
    same_due(&partition, "due", "3", &all).await?;
    let (mut found, mut start) = (Vec::new(), None);
    for _ in 0..10 {
        let page = ok("Query", query(&partition, "3").limit(3).set_exclusive_start_key(start).send().await)?;
        found.extend(sort_keys(&page));
        start = page.last_evaluated_key;
        if start.is_none() {
            return same_list("due, by pages", &found, &keys);
        }
    }
    Err(Seen("the pages do not end".to_owned()))
}
