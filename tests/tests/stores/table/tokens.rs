//! The client token of a transaction: sending it twice does it once.

use aws_sdk_dynamodb::types::TransactWriteItem;
use tokio::task::JoinSet;

use super::{Partition, Transacted, n};
use crate::probe::{Probe, Verdict, demand, ok, probes, same};

pub(super) const PROBES: &[Probe<Partition>] = probes![
    replay: "a transaction sent again with its token is a success, and is not done again",
    replay_of_conditions: "the conditions of a transaction sent again are not looked at again",
    replay_at_once: "of 8 equal transactions at once with one token the effect is that of one",
    token_mismatch: "a token with another transaction is `IdempotentParameterMismatchException`, and nothing is written",
    token_of_canceled: "a token whose transaction was cancelled is tried anew",
];

/// An addition without a condition, so that doing it twice would show.
fn add(partition: &Partition) -> TransactWriteItem {
    let update = aws_sdk_dynamodb::types::Update::builder().table_name(&partition.table);
    let update = update.set_key(Some(partition.key("a"))).update_expression("SET n = n + :one");
    let update = update.expression_attribute_values(":one", n(1)).build().unwrap();
    TransactWriteItem::builder().update(update).build()
}

async fn replay(partition: Partition) -> Verdict {
    partition.store("a", &[("n", n(0))]).await?;
    for what in ["the first", "the second", "the third"] {
        let seen = partition.transact(vec![add(&partition)], partition.token("replay")).await;
        same(what, seen, Transacted::Committed)?;
        partition.holds("a", "n", "1").await?;
    }
    Ok(())
}

async fn replay_of_conditions(partition: Partition) -> Verdict {
    for what in ["the first", "the second"] {
        let seen = partition.transact(vec![partition.put_new("a")], partition.token("conditions")).await;
        same(what, seen, Transacted::Committed)?;
    }
    let delete = partition.client.delete_item().table_name(&partition.table).set_key(Some(partition.key("a")));
    ok("DeleteItem", delete.send().await)?;
    let seen = partition.transact(vec![partition.put_new("a")], partition.token("conditions")).await;
    same("the third", seen, Transacted::Committed)?;
    partition.holds_only("after a delete and the third", &[], &["a"]).await
}

async fn replay_at_once(partition: Partition) -> Verdict {
    partition.store("a", &[("n", n(0))]).await?;
    let mut racers = JoinSet::new();
    for _ in 0..8 {
        let partition = partition.clone();
        racers.spawn(async move { partition.transact(vec![add(&partition)], partition.token("at-once")).await });
    }
    let outcomes = racers.join_all().await;
    // While one is under way, the others may be told so.
    let committed = outcomes.iter().filter(|outcome| **outcome == Transacted::Committed).count();
    demand(committed > 0, || "nobody is told of the success".to_owned())?;
    partition.holds("a", "n", "1").await
}

async fn token_mismatch(partition: Partition) -> Verdict {
    let first = partition.transact(vec![partition.put_new("a")], partition.token("mismatch")).await;
    same("the first", first, Transacted::Committed)?;
    let second = partition.transact(vec![partition.put_new("b")], partition.token("mismatch")).await;
    partition.holds_only("after it", &["a"], &["b"]).await?;
    same("the second", second, Transacted::Refused("400 IdempotentParameterMismatchException".to_owned()))
}

async fn token_of_canceled(partition: Partition) -> Verdict {
    let write = || vec![partition.put_new("a"), partition.check("demanded", "attribute_exists(pk)")];
    let first = partition.transact(write(), partition.token("anew")).await;
    same("the first", first, Transacted::canceled(&["None", "ConditionalCheckFailed"]))?;
    partition.store("demanded", &[]).await?;
    same("the second", partition.transact(write(), partition.token("anew")).await, Transacted::Committed)?;
    partition.holds_only("after it", &["a", "demanded"], &[]).await
}
