//! Conditional writes: what fails, what the failure tells, and who wins.

use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure::AllOld;
use tokio::task::JoinSet;

use super::{Attributes, FAILED, Partition, n, s, text};
use crate::probe::{Probe, Seen, Verdict, demand, ok, probes, refused, same};

pub(super) const PROBES: &[Probe<Partition>] = probes![
    put_condition: "a put whose condition fails changes nothing, and its error has the item that is there",
    update_condition: "an update whose condition fails changes nothing, and its error has the item that is there",
    delete_condition: "a delete whose condition fails changes nothing, and its error has the item that is there",
    condition_on_nothing: "a condition that fails because the item is missing has no item in its error, and makes none",
    no_item_unasked: "the error of a failed condition has no item unless it was asked for",
    compare_text: "conditions compare text by its bytes, so that times compare in order",
    compare_missing: "a comparison with a missing attribute fails",
    and_or_in: "`AND`, `OR`, parentheses and `IN` mean in a condition what they say",
    listed_once: "what a list contains already, to its last digit, is refused by `NOT contains`, and `list_append` adds the rest",
    condition_on_old: "a condition looks at the item before the update, not after it",
    writers_at_once: "of 64 conditional puts at once one wins, and 63 fail for the condition",
    claims_at_once: "of 64 compare-and-set updates at once one wins, and 63 fail for the condition",
];

/// Demands the item in the error of a failed condition.
fn same_item(item: Option<&Attributes>, wanted: &str) -> Verdict {
    same("n of the item in the error", text(item, "n").as_str(), wanted)
}

async fn put_condition(partition: Partition) -> Verdict {
    partition.store("a", &[("n", n(1))]).await?;
    let put = partition.put("a", &[("n", n(2))]).condition_expression("attribute_not_exists(pk)");
    let answer = put.return_values_on_condition_check_failure(AllOld).send().await;
    refused("PutItem", &answer, FAILED)?;
    partition.holds("a", "n", "1").await?;
    match answer.err().and_then(|error| error.into_service_error().into()) {
        Some(PutItemError::ConditionalCheckFailedException(failed)) => same_item(failed.item(), "1"),
        other => Err(Seen(format!("{other:?}"))),
    }
}

async fn update_condition(partition: Partition) -> Verdict {
    partition.store("a", &[("n", n(1))]).await?;
    let update = partition.update("a", "SET n = :two").condition_expression("n = :two");
    let update = update.expression_attribute_values(":two", n(2));
    let answer = update.return_values_on_condition_check_failure(AllOld).send().await;
    refused("UpdateItem", &answer, FAILED)?;
    partition.holds("a", "n", "1").await?;
    match answer.err().and_then(|error| error.into_service_error().into()) {
        Some(UpdateItemError::ConditionalCheckFailedException(failed)) => same_item(failed.item(), "1"),
        other => Err(Seen(format!("{other:?}"))),
    }
}

async fn delete_condition(partition: Partition) -> Verdict {
    partition.store("a", &[("n", n(1))]).await?;
    let delete = partition.client.delete_item().table_name(&partition.table).set_key(Some(partition.key("a")));
    let delete = delete.condition_expression("n = :two").expression_attribute_values(":two", n(2));
    let answer = delete.return_values_on_condition_check_failure(AllOld).send().await;
    refused("DeleteItem", &answer, FAILED)?;
    partition.holds("a", "n", "1").await?;
    match answer.err().and_then(|error| error.into_service_error().into()) {
        Some(DeleteItemError::ConditionalCheckFailedException(failed)) => same_item(failed.item(), "1"),
        other => Err(Seen(format!("{other:?}"))),
    }
}

async fn condition_on_nothing(partition: Partition) -> Verdict {
    let update = partition.update("a", "SET n = :two").condition_expression("n = :two");
    let update = update.expression_attribute_values(":two", n(2));
    let answer = update.return_values_on_condition_check_failure(AllOld).send().await;
    refused("UpdateItem", &answer, FAILED)?;
    partition.holds_only("after it", &[], &["a"]).await?;
    match answer.err().and_then(|error| error.into_service_error().into()) {
        Some(UpdateItemError::ConditionalCheckFailedException(failed)) => same_item(failed.item(), "-"),
        other => Err(Seen(format!("{other:?}"))),
    }
}

async fn no_item_unasked(partition: Partition) -> Verdict {
    partition.store("a", &[("n", n(1))]).await?;
    let answer = partition.put("a", &[]).condition_expression("attribute_not_exists(pk)").send().await;
    match answer.err().and_then(|error| error.into_service_error().into()) {
        Some(PutItemError::ConditionalCheckFailedException(failed)) => same_item(failed.item(), "-"),
        other => Err(Seen(format!("{other:?}"))),
    }
}

/// An update that changes nothing but `touched`, under a condition with these values.
fn touch(partition: &Partition, condition: &str, values: &[(&str, &str)]) -> UpdateItemFluentBuilder {
    let update = partition.update("a", "SET touched = :now").expression_attribute_values(":now", s("now"));
    let update = update.condition_expression(condition);
    values.iter().fold(update, |update, (name, value)| update.expression_attribute_values(*name, s(value)))
}

