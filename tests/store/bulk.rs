//! Bulk writes past the service, where it would need thousands of transactions.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::user::{PersonName, Role, Status, User};
use presence_domain::user_directory::user_digest;
use presence_store::keys::{
    CHANGES_PK_PREFIX, LOCK_SK, business_pk, city_listing, listing, lock_pk, name_order, org_key, roster_pk, user_pk,
};
use presence_store::schema::{BUSINESSES, USERS};
use presence_tests::{Item, TestStack, address, put_all};

/// Adds active business managers to an organisation, with the locks and the head that go with them.
pub(super) async fn users(stack: &TestStack, org: u64, count: u64) {
    let (client, users) = (stack.dynamodb_client(), stack.stores().database.name(&USERS));
    let first = stack.create_user("bulk", Role::BusinessManager, Some(org), Status::Invited).await;
    let key = HashMap::from([("pk".to_owned(), text(&format!("USER#{}", first.id))), ("sk".to_owned(), text("USER"))]);
    let stored = client.get_item().table_name(&users).set_key(Some(key)).send().await;
    let template = stored.expect("DynamoDB answers").item.expect("the user just written");
    let items = (1..=count).flat_map(|number| [user(&template, number), lock(number)]);
    put_all(&client, &users, items.collect()).await;
    let digest: i128 = (1..=count).map(|number| user_digest(id(number), 1)).sum();
    let head = client.update_item().table_name(&users).key("pk", text(&roster_pk(OrgId::new(org))));
    head.key("sk", text(&org_key(OrgId::new(org))))
        .update_expression("ADD active :count, digest :digest")
        .expression_attribute_values(":count", AttributeValue::N(count.to_string()))
        .expression_attribute_values(":digest", AttributeValue::N(digest.to_string()))
        .send()
        .await
        .expect("the head is there");
}

/// Writes many users into empty organisations.
pub(super) async fn people(stack: &TestStack, people: &[User]) {
    let items = stack.stores().users.to_items(people).expect("users that fit");
    put_all(&stack.dynamodb_client(), &stack.stores().database.name(&USERS), items).await;
}

/// Adds businesses `many-1`, `many-2`, … to an organisation.
pub(crate) async fn businesses(stack: &TestStack, org: u64, count: u64) {
    let items = (1..=count).map(|number| {
        let id = presence_domain::ids::BusinessId::parse(&format!("many-{number}")).expect("an id");
        HashMap::from([
            ("pk".to_owned(), text(&business_pk(&id))),
            ("id".to_owned(), text(id.as_str())),
            ("org_id".to_owned(), AttributeValue::N(org.to_string())),
            ("name".to_owned(), text("Shop")),
            ("city".to_owned(), text("Lyon")),
            ("city_listing".to_owned(), text(&city_listing("lyon", &id))),
        ])
    });
    put_all(&stack.dynamodb_client(), &stack.stores().database.name(&BUSINESSES), items.collect()).await;
}

/// Deletes the change logs, as their TTL does.
pub(super) async fn forget_changes(stack: &TestStack) {
    let (client, users) = (stack.dynamodb_client(), stack.stores().database.name(&USERS));
    let items = stack.scan(&users).await;
    let of_logs = items.into_iter().filter(|item| item["pk"].as_s().is_ok_and(|pk| pk.starts_with(CHANGES_PK_PREFIX)));
    for mut item in of_logs {
        item.retain(|name, _| ["pk", "sk"].contains(&name.as_str()));
        client.delete_item().table_name(&users).set_key(Some(item)).send().await.expect("DynamoDB answers");
    }
}

fn user(template: &Item, number: u64) -> Item {
    let (id, last) = (id(number), format!("Bulk {number}"));
    let name = |text: &str| PersonName::parse(text).expect("a name");
    let listing = listing(Status::Active, &name_order(&name(&last), &name("Test"), id));
    let email = address(&format!("bulk-{number}"));
    let mut item = template.clone();
    let changed = [
        ("pk", user_pk(id)),
        ("id", id.to_string()),
        ("status", "active".to_owned()),
        ("last_name", last),
        ("listing", listing),
        ("email", email.clone()),
        ("email_key", email),
    ];
    item.extend(changed.map(|(attribute, value)| (attribute.to_owned(), text(&value))));
    item
}

fn lock(number: u64) -> Item {
    let holder = id(number).to_string();
    let attributes =
        [("pk", lock_pk(&address(&format!("bulk-{number}")))), ("sk", LOCK_SK.to_owned()), ("user_id", holder)];
    attributes.map(|(attribute, value)| (attribute.to_owned(), text(&value))).into()
}

fn id(number: u64) -> UserId {
    UserId::parse(&number.to_string()).expect("an id")
}

fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}
