//! Fixture of a stack whose streams a test hands to the publisher of the feed.

use aws_smithy_runtime_api::client::http::SharedHttpClient;
use presence_publisher::append;
use presence_runtime::clock::Deadline;
use presence_store::{Database, FeedStore};
use presence_tests::{ConnectorLayer as _, CrashConnector, CrashPoint, TestUser, in_process_client};
use serde_json::{Value, json};
use std::time::Duration;

use crate::events::fixture::EventFixture;

/// Stack with the parts of the feed's publisher, which may be killed.
pub(super) struct FeedFixture {
    pub(super) events: EventFixture,
    pub(super) crashes: CrashConnector,
    feed: FeedStore,
}

impl FeedFixture {
    pub(super) async fn new() -> Self {
        let events = EventFixture::new().await;
        let crashes = CrashConnector::new();
        let config = presence_local::sdk_config(events.stack.local.database_url()).into_builder();
        let config = config.http_client(SharedHttpClient::new(crashes.over(in_process_client()))).build();
        let feed = FeedStore::new(&Database::new(&config, events.stack.table_prefix()));
        Self { events, crashes, feed }
    }

    /// Invokes the publisher, which dies at the call if one is given. Returns the number of failed records; `None` if it died.
    pub(super) async fn invoke(&self, batch: &Value, crashes_at: Option<(u64, CrashPoint)>) -> Option<usize> {
        let deadline = Deadline::after(Duration::from_mins(10));
        let append = append(&self.feed, self.events.stack.clock.as_ref(), batch, deadline);
        Some(self.crashes.run(crashes_at, append).await?.batch.failures.len())
    }

    /// Hands all new batches over.
    pub(super) async fn publish(&mut self) {
        for batch in self.events.batches().await {
            assert_eq!(self.invoke(&batch, None).await, Some(0));
        }
    }

    /// Asks for a page as this user. Returns the body.
    pub(super) async fn page(&self, user: &TestUser, query: &str) -> Value {
        let reply = self.events.stack.get(&format!("/events?{query}"), &user.key).await;
        assert_eq!(reply.status, 200, "{query}: {}", reply.text);
        reply.json()
    }

    /// Follows the feed to its end in pages of a size. Returns the events.
    pub(super) async fn follow(&self, user: &TestUser, query: &str) -> Vec<Value> {
        let (mut events, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.page(user, &format!("{query}&after={after}")).await;
            events.extend(page["events"].as_array().expect("events").iter().cloned());
            page["next"].as_str().expect("a cursor").clone_into(&mut after);
            if page["has_more"] == json!(false) {
                return events;
            }
        }
    }
}

/// Returns type, object and version of each event.
pub(super) fn summaries(events: &[Value]) -> Vec<String> {
    let summary = |event: &Value| {
        let data = &event["data"];
        let text = |name: &str| data[name].as_str().map(str::to_owned);
        let object = text("user_id").or(text("id")).expect("an object");
        format!("{} {object} {}", event["type"].as_str().expect("a type"), data["version"])
    };
    events.iter().map(summary).collect()
}