/// Demands whether conditions hold.
async fn judge(partition: &Partition, values: &[(&str, &str)], conditions: &[(&str, bool)]) -> Verdict {
    for (condition, holds) in conditions {
        let used: Vec<_> = values.iter().copied().filter(|(name, _)| condition.contains(name)).collect();
        let answer = touch(partition, condition, &used).send().await;
        match holds {
            true => ok(condition, answer).map(drop)?,
            false => refused(condition, &answer, FAILED)?,
        }
    }
    Ok(())
}

async fn compare_text(partition: Partition) -> Verdict {
    partition.store("a", &[("lease_until", s("2026-10-01T09:00:00.000Z"))]).await?;
    let values = [(":earlier", "2026-10-01T08:59:59.999Z"), (":same", "2026-10-01T09:00:00.000Z"), (":year", "2027")];
    let conditions = [
        ("lease_until < :earlier", false),
        ("lease_until < :same", false),
        ("lease_until <= :same", true),
        ("lease_until < :year", true),
        ("lease_until > :earlier", true),
        ("lease_until BETWEEN :earlier AND :year", true),
    ];
    judge(&partition, &values, &conditions).await
}

async fn compare_missing(partition: Partition) -> Verdict {
    partition.store("a", &[]).await?;
    let conditions =
        [("absent < :v", false), ("absent = :v", false), ("attribute_not_exists(absent) OR absent > :v", true)];
    judge(&partition, &[(":v", "x")], &conditions).await
}

async fn and_or_in(partition: Partition) -> Verdict {
    partition.store("a", &[("kind", s("open")), ("v", s("1"))]).await?;
    let values = [(":open", "open"), (":closed", "closed"), (":1", "1"), (":2", "2")];
    let conditions = [
        ("kind IN (:open, :closed)", true),
        ("v IN (:open, :closed)", false),
        ("kind = :closed OR kind = :open AND v = :1", true),
        ("kind = :open OR kind = :closed AND v = :2", true),
        ("(kind = :open OR kind = :closed) AND v = :2", false),
        ("kind = :closed OR (kind = :open AND v = :2)", false),
        ("NOT kind = :closed", true),
        ("kind <> :open", false),
    ];
    judge(&partition, &values, &conditions).await
}

async fn listed_once(partition: Partition) -> Verdict {
    partition.store("a", &[("claims", AttributeValue::L(Vec::new()))]).await?;
    let largest = AttributeValue::N(u64::MAX.to_string());
    let second_largest = AttributeValue::N((u64::MAX - 1).to_string());
    for (number, is_new) in [(&largest, true), (&largest, false), (&second_largest, true), (&largest, false)] {
        let update = partition.update("a", "SET claims = list_append(claims, :claims)");
        let update = update.condition_expression("NOT contains(claims, :claim)");
        let update = update.expression_attribute_values(":claim", number.clone());
        let answer =
            update.expression_attribute_values(":claims", AttributeValue::L(vec![number.clone()])).send().await;
        match is_new {
            true => ok("UpdateItem", answer).map(drop)?,
            false => refused("UpdateItem", &answer, FAILED)?,
        }
    }
    let item = partition.read("a").await?;
    let claims = item.and_then(|item| item.get("claims").cloned());
    demand(claims == Some(AttributeValue::L(vec![largest, second_largest])), || format!("{claims:?}"))
}

async fn condition_on_old(partition: Partition) -> Verdict {
    partition.store("a", &[("touched", s("then"))]).await?;
    refused("UpdateItem", &touch(&partition, "touched = :now", &[]).send().await, FAILED)?;
    ok("UpdateItem", touch(&partition, "touched = :then", &[(":then", "then")]).send().await).map(drop)
}

/// Demands one success, and the failed condition as the reason of all else.
fn one_winner<T>(outcomes: Vec<Result<T, Seen>>) -> Verdict {
    let count = outcomes.len();
    let losers: Vec<_> = outcomes.into_iter().filter_map(Result::err).map(|Seen(seen)| seen).collect();
    let other = losers.iter().find(|seen| !seen.ends_with(FAILED));
    demand(other.is_none(), || format!("a loser: {}", other.map_or("", String::as_str)))?;
    demand(losers.len() + 1 == count, || {
        if losers.len() == count { "nobody won" } else { "more than one won" }.to_owned()
    })
}

async fn writers_at_once(partition: Partition) -> Verdict {
    let mut writers = JoinSet::new();
    for writer in 0..64 {
        let put = partition.put("a", &[("n", n(writer))]).condition_expression("attribute_not_exists(pk)");
        writers.spawn(async move { ok("PutItem", put.send().await) });
    }
    one_winner(writers.join_all().await)
}

async fn claims_at_once(partition: Partition) -> Verdict {
    partition.store("a", &[("n", n(0))]).await?;
    let mut claims = JoinSet::new();
    for _ in 0..64 {
        let claim = partition.update("a", "SET n = n + :one").condition_expression("n = :zero");
        let claim = claim.expression_attribute_values(":one", n(1)).expression_attribute_values(":zero", n(0));
        claims.spawn(async move { ok("UpdateItem", claim.send().await) });
    }
    one_winner(claims.join_all().await)?;
    partition.holds("a", "n", "1").await
}
