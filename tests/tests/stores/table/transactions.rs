//! Transactions: all or nothing, with a reason for each action.

use tokio::task::JoinSet;

use super::{INVALID, Partition, Transacted, filler, n};
use crate::probe::{Probe, Seen, Verdict, demand, probes, same};

pub(super) const PROBES: &[Probe<Partition>] = probes![
    all: "puts, an update, a delete and a condition check of one transaction happen together",
    nothing: "one failed condition, and nothing of the transaction is there",
    reasons: "a cancelled transaction has a reason for each action, in their order, `None` for those that could have been done",
    failed_check: "a failed condition check cancels the writes beside it",
    check_of_nothing: "a condition check of a missing item can demand that it is missing",
    seen_at_once: "strong reads see all of a transaction that was answered before them",
    hundred_actions: "a transaction of 100 actions is done, and one of 101 is refused",
    one_item_twice: "a transaction with two actions on one item is refused",
    four_megabytes: "a transaction of more than 4 MB is refused",
    too_large_in_transaction: "a transaction with an item of more than 400 KB writes nothing",
    transactions_at_once: "of 16 transactions at once that claim one item one wins, and the others leave nothing",
    transactions_and_updates_at_once: "transactions and plain updates of one item at once lose no update",
];

const OTHERS_WON: &str = "ConditionalCheckFailed";
const CONFLICT: &str = "TransactionConflict";

async fn all(partition: Partition) -> Verdict {
    partition.store("counted", &[("n", n(1)), ("lease", n(1))]).await?;
    partition.store("deleted", &[]).await?;
    partition.store("checked", &[("n", n(1))]).await?;
    let actions = vec![
        partition.put_new("new"),
        partition.put_any("any", &[("n", n(5))]),
        partition.raise("counted", 1),
        partition.remove_item("deleted"),
        partition.remove_item("never there"),
        partition.check("checked", "attribute_exists(pk)"),
    ];
    same("the transaction", partition.transact(actions, None).await, Transacted::Committed)?;
    partition.holds_only("after it", &["new", "any", "counted", "checked"], &["deleted"]).await?;
    partition.holds("counted", "n", "2").await?;
    partition.holds("counted", "lease", "-").await?;
    partition.holds("any", "n", "5").await
}

async fn nothing(partition: Partition) -> Verdict {
    partition.store("there", &[("n", n(1))]).await?;
    let actions = vec![
        partition.put_new("before"),
        partition.remove_item("there"),
        partition.raise("absent", 1),
        partition.put_any("after", &[]),
    ];
    let canceled = Transacted::canceled(&["None", "None", OTHERS_WON, "None"]);
    let seen = partition.transact(actions, None).await;
    partition.holds_only("after it", &["there"], &["before", "absent", "after"]).await?;
    same("the transaction", seen, canceled)
}

async fn reasons(partition: Partition) -> Verdict {
    partition.store("there", &[("n", n(1))]).await?;
    let actions = vec![
        partition.put_new("a"),
        partition.put_new("there"),
        partition.check("b", "attribute_not_exists(pk)"),
        partition.check("c", "attribute_exists(pk)"),
        partition.remove_item("d"),
        partition.raise("e", 1),
    ];
    let wanted = Transacted::canceled(&["None", OTHERS_WON, "None", OTHERS_WON, "None", OTHERS_WON]);
    same("the transaction", partition.transact(actions, None).await, wanted)
}

async fn failed_check(partition: Partition) -> Verdict {
    let actions = vec![partition.put_any("a", &[]), partition.check("absent", "attribute_exists(pk)")];
    let seen = partition.transact(actions, None).await;
    partition.holds_only("after it", &[], &["a", "absent"]).await?;
    same("the transaction", seen, Transacted::canceled(&["None", OTHERS_WON]))
}

async fn check_of_nothing(partition: Partition) -> Verdict {
    let actions = vec![partition.put_any("a", &[]), partition.check("absent", "attribute_not_exists(pk)")];
    same("the transaction", partition.transact(actions, None).await, Transacted::Committed)?;
    partition.holds_only("after it", &["a"], &["absent"]).await
}

async fn seen_at_once(partition: Partition) -> Verdict {
    let names: Vec<_> = (0..12).map(|number| number.to_string()).collect();
    for round in 0..3 {
        let actions = names.iter().map(|name| partition.put_any(name, &[("n", n(round))])).collect();
        same("the transaction", partition.transact(actions, None).await, Transacted::Committed)?;
        for name in names.iter().rev() {
            partition.holds(name, "n", &round.to_string()).await?;
        }
    }
    Ok(())
}

