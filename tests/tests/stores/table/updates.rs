//! Update expressions.

use aws_sdk_dynamodb::types::ReturnValue;
use tokio::task::JoinSet;

use super::{INVALID, Partition, n, s, text};
use crate::probe::{Probe, Seen, Verdict, ok, probes, refused, same};

pub(super) const PROBES: &[Probe<Partition>] = probes![
    add_number: "`SET n = n + :one` adds, and the answer has the new item",
    add_to_nothing: "`SET n = n + :one` without an `n` is refused, and changes nothing",
    if_not_exists: "`if_not_exists` keeps what is there, and sets what is not",
    remove: "`REMOVE` takes an attribute away, and only that",
    update_creates: "an update without a condition makes the item if it is missing",
    adds_at_once: "of 64 additions at once none is lost",
    reserved_word: "a reserved word without a placeholder is refused",
    unused_value: "a value that no expression uses is refused",
    undefined_value: "an expression with a value that is not given is refused",
    update_key: "an update of a key attribute is refused",
];

async fn add_number(partition: Partition) -> Verdict {
    partition.store("a", &[("n", n(41))]).await?;
    let update = partition.update("a", "SET n = n + :one").expression_attribute_values(":one", n(1));
    let answer = ok("UpdateItem", update.return_values(ReturnValue::AllNew).send().await)?;
    same("n in the answer", text(answer.attributes(), "n").as_str(), "42")?;
    partition.holds("a", "n", "42").await
}

async fn add_to_nothing(partition: Partition) -> Verdict {
    partition.store("a", &[]).await?;
    let update = partition.update("a", "SET n = n + :one, m = :one").expression_attribute_values(":one", n(1));
    refused("UpdateItem", &update.send().await, INVALID)?;
    partition.holds("a", "m", "-").await
}

async fn if_not_exists(partition: Partition) -> Verdict {
    partition.store("a", &[("kept", s("first"))]).await?;
    let change = "SET kept = if_not_exists(kept, :new), made = if_not_exists(made, :new)";
    ok("UpdateItem", partition.update("a", change).expression_attribute_values(":new", s("second")).send().await)?;
    partition.holds("a", "kept", "first").await?;
    partition.holds("a", "made", "second").await
}

async fn remove(partition: Partition) -> Verdict {
    partition.store("a", &[("lease", s("x")), ("n", n(1))]).await?;
    let change = partition.update("a", "SET n = :two REMOVE lease, absent").expression_attribute_values(":two", n(2));
    ok("UpdateItem", change.send().await)?;
    partition.holds("a", "lease", "-").await?;
    partition.holds("a", "n", "2").await
}

async fn update_creates(partition: Partition) -> Verdict {
    ok("UpdateItem", partition.update("a", "SET n = :n").expression_attribute_values(":n", n(7)).send().await)?;
    partition.holds("a", "n", "7").await
}

async fn adds_at_once(partition: Partition) -> Verdict {
    partition.store("a", &[("n", n(0))]).await?;
    let mut adders = JoinSet::new();
    for _ in 0..64 {
        let add = partition.update("a", "SET n = n + :one").expression_attribute_values(":one", n(1));
        adders.spawn(async move { ok("UpdateItem", add.send().await).map(drop) });
    }
    adders.join_all().await.into_iter().collect::<Result<(), Seen>>()?;
    partition.holds("a", "n", "64").await
}

async fn reserved_word(partition: Partition) -> Verdict {
    let update = partition.update("a", "SET state = :v").expression_attribute_values(":v", s("x"));
    refused("UpdateItem", &update.send().await, INVALID)
}

async fn unused_value(partition: Partition) -> Verdict {
    let update = partition.update("a", "SET n = :n").expression_attribute_values(":n", n(1));
    refused("UpdateItem", &update.expression_attribute_values(":other", n(1)).send().await, INVALID)
}

async fn undefined_value(partition: Partition) -> Verdict {
    let update = partition.update("a", "SET n = :n, m = :m").expression_attribute_values(":n", n(1));
    refused("UpdateItem", &update.send().await, INVALID)
}

async fn update_key(partition: Partition) -> Verdict {
    let update = partition.update("a", "SET sk = :sk").expression_attribute_values(":sk", s("b"));
    refused("UpdateItem", &update.send().await, INVALID)
}
