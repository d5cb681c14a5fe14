//! Queries of one partition: order, ranges, pages.

use super::{INVALID, Partition, filler, n, s, sort_keys, text};
use crate::probe::{Probe, Seen, Verdict, demand, ok, probes, refused, same_list};

pub(super) const PROBES: &[Probe<Partition>] = probes![
    key_order: "a query gives items in the order of the bytes of their sort keys",
    begins_with: "`begins_with` gives the sort keys with a prefix, in order, and no others",
    after_key: "`sk > :sk` gives what comes after a sort key, whether that is there or not",
    range_bounds: "`<`, `<=`, `>=` and `BETWEEN` on sort keys take or leave their bounds as they say",
    one_partition: "a query gives nothing of a partition whose key only begins alike",
    empty_query: "a query of an empty partition gives nothing and no further page",
    limit: "`Limit` ends a page at that many items, and the key of the last one leads to the next",
    page_of_1_mb: "a page ends by itself at 1 MB, and the pages together give every item once",
    strong_query: "a strong query sees the writes that were answered before it",
    query_without_partition: "a query without a partition is refused",
];

/// Demands the sort keys that a query gives; `:sk` and `:to` are values.
async fn same_keys(partition: &Partition, condition: &str, values: &[(&str, &str)], wanted: &[&str]) -> Verdict {
    let query = partition.query(&format!("pk = :pk AND {condition}"));
    let query = values.iter().fold(query, |query, (name, value)| query.expression_attribute_values(*name, s(value)));
    let page = ok(condition, query.send().await)?;
    same_list(condition, &sort_keys(&page), wanted)
}

/// Every sort key, page by page, and the number of pages with items.
async fn pages(partition: &Partition, limit: Option<i32>) -> Result<(Vec<String>, usize), Seen> {
    let (mut keys, mut pages, mut start) = (Vec::new(), 0, None);
    for _ in 0..100 {
        let query = partition.query("pk = :pk").set_limit(limit).set_exclusive_start_key(start);
        let page = ok("Query", query.send().await)?;
        let found = sort_keys(&page);
        let within = limit.is_none_or(|limit| i32::try_from(found.len()).is_ok_and(|count| count <= limit));
        demand(within, || format!("a page of {} items", found.len()))?;
        pages += usize::from(!found.is_empty());
        keys.extend(found);
        start = page.last_evaluated_key;
        if start.is_none() {
            return Ok((keys, pages));
        }
    }
    Err(Seen("the pages do not end".to_owned()))
}

async fn key_order(partition: Partition) -> Verdict {
    // Every kind of character that our keys have.
    let keys = [
        "#", "#BODY#v1", "#META", "-", ".", "0", "010", "9", "A", "B", "T#beta", "V#v1", "VN#1", "a", "a#b", "aa", "b",
        "z",
    ];
    let backwards: Vec<_> = keys.iter().rev().collect();
    partition.store_all(&backwards, &[]).await?;
    let page = ok("Query", partition.query("pk = :pk").send().await)?;
    same_list("keys", &sort_keys(&page), &keys)
}

async fn begins_with(partition: Partition) -> Verdict {
    partition.store_all(&["U", "U#", "U#a", "U#b", "U$", "UL#a", "u#a"], &[]).await?;
    same_keys(&partition, "begins_with(sk, :sk)", &[(":sk", "U#")], &["U#", "U#a", "U#b"]).await?;
    same_keys(&partition, "begins_with(sk, :sk)", &[(":sk", "V#")], &[]).await
}

async fn after_key(partition: Partition) -> Verdict {
    partition.store_all(&["a", "b", "b0", "c"], &[]).await?;
    same_keys(&partition, "sk > :sk", &[(":sk", "b")], &["b0", "c"]).await?;
    same_keys(&partition, "sk > :sk", &[(":sk", "az")], &["b", "b0", "c"]).await?;
    same_keys(&partition, "sk > :sk", &[(":sk", "c")], &[]).await
}

async fn range_bounds(partition: Partition) -> Verdict {
    partition.store_all(&["a", "b", "c", "d"], &[]).await?;
    same_keys(&partition, "sk < :sk", &[(":sk", "b")], &["a"]).await?;
    same_keys(&partition, "sk <= :sk", &[(":sk", "b")], &["a", "b"]).await?;
    same_keys(&partition, "sk >= :sk", &[(":sk", "c")], &["c", "d"]).await?;
    same_keys(&partition, "sk BETWEEN :sk AND :to", &[(":sk", "b"), (":to", "c")], &["b", "c"]).await
}

async fn one_partition(partition: Partition) -> Verdict {
    let neighbour = Partition { scope: "one_partition#", ..partition.clone() };
    partition.store("ours", &[]).await?;
    neighbour.store("theirs", &[]).await?;
    let page = ok("Query", partition.query("pk = :pk").send().await)?;
    same_list("keys", &sort_keys(&page), &["ours"])
}

async fn empty_query(partition: Partition) -> Verdict {
    let page = ok("Query", partition.query("pk = :pk").send().await)?;
    demand(page.last_evaluated_key().is_none(), || "there is a further page".to_owned())?;
    same_list("keys", &sort_keys(&page), &[""; 0])
}

async fn limit(partition: Partition) -> Verdict {
    let keys: Vec<_> = (0..23).map(|number| format!("{number:02}")).collect();
    partition.store_all(&keys, &[]).await?;
    let first = ok("Query", partition.query("pk = :pk").limit(5).send().await)?;
    same_list("keys of the first page", &sort_keys(&first), &keys[..5])?;
    let last = text(first.last_evaluated_key(), "sk");
    demand(last == keys[4], || format!("the first page ends at {last}"))?;
    same_list("keys of all pages", &pages(&partition, Some(5)).await?.0, &keys)
}

async fn page_of_1_mb(partition: Partition) -> Verdict {
    let keys: Vec<_> = (0..14).map(|number| format!("{number:02}")).collect();
    partition.store_all(&keys, &[("f", filler(100 * 1024))]).await?;
    let (found, pages) = pages(&partition, None).await?;
    same_list("keys of all pages", &found, &keys)?;
    demand(pages > 1, || "1.4 MB come in one page".to_owned())
}

async fn strong_query(partition: Partition) -> Verdict {
    let mut keys = Vec::new();
    for number in 0..16 {
        keys.push(format!("{number:02}"));
        partition.store(&format!("{number:02}"), &[("n", n(number))]).await?;
        let page = ok("Query", partition.query("pk = :pk").send().await)?;
        same_list("keys", &sort_keys(&page), &keys)?;
    }
    Ok(())
}

async fn query_without_partition(partition: Partition) -> Verdict {
    let query = partition.client.query().table_name(&partition.table).key_condition_expression("sk = :sk");
    refused("Query", &query.expression_attribute_values(":sk", s("a")).send().await, INVALID)
}
