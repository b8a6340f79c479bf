//! Environment of ingest: a stack with businesses, a bucket, a queue, and a process that may crash at any call.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_ingest::{Ingest, handle};
use presence_local::Options;
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Deadline;
use presence_store::keys::REVIEW_SK;
use presence_store::{Finding, FoldLimits, Stores, review_from_item, schema};
use presence_tests::{
    ConnectorLayer as _, CrashConnector, CrashPoint, FaultConnector, SavedTables, TestStack, in_process_client,
    long_timeouts,
};
use serde_json::{Value, json};

use super::outside::{Outside, StoredMessage, record};

/// Number of deliveries after which a test stops to wait for the end.
const MAX_DELIVERIES: usize = 2_000;

/// Stack that reviews arrive at.
pub(super) struct IngestEnv {
    pub(super) stack: TestStack,
    pub(super) outside: Outside,
    pub(super) crash: CrashConnector,
    pub(super) faults: FaultConnector,
    options: Options,
}

impl IngestEnv {
    /// Starts an environment with three businesses of two organisations.
    pub(super) async fn new() -> Self {
        Self::with_options(long_timeouts()).await
    }

    /// Starts an environment with these options for ingest, and their limits for the database.
    pub(super) async fn with_options(options: Options) -> Self {
        let stack = TestStack::with(Options { aws_limits: options.aws_limits.clone(), ..long_timeouts() }).await;
        for (org, id, city) in [(1, "s1", "Saint-Étienne"), (1, "s2", "Lyon"), (2, "s3", "Lyon")] {
            stack.create_business(org, id, city).await;
        }
        Self::over(stack, options)
    }

    /// Starts an environment with saved tables.
    pub(super) async fn with_tables(tables: &SavedTables) -> Self {
        let stack = TestStack::start().await;
        assert!(tables.copy_into(&stack));
        Self::over(stack, long_timeouts())
    }

    fn over(stack: TestStack, options: Options) -> Self {
        let (crash, faults) = (CrashConnector::new(), FaultConnector::new());
        let outside = Outside::new(crash.clone());
        Self { stack, outside, crash, faults, options }
    }

    /// Lets every process that starts from now on use this table of reviews.
    pub(super) fn use_reviews_table(&mut self, full_name: &str) {
        self.options.reviews_table = Some(full_name.to_owned());
    }

    /// Returns stores over the tables that a process uses.
    pub(super) fn stores(&self) -> Stores {
        let database = self.stack.stores().database.clone();
        Stores::new(database.with_reviews_table(self.options.reviews_table.as_deref()))
    }

    /// Returns a process that was just started.
    pub(super) fn process(&self) -> Ingest {
        let client = self.crash.over(self.faults.over(in_process_client()));
        let stores = self.stack.stores_through(client, self.options.clone(), self.stack.table_prefix());
        let limits = FoldLimits { fold_from: 1, ..FoldLimits::default() };
        let outside = Arc::new(self.outside.clone());
        Ingest::new(&stores.database, Arc::clone(&outside) as _, outside).with_fold_limits(limits)
    }

    /// Hands an event to a process. Returns its answer; `None` if it crashed or failed.
    pub(super) async fn invoke(&self, event: &Value, crashes_at: Option<(u64, CrashPoint)>) -> Option<BatchResponse> {
        let process = self.process();
        let deadline = Deadline::after(Duration::from_hours(1_000_000));
        let answer = self.crash.run(crashes_at, Box::pin(handle(&process, event, deadline))).await;
        answer.and_then(Result::ok)
    }

    /// Hands some messages to a process, and deletes those that it did not fail. Returns the ids of the failed ones.
    pub(super) async fn deliver(
        &self,
        messages: &[StoredMessage],
        crashes_at: Option<(u64, CrashPoint)>,
    ) -> Vec<String> {
        let event = json!({ "Records": messages.iter().map(record).collect::<Vec<_>>() });
        let ids: Vec<String> = messages.iter().map(|message| message.id.clone()).collect();
        let Some(answer) = self.invoke(&event, crashes_at).await else { return ids };
        let failed: Vec<String> = answer.failures.into_iter().map(|failure| failure.id).collect();
        let done: Vec<String> = ids.into_iter().filter(|id| !failed.contains(id)).collect();
        self.outside.delete(&done);
        failed
    }

