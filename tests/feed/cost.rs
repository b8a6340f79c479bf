//! Cost of an event to append and to deliver, and of a page to read.

use std::sync::Arc;
use std::time::Duration;

use presence_deliverer::{Answer, Deliverer, Message, Sender, StoredTables};
use presence_domain::feed::FeedStart;
use presence_domain::review::{Review, ReviewId};
use presence_domain::webhook::{Progress, WebhookId};
use presence_publisher::append;
use presence_runtime::clock::{Clock as _, Deadline};
use presence_store::ReviewWrite;
use presence_store::meter::{Cost, measured};
use presence_tests::TestStack;
use presence_tests::reviews::{business_id, org_id};
use serde_json::{Value, json};

use super::fixture::FeedFixture;
use crate::api::reviews::fixtures::{seeded_review, write_reviews};

/// Number of reviews that are written.
const REVIEWS: u32 = 500;
/// Number of records in a batch: that of the template.
const BATCH: usize = 100;

/// Returns the batches of the reviews' stream as Lambda's filter and the size in the template make them.
fn full_batches(batches: &[Value]) -> Vec<Value> {
    let of_reviews =
        |batch: &&Value| batch["Records"][0]["eventSourceARN"].as_str().is_some_and(|arn| arn.contains("reviews/"));
    let shard = batches.iter().find(of_reviews).expect("a batch of reviews")["shardId"].clone();
    let records = batches.iter().filter(of_reviews).flat_map(|batch| batch["Records"].as_array().expect("records"));
    let records: Vec<_> = records.filter(|record| record["dynamodb"]["Keys"]["sk"]["S"] == "R").collect();
    records.chunks(BATCH).map(|records| json!({ "shardId": shard, "Records": records })).collect()
}

/// Writes the reviews, and appends their events to the feed. Returns the cost of the latter.
async fn write_and_append(fixture: &mut FeedFixture) -> Cost {
    let seeded = Review { business_id: business_id("shop-1"), org_id: org_id(1), ..seeded_review("a") };
    let new = |number| {
        let partner_id = format!("r{number}");
        let id = ReviewId::derive(&seeded.business_id, seeded.partner, &partner_id, 0);
        Review { id, partner_id, ..seeded.clone() }
    };
    let writes = (0..REVIEWS).map(|number| ReviewWrite { old: None, new: new(number) });
    write_reviews(&fixture.events.stack, writes.collect()).await;
    let batches = full_batches(&fixture.events.batches().await);
    let (feed, clock) = (&fixture.events.stack.stores().feed, fixture.events.stack.clock.as_ref());
    let append_all = async {
        for batch in &batches {
            let answer = append(feed, clock, batch, Deadline::after(Duration::from_mins(10))).await;
            assert!(answer.batch.failures.is_empty());
        }
    };
    let ((), cost) = Box::pin(measured(append_all)).await;
    assert_eq!(usize::try_from(cost.calls), Ok(2 * batches.len()), "the head, and a transaction");
    cost
}

/// Receiver that takes everything at once.
struct Receiver;

impl Sender for Receiver {
    async fn send(&self, _: &Message) -> Answer {
        Answer { status: Some(204), ..Answer::default() }
    }
}

/// Delivers the events after this number to a new webhook. Returns the cost.
async fn deliver(stack: &TestStack, id: &str, after: u64) -> Cost {
    assert!(stack.put_webhook(id, "https://example.com/", Progress::starting_after(after, stack.clock.now())).await);
    let stores = stack.stores();
    let tables = StoredTables { webhooks: stores.webhooks.clone(), feed: stores.feed.clone() };
    let deliverer = Deliverer { tables, sender: Arc::new(Receiver), clock: Arc::clone(&stack.clock) as _ };
    let id = WebhookId::parse(id).expect("an id");
    let (due_at, cost) = Box::pin(measured(deliverer.run(id, &|| true))).await;
    assert_eq!(due_at.expect("an answer"), None);
    let webhook = stores.webhooks.get(id).await.expect("an answer").expect("a webhook");
    assert_eq!(webhook.progress.cursor, u64::from(REVIEWS));
    cost
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_of_a_full_batch_and_a_full_page_cost_few_units() {
    let mut fixture = FeedFixture::new().await;
    let events = f64::from(REVIEWS);
    let appended = write_and_append(&mut fixture).await;
    assert!(appended.write_units / events <= 0.25 && appended.read_units / events <= 0.05, "{appended:?}");

    let stack = &fixture.events.stack;
    // In the middle of a chunk: the page has events of two.
    let read = stack.stores().feed.read(Some(org_id(1)), FeedStart::After(50), 100, stack.clock.now());
    let (page, cost) = Box::pin(measured(read)).await;
    assert_eq!(page.expect("a page").events.len(), 100);
    assert!(cost.calls == 2 && cost.read_units <= 6.0, "{cost:?}");

    let by_default = fixture.page(&fixture.events.fixtures.admin_1, "").await;
    assert_eq!((by_default["events"].as_array().map(Vec::len), &by_default["next"]), (Some(30), &json!("1-30")));

    let alone = deliver(stack, "1-000000000000", u64::from(REVIEWS) - 1).await;
    assert!(alone.calls <= 9 && alone.write_units <= 3.0 && alone.read_units <= 5.0, "{alone:?}");
    let all = deliver(stack, "1-100000000000", 0).await;
    assert!(all.write_units / events <= 1.05 && all.read_units / events <= 0.03, "{all:?}");
}
