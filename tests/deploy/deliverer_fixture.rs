//! Fixture of the deliverer: it sends the events of the feed to the built-in receiver, which answers that it is gone.

use std::sync::Arc;

use presence_deliverer::{Deliverer, HttpSender, StoredTables, handle};
use presence_domain::webhook::{Progress, WebhookId, WebhookReach};
use presence_local::replay::KeptWakes;
use presence_runtime::clock::Clock;
use presence_store::Stores;
use presence_tests::TestStack;
use serde_json::{Value, json};

use super::fixture::TIMEOUT;

/// Webhook in the events of the deliverer.
const ID: &str = "42-200000000000";

/// Stores the webhook of the events. It begins with the oldest event of the feed.
pub(super) async fn store_webhook(stack: &TestStack) {
    let url = format!("{}webhook-receiver/410", stack.local.home_url());
    assert!(stack.put_webhook(ID, &url, Progress::starting_after(0, stack.clock.now())).await);
}

/// Returns the answer of the deliverer, the number of messages that it sent, and the state of the webhook.
pub(super) async fn answer(stores: &Stores, stack: &TestStack, event: &Value) -> Value {
    let clock = Arc::clone(&stack.clock) as Arc<dyn Clock>;
    let deliverer = Deliverer {
        tables: StoredTables { webhooks: stores.webhooks.clone(), feed: stores.feed.clone() },
        sender: Arc::new(HttpSender::new(WebhookReach::ThisMachine, Arc::clone(&clock))),
        clock,
    };
    let queue = KeptWakes::default();
    let deadline = presence_runtime::clock::Deadline::after(TIMEOUT);
    let answer = Box::pin(handle(&deliverer, &queue, event, deadline)).await.expect("an answer");
    let webhook = stores.webhooks.get(WebhookId::parse(ID).expect("an id")).await.expect("an answer");
    json!({ "answer": answer, "messages": queue.count(), "state": webhook.expect("a webhook").progress.state().as_str() })
}