    /// Delivers every message in its order until the queue is empty.
    pub(super) async fn drain(&self) {
        for _ in 0..MAX_DELIVERIES {
            let messages: Vec<_> = self.outside.messages().into_iter().take(10).collect();
            if messages.is_empty() {
                return;
            }
            self.deliver(&messages, None).await;
        }
        panic!("the queue does not become empty: {:?}", self.outside.messages().len());
    }

    /// Uploads an object, and does everything that follows from it.
    pub(super) async fn arrive(&self, object: &str, bytes: impl Into<Vec<u8>>) {
        self.outside.upload(&format!("inbox/{object}"), bytes.into());
        assert!(self.invoke(&uploaded(object), None).await.is_some(), "the object is split");
        self.drain().await;
    }

    /// Returns the summary of an object.
    pub(super) fn summary(&self, object: &str) -> Option<Value> {
        let text = self.outside.text(&format!("done/{object}.json"))?;
        Some(serde_json::from_str(&text).expect("JSON"))
    }

    /// Returns line number and reason of each rejected row of an object.
    pub(super) fn rejected(&self, object: &str) -> Vec<(u64, String)> {
        let text = self.outside.text(&format!("rejected/{object}.jsonl")).unwrap_or_default();
        let row = |line: &str| {
            let row: Value = serde_json::from_str(line).expect("JSON");
            (row["line"].as_u64().expect("a number"), row["reason"].as_str().expect("a text").to_owned())
        };
        text.lines().map(row).collect()
    }

    /// Returns the findings of the audit of reviews.
    pub(super) async fn audit(&self) -> Vec<Finding> {
        self.stack.wait_for_indexes().await;
        self.stores().reviews.audit_reviews(None).await.expect("the store answers").findings
    }

    /// Returns all reviews, independent of the writes that led to them.
    pub(super) async fn content(&self) -> BTreeMap<String, String> {
        let mut content = BTreeMap::new();
        for item in self.stack.scan(&self.stores().database.name(&schema::REVIEWS)).await {
            let mut item: BTreeMap<String, AttributeValue> = item.into_iter().collect();
            let pk = item.remove("pk").and_then(|value| value.as_s().ok().cloned()).expect("a key");
            item.remove("version");
            if pk.starts_with("R#") {
                content.insert(pk, format!("{item:?}"));
            }
        }
        content
    }

    /// Returns the titles of all reviews, by the partner's id.
    pub(super) async fn titles(&self) -> BTreeMap<String, String> {
        let items = self.stack.scan(&self.stores().database.name(&schema::REVIEWS)).await;
        let reviews = items.into_iter().filter(|item| item["sk"].as_s().is_ok_and(|sk| sk == REVIEW_SK));
        let reviews = reviews.map(|item| review_from_item(&item).expect("a review"));
        reviews.filter_map(|review| Some((review.partner_id, review.title?))).collect()
    }
}

/// Returns the notification of S3 about an object.
pub(crate) fn uploaded(object: &str) -> Value {
    let key = format!("inbox/{object}").replace(' ', "+");
    json!({ "Records": [{ "eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "s3": { "object": { "key": key } } }] })
}

/// Returns a row with this title.
pub(super) fn titled_row(business: &str, partner_id: &str, title: &str) -> Value {
    json!({
        "business_id": business, "partner": "partner_8", "partner_id": partner_id, "date": "2024-03-01", "rating": 5,
        "state": "treated", "title": title,
    })
}

/// Returns rows as JSON Lines.
pub(super) fn json_lines(rows: &[Value]) -> String {
    rows.iter().fold(String::new(), |text, row| text + &row.to_string() + "\n")
}
