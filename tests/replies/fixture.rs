//! Fixture of a stack whose stream of reviews a test hands to the publisher, and changes of replies.

use std::collections::BTreeMap;

use aws_smithy_runtime_api::client::http::SharedHttpClient;
use presence_domain::ids::UserId;
use presence_domain::review::{ReplyText, Review, ReviewId};
use presence_local::TableStream;
use presence_publisher::handle;
use presence_runtime::aws::SqsQueue;
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::{Clock as _, Deadline};
use presence_store::ReviewWrite;
use presence_store::schema::REVIEWS;
use presence_tests::{ConnectorLayer as _, CrashConnector, CrashPoint, TestStack, in_process_client, long_timeouts};
use serde_json::Value;

use crate::api::reviews::fixtures::{seed, seeded_review, write_reviews};
use crate::events::fixture::remaining;

/// Stack with reviews, and with the stream of their table from the end of the set-up on.
pub(super) struct ReplyFixture {
    pub(super) stack: TestStack,
    pub(super) crashes: CrashConnector,
    stream: TableStream,
    queue: SqsQueue,
}

impl ReplyFixture {
    pub(super) async fn new() -> Self {
        let stack = TestStack::with(long_timeouts()).await;
        seed(&stack).await;
        let config = presence_local::sdk_config(stack.local.database_url());
        let stream = TableStream::open(&config, &stack.stores().database.name(&REVIEWS)).await;
        let stream = stream.expect("the database answers").expect("a stream");
        let crashes = CrashConnector::new();
        let config = presence_local::sdk_config(&stack.local.sqs_url()).into_builder();
        let config = config.http_client(SharedHttpClient::new(crashes.over(in_process_client()))).build();
        Self { stack, crashes, stream, queue: SqsQueue::new(&config, "replies.fifo".to_owned()) }
    }

    /// Returns the stored review with this name.
    pub(super) async fn review(&self, name: &str) -> Review {
        let wanted = seeded_review(name);
        let found = self.stack.stores().reviews.find_stored_reviews(&[wanted]).await.expect("the store answers");
        found.into_iter().next().flatten().expect("a review")
    }

    /// Changes a review as a person does. Returns it as it is stored then.
    pub(super) async fn change(&self, name: &str, change: impl FnOnce(&Review) -> Review) -> Review {
        let old = self.review(name).await;
        let new = change(&old);
        write_reviews(&self.stack, vec![ReviewWrite { old: Some(old), new }]).await;
        self.review(name).await
    }

    /// Replies to a review. Returns its id, and the version of the reply.
    pub(super) async fn reply(&self, name: &str, text: &str) -> (ReviewId, u64) {
        let (text, at) = (ReplyText::parse(text).expect("a text"), self.stack.clock.now());
        let by = UserId::parse("7").expect("an id");
        let review = self.change(name, |review| review.reply_with(text, by, at).expect("a change")).await;
        let version = review.reply_request().expect("a request").version;
        (review.id, version)
    }

    /// Takes the reply to a review back.
    pub(super) async fn take_back(&self, name: &str) {
        let (by, at) = (UserId::parse("7").expect("an id"), self.stack.clock.now());
        self.change(name, |review| review.remove_reply(by, at).expect("a reply").expect("a change")).await;
    }

    /// Sends the request of a review again, as an operator does.
    pub(super) async fn resend(&self, name: &str) -> bool {
        let review = self.review(name).await;
        let resent = self.stack.stores().reviews.resend_reply(&review, self.stack.clock.now()).await;
        resent.expect("the store answers")
    }

    /// Returns the batches of the stream since the last call.
    pub(super) async fn batches(&mut self) -> Vec<Value> {
        let mut batches = Vec::new();
        while let Some(batch) = self.stream.next_batch().await.expect("a stream") {
            batches.push(batch);
        }
        batches
    }

    /// Invokes the publisher, which dies at the call if one is given. Returns its answer; `None` if it died.
    pub(super) async fn invoke(&self, batch: &Value, crashes_at: Option<(u64, CrashPoint)>) -> Option<BatchResponse> {
        let deadline = Deadline::after(std::time::Duration::from_mins(10));
        self.crashes.run(crashes_at, handle(&self.queue, batch, deadline)).await
    }

    /// Hands all new batches over, and again what failed. Returns all messages that the queue has taken so far.
    pub(super) async fn publish(&mut self) -> Vec<Value> {
        for batch in self.batches().await {
            self.deliver(batch).await;
        }
        self.messages()
    }

    /// Hands a batch over, and again what failed.
    pub(super) async fn deliver(&self, batch: Value) {
        let mut next = Some(batch);
        while let Some(batch) = next {
            let answer = self.invoke(&batch, None).await.expect("an answer");
            next = remaining(&batch, &answer);
        }
    }

    pub(super) fn messages(&self) -> Vec<Value> {
        self.stack.local.replies().messages()
    }

    /// Asserts that the queue has these versions of each review, in their order.
    pub(super) fn assert_versions(&self, expected: &[(&ReviewId, Vec<u64>)], what: &str) {
        let mut found: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for message in self.messages() {
            let id = message["review_id"].as_str().expect("an id").to_owned();
            found.entry(id).or_default().push(message["version"].as_u64().expect("a version"));
        }
        let expected: BTreeMap<_, _> =
            expected.iter().map(|(id, versions)| (id.as_str().to_owned(), versions.clone())).collect();
        assert_eq!(found, expected, "{what}");
    }
}
