//! Sweeps over rows without a user, unreadable rows and empty pages.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use presence_mailer::{OutboxProcessor, handle};
use presence_store::schema;
use presence_tests::connectors::{Answer, ConnectorLayer, Next};
use presence_tests::{Item, in_process_client, long_timeouts};

use super::fake_mailer::{deadline, sweep};
use super::invitation_fixture::InvitationFixture;

/// Returns a row of a user that does not exist, due before every other.
fn orphan(number: usize) -> Item {
    let text = |text: String| AttributeValue::S(text);
    let number_of = |at: usize| AttributeValue::N(at.to_string());
    HashMap::from([
        ("pk".to_owned(), text(format!("USER#{number}"))),
        ("sk".to_owned(), text(format!("MAIL#{number:013}-0"))),
        ("user_id".to_owned(), text(number.to_string())),
        ("outbox".to_owned(), text("pending".to_owned())),
        ("state".to_owned(), text("pending".to_owned())),
        ("due_at".to_owned(), number_of(number)),
        ("created_at".to_owned(), number_of(number)),
        ("give_up_at".to_owned(), AttributeValue::N("9999999999999".to_owned())),
        ("attempts".to_owned(), number_of(0)),
    ])
}

impl InvitationFixture {
    async fn put(&self, row: Item) {
        let table = self.stack.stores().database.name(&schema::USERS);
        let put = self.stack.dynamodb_client().put_item().table_name(table);
        put.set_item(Some(row)).send().await.expect("DynamoDB answers");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_without_a_user_are_removed_and_delay_no_mail() {
    let fixture = InvitationFixture::new().await;
    for number in 1..=250 {
        fixture.put(orphan(number)).await;
    }
    fixture.invoke(&sweep(), None).await;
    assert_eq!(fixture.mails(), 1, "the mail behind them");
    fixture.assert_consistent("orphans").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_rows_delay_no_mail() {
    let fixture = InvitationFixture::new().await;
    for number in 1..=250 {
        let mut row = orphan(number);
        row.remove("user_id");
        fixture.put(row).await;
    }
    fixture.invoke(&sweep(), None).await;
    assert_eq!(fixture.mails(), 1, "the mail behind them");
    let outbox = &fixture.stack.stores().outbox;
    assert_eq!(outbox.list_waiting(None).await.expect("the store answers").unreadable, []);
    assert_eq!(outbox.list_unreadable().await.expect("the store answers").len(), 250, "they are kept, and listed");
}

/// Connector that answers the first page of each outbox query with no item and a key of the next page, as AWS may do.
#[derive(Clone)]
struct EmptyFirstPages;

impl ConnectorLayer for EmptyFirstPages {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let body = String::from_utf8_lossy(request.body().bytes().unwrap_or_default());
        if !body.contains("outbox-index") || body.contains("ExclusiveStartKey") {
            return next.call(request).await;
        }
        let key = r#"{"outbox":{"S":"pending"},"due_at":{"N":"0"},"pk":{"S":"-"},"sk":{"S":"-"}}"#;
        let empty = format!(r#"{{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{key}}}"#);
        let mut response = HttpResponse::new(200.try_into().expect("a status"), SdkBody::from(empty));
        response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
        Ok(response)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sweep_continues_after_an_empty_page() {
    let fixture = InvitationFixture::new().await;
    let client = EmptyFirstPages.over(in_process_client());
    let stores = fixture.stack.stores_through(client, long_timeouts(), fixture.stack.table_prefix());
    let outbox = OutboxProcessor { users: stores.users, outbox: stores.outbox, ..fixture.process.outbox.clone() };
    assert!(outbox.outbox.list_waiting(None).await.is_ok_and(|page| page.messages.is_empty() && page.next.is_some()));
    assert!(handle(&outbox, &sweep(), deadline()).await.is_ok());
    assert_eq!(fixture.mails(), 1);
    fixture.assert_consistent("empty pages").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn windows_of_addresses_have_a_ttl() {
    let fixture = InvitationFixture::new().await;
    let (client, table) = (fixture.stack.dynamodb_client(), fixture.stack.stores().database.name(&schema::USERS));
    let ttl = client.describe_time_to_live().table_name(&table).send().await.expect("DynamoDB answers");
    let ttl = ttl.time_to_live_description.expect("a description");
    assert_eq!(ttl.attribute_name.as_deref(), schema::USERS.ttl);
    fixture.invoke(&sweep(), None).await;
    let items = fixture.stack.scan(&table).await;
    let window = items.iter().find(|item| item["sk"] == AttributeValue::S("MAILBOX".to_owned())).expect("a window");
    let number = |name: &str| window[name].as_n().expect("a number").parse::<i64>().expect("a whole number");
    assert!(number("ttl") > number("quiet_until") / 1_000, "in seconds, after the end of the window");
    assert!(number("ttl") < number("quiet_until") / 1_000 + 86_400);
}
