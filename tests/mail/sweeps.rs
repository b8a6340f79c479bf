//! The sweep goes past rows that are nobody's or that nobody can read.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use presence::store::schema;
use presence_tests::sdk_config;

use super::office::sweep;
use super::scene::Scene;

type Item = HashMap<String, AttributeValue>;

fn client(scene: &Scene) -> Client {
    Client::from_conf(sdk_config(scene.world.stack.dynamodb_url()))
}

/// A row of a user that does not exist, due before every other.
fn orphan(number: usize) -> Item {
    let text = |text: String| AttributeValue::S(text);
    let moment = |at: usize| AttributeValue::N(at.to_string());
    HashMap::from([
        ("pk".to_owned(), text(format!("USER#{number}"))),
        ("sk".to_owned(), text(format!("MAIL#{number:013}-0"))),
        ("user_id".to_owned(), text(number.to_string())),
        ("outbox".to_owned(), text("pending".to_owned())),
        ("state".to_owned(), text("pending".to_owned())),
        ("due_at".to_owned(), moment(number)),
        ("created_at".to_owned(), moment(number)),
        ("give_up_at".to_owned(), AttributeValue::N("9999999999999".to_owned())),
        ("attempts".to_owned(), moment(0)),
    ])
}

/// A row that nobody can read.
fn unreadable(number: usize) -> Item {
    let mut row = orphan(number);
    row.remove("user_id");
    row
}

impl Scene {
    async fn put(&self, row: Item) {
        let table = self.world.store().name(&schema::USERS);
        client(self).put_item().table_name(table).set_item(Some(row)).send().await.expect("DynamoDB answers");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_without_a_user_are_removed_and_hold_nothing_up() {
    let scene = Scene::set().await;
    for number in 1..=250 {
        scene.put(orphan(number)).await;
    }
    scene.invoke(&sweep(), None).await;
    assert_eq!(scene.mails(), 1, "the mail behind them");
    scene.nothing_is_wrong("orphans").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_nobody_can_read_hold_nothing_up() {
    let scene = Scene::set().await;
    for number in 1..=250 {
        scene.put(unreadable(number)).await;
    }
    scene.invoke(&sweep(), None).await;
    assert_eq!(scene.mails(), 1, "the mail behind them");
    let store = scene.world.store();
    assert_eq!(store.waiting_mails(None).await.expect("the store answers").unreadable, []);
    assert_eq!(store.unreadable_mails().await.expect("the store answers").len(), 250, "kept, and listed");
}