async fn hundred_actions(partition: Partition) -> Verdict {
    let puts = |front: &str, count: usize| (0..count).map(|i| partition.put_new(&format!("{front}{i}"))).collect();
    same("100 actions", partition.transact(puts("a", 100), None).await, Transacted::Committed)?;
    partition.holds_only("after 100 actions", &["a0", "a50", "a99"], &[]).await?;
    let seen = partition.transact(puts("b", 101), None).await;
    partition.holds_only("after 101 actions", &[], &["b0", "b100"]).await?;
    same("101 actions", seen, Transacted::Refused(INVALID.to_owned()))
}

async fn one_item_twice(partition: Partition) -> Verdict {
    let actions = vec![partition.put_any("a", &[]), partition.check("a", "attribute_not_exists(pk)")];
    let seen = partition.transact(actions, None).await;
    partition.holds_only("after it", &[], &["a"]).await?;
    same("the transaction", seen, Transacted::Refused(INVALID.to_owned()))
}

async fn four_megabytes(partition: Partition) -> Verdict {
    let put = |i: usize| partition.put_any(&i.to_string(), &[("f", filler(390 * 1024))]);
    let seen = partition.transact((0..11).map(put).collect(), None).await;
    partition.holds_only("after it", &[], &["0", "10"]).await?;
    same("the transaction", seen, Transacted::Refused(INVALID.to_owned()))
}

async fn too_large_in_transaction(partition: Partition) -> Verdict {
    let actions = vec![partition.put_any("a", &[]), partition.put_any("b", &[("f", filler(400 * 1024))])];
    let seen = partition.transact(actions, None).await;
    partition.holds_only("after it", &[], &["a", "b"]).await?;
    demand(seen != Transacted::Committed, || "it is committed".to_owned())
}

/// Sends a transaction until it is decided: conflicts with others are no decision.
async fn decided(
    partition: &Partition,
    actions: impl Fn() -> Vec<aws_sdk_dynamodb::types::TransactWriteItem>,
) -> Transacted {
    for _ in 0..200 {
        match partition.transact(actions(), None).await {
            Transacted::Canceled(codes) if !codes.iter().any(|code| code == OTHERS_WON) => {
                if !codes.iter().any(|code| code == CONFLICT) {
                    return Transacted::Canceled(codes);
                }
            }
            decided => return decided,
        }
    }
    Transacted::Refused("a conflict without end".to_owned())
}

async fn transactions_at_once(partition: Partition) -> Verdict {
    for round in 0..4 {
        let mut racers = JoinSet::new();
        for racer in 0..16 {
            let partition = partition.clone();
            racers.spawn(async move {
                let (claim, trace) = (format!("claim-{round}"), format!("trace-{round}-{racer}"));
                let outcome = decided(&partition, || vec![partition.put_new(&trace), partition.put_new(&claim)]).await;
                (trace, outcome)
            });
        }
        let mut winners = 0;
        for (trace, outcome) in racers.join_all().await {
            let is_there = partition.read(&trace).await?.is_some();
            match outcome {
                Transacted::Committed => winners += 1,
                Transacted::Canceled(_) => {}
                Transacted::Refused(refusal) => return Err(Seen(format!("a racer: {refusal}"))),
            }
            demand(is_there == (outcome == Transacted::Committed), || "a loser leaves a trace".to_owned())?;
        }
        demand(winners == 1, || if winners == 0 { "nobody won" } else { "more than one won" }.to_owned())?;
    }
    Ok(())
}

async fn transactions_and_updates_at_once(partition: Partition) -> Verdict {
    partition.store("a", &[("n", n(0))]).await?;
    let mut racers = JoinSet::new();
    for racer in 0..16 {
        let partition = partition.clone();
        racers.spawn(async move {
            if racer % 2 == 0 { raise_in_transaction(&partition).await } else { raise_plainly(&partition).await }
        });
    }
    racers.join_all().await.into_iter().collect::<Result<(), Seen>>()?;
    partition.holds("a", "n", "16").await
}

/// Reads, then raises what was read, until nobody was faster.
async fn raise_in_transaction(partition: &Partition) -> Verdict {
    for _ in 0..1000 {
        let item = partition.read("a").await?;
        let at = super::text(item.as_ref(), "n").parse().unwrap_or_default();
        match partition.transact(vec![partition.raise("a", at)], None).await {
            Transacted::Committed => return Ok(()),
            Transacted::Canceled(_) => {}
            Transacted::Refused(refusal) => return Err(Seen(format!("a transaction: {refusal}"))),
        }
    }
    Err(Seen("a transaction is never the first".to_owned()))
}

async fn raise_plainly(partition: &Partition) -> Verdict {
    for _ in 0..1000 {
        let add = partition.update("a", "SET n = n + :one").expression_attribute_values(":one", n(1));
        match add.send().await.as_ref().map_err(crate::probe::Refusal::from) {
            Ok(_) => return Ok(()),
            Err(refusal) if refusal.0.ends_with("TransactionConflictException") => {}
            Err(refusal) => return Err(Seen(format!("an update: {}", refusal.0))),
        }
    }
    Err(Seen("an update conflicts without end".to_owned()))
}
