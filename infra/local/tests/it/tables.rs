//! DynamoDB as far as skillhub leans on it.

use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, ConditionCheck, KeySchemaElement, KeyType, Put,
    ReturnValuesOnConditionCheckFailure, ScalarAttributeType, TimeToLiveSpecification, TransactWriteItem,
};

use crate::support::{Fixture, code};

const TABLE: &str = "skillhub";

fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

async fn create_table(client: &aws_sdk_dynamodb::Client) {
    let attribute = |name: &str| {
        AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build().unwrap()
    };
    let key = |name: &str, kind| KeySchemaElement::builder().attribute_name(name).key_type(kind).build().unwrap();
    let table = client.create_table().table_name(TABLE).billing_mode(BillingMode::PayPerRequest);
    let table = table.attribute_definitions(attribute("pk")).attribute_definitions(attribute("sk"));
    let table = table.key_schema(key("pk", KeyType::Hash)).key_schema(key("sk", KeyType::Range));
    table.send().await.unwrap();
}

#[tokio::test]
async fn conditions_and_transactions_tell_why_they_fail_and_data_survives_a_restart() {
    let fixture = Fixture::start().await;
    let client = fixture.dynamodb();
    create_table(&client).await;
    let put = |pk: &str| client.put_item().table_name(TABLE).item("pk", s(pk)).item("sk", s("#")).item("v", s("1"));
    put("a").condition_expression("attribute_not_exists(pk)").send().await.unwrap();
    let again = put("a").condition_expression("attribute_not_exists(pk)");
    let again =
        again.return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld).send().await;
    let error = again.unwrap_err().into_service_error();
    let aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(failed) = error else {
        panic!("{error:?}")
    };
    assert_eq!(failed.item().unwrap().get("v"), Some(&s("1")));

    let new = |pk: &str| {
        let put = Put::builder().table_name(TABLE).item("pk", s(pk)).item("sk", s("#"));
        let put = put.condition_expression("attribute_not_exists(pk)").build().unwrap();
        TransactWriteItem::builder().put(put).build()
    };
    let exists = |pk: &str| {
        let check = ConditionCheck::builder().table_name(TABLE).key("pk", s(pk)).key("sk", s("#"));
        let check = check.condition_expression("attribute_exists(pk)").build().unwrap();
        TransactWriteItem::builder().condition_check(check).build()
    };
    let write = |items: Vec<TransactWriteItem>| client.transact_write_items().set_transact_items(Some(items)).send();
    write(vec![new("b"), exists("a")]).await.unwrap();
    let error = write(vec![new("c"), new("a"), exists("absent")]).await.unwrap_err().into_service_error();
    let aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError::TransactionCanceledException(
        canceled,
    ) = error
    else {
        panic!("{error:?}")
    };
    let reasons: Vec<_> = canceled.cancellation_reasons().iter().map(|reason| reason.code().unwrap()).collect();
    assert_eq!(reasons, ["None", "ConditionalCheckFailed", "ConditionalCheckFailed"]);

    let fixture = fixture.reopen().await;
    let client = fixture.dynamodb();
    let scan = client.scan().table_name(TABLE).send().await.unwrap();
    let mut keys: Vec<_> = scan.items().iter().map(|item| item["pk"].as_s().unwrap().as_str()).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["a", "b"]);
    let absent = client.get_item().table_name("absent").key("pk", s("a")).send().await;
    assert_eq!(absent.map_err(code).unwrap_err(), "ResourceNotFoundException");
    fixture.stop().await;
}

#[tokio::test]
async fn items_past_their_time_to_live_are_removed() {
    let fixture = Fixture::start().await;
    let client = fixture.dynamodb();
    create_table(&client).await;
    let ttl = TimeToLiveSpecification::builder().enabled(true).attribute_name("ttl").build().unwrap();
    client.update_time_to_live().table_name(TABLE).time_to_live_specification(ttl).send().await.unwrap();
    for (pk, ttl) in [("past", "1000000000"), ("future", "9000000000")] {
        let put = client.put_item().table_name(TABLE).item("pk", s(pk)).item("sk", s("#"));
        put.item("ttl", AttributeValue::N(ttl.to_owned())).send().await.unwrap();
    }
    assert_eq!(fixture.stores.sweep_ttl(), Ok(1));
    let scan = client.scan().table_name(TABLE).send().await.unwrap();
    assert_eq!(scan.items().len(), 1);
    assert_eq!(scan.items()[0]["pk"], s("future"));
    fixture.stop().await;
}
