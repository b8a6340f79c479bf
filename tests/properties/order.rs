//! Order of the users in answers.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::ids::OrgId;
use presence_domain::user::{Role, Status};
use presence_store::keys::org_key;
use presence_store::schema::USERS;
use presence_tests::{TestStack, rng};

use super::users::{create, in_order, walk};

/// Number of users in the organisation.
const USER_COUNT: usize = 150;

#[tokio::test(flavor = "multi_thread")]
async fn order_of_answers_is_the_order_of_the_index_keys() {
    let mut rng = rng("order");
    let stack = TestStack::start().await;
    let mut users = create(&stack, Some(1), USER_COUNT, &mut rng).await;
    let admin = stack.create_user("admin", Role::OrgAdmin, Some(1), Status::Active).await;
    users.push(stack.stored(&admin.id).await.expect("just written").user);
    for status in Status::ALL {
        let filter = format!("&status={}", status.as_str());
        let answered = walk(&stack, &admin.key, &filter, 40).await;
        let of_status = users.iter().filter(|user| user.status == status).cloned();
        assert_eq!(answered, in_order(of_status), "answers and brute force: {}", status.as_str());
        assert_eq!(answered, listed(&stack, status).await, "answers and keys: {}", status.as_str());
    }
    assert_eq!(walk(&stack, &admin.key, "", 100).await, in_order(users), "both statuses together");
    assert_eq!(stack.audit().await, []);
}

/// Returns the ids in `status-index`, in the order of its keys.
async fn listed(stack: &TestStack, status: Status) -> Vec<String> {
    let client = stack.dynamodb_client();
    let values = HashMap::from([
        (":org".to_owned(), AttributeValue::S(org_key(OrgId::new(1)))),
        (":status".to_owned(), AttributeValue::S(format!("{}\u{1f}", status.as_str()))),
    ]);
    let query = client.query().table_name(stack.stores().database.name(&USERS)).index_name("status-index");
    let query = query
        .key_condition_expression("org = :org AND begins_with(listing, :status)")
        .set_expression_attribute_values(Some(values));
    let mut items = query.into_paginator().items().send();
    let mut ids = Vec::new();
    while let Some(item) = items.next().await {
        ids.push(item.expect("DynamoDB answers")["id"].as_s().expect("text").clone());
    }
    ids
}
