//! Messages that make a deliverer look at webhooks.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_deliverer::{Deliverer, HttpSender, StoredTables, handle};
use presence_domain::webhook::{Progress, WebhookReach};
use presence_local::replay::KeptWakes;
use presence_runtime::clock::{Clock, Deadline};
use presence_tests::TestStack;
use serde_json::{Value, json};

/// Returns the record of a new chunk of the feed of an organisation.
fn new_chunk(org_id: u64) -> Value {
    let keys = json!({ "pk": { "S": format!("FEED#{org_id:016}") }, "sk": { "S": "0000000000000001" } });
    json!({ "eventName": "INSERT", "eventSource": "aws:dynamodb", "dynamodb": { "Keys": keys } })
}

/// Makes the webhook in slot 0 of an organisation one that cannot be read.
async fn damage(stack: &TestStack, org_id: u64) {
    let update = stack.dynamodb_client().update_item().table_name(format!("{}events", stack.table_prefix()));
    let update = update.key("pk", AttributeValue::S(format!("WEBHOOKS#{org_id:016}")));
    let update = update.key("sk", AttributeValue::S("WEBHOOK#0".to_owned()));
    update.update_expression("REMOVE label, progress").send().await.expect("an update");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_cannot_be_read_holds_up_no_other() {
    let stack = TestStack::start().await;
    let clock = Arc::clone(&stack.clock) as Arc<dyn Clock>;
    for id in ["1-000000000000", "1-100000000000", "2-000000000000"] {
        let progress = Progress::starting_after(0, clock.now());
        assert!(stack.put_webhook(id, "https://example.com/", progress).await);
    }
    damage(&stack, 1).await;
    let stores = stack.stores();
    let deliverer = Deliverer {
        tables: StoredTables { webhooks: stores.webhooks.clone(), feed: stores.feed.clone() },
        sender: Arc::new(HttpSender::new(WebhookReach::Public, Arc::clone(&clock))),
        clock,
    };
    let wake = async |event: Value| {
        let queue = KeptWakes::default();
        let done = Box::pin(handle(&deliverer, &queue, &event, Deadline::after(Duration::from_mins(1)))).await;
        (done.is_ok(), queue.count())
    };
    // Lambda hands the batch over again, and at last tells where it is.
    assert_eq!(wake(json!({ "Records": [new_chunk(1), new_chunk(2)] })).await, (false, 2));
    assert_eq!(wake(json!({ "detail": { "all": true } })).await, (true, 2));
}
