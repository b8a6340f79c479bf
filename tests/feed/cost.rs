//! Cost of an event to append and to deliver, and of a page to read.

use std::sync::Arc;

use presence_deliverer::{Deliverer, HttpSender, StoredTables};
use presence_domain::feed::{EventFilter, FeedStart};
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{Review, ReviewId};
use presence_domain::webhook::{Progress, SigningSecrets, Webhook, WebhookId, WebhookReach, WebhookSecret, WebhookUrl};
use presence_publisher::append;
use presence_runtime::clock::{Clock, deadline_in};
use presence_store::meter::{Cost, Meter};
use presence_store::{ReviewWrite, WebhookWrite};
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

/// Returns what a future costs, with its result.
async fn measured<T>(future: impl Future<Output = T>) -> (T, Cost) {
    let meter = Arc::new(Meter::default());
    let result = Box::pin(Arc::clone(&meter).watch(future)).await;
    (result, meter.cost())
}

fn org_id() -> OrgId {
    OrgId::new(1).expect("an id")
}

/// Writes reviews with these numbers, and appends their events to the feed. Returns the cost of the latter.
async fn write_and_append(fixture: &mut FeedFixture, numbers: std::ops::Range<u32>) -> Cost {
    let seeded =
        Review { business_id: BusinessId::parse("shop-1").expect("an id"), org_id: org_id(), ..seeded_review("a") };
    let new = |number| {
        let partner_id = format!("r{number}");
        let id = ReviewId::derive(&seeded.business_id, seeded.partner, &partner_id, 0);
        Review { id, partner_id, ..seeded.clone() }
    };
    let writes = numbers.map(|number| ReviewWrite { old: None, new: new(number) });
    write_reviews(&fixture.events.stack, writes.collect()).await;
    let batches = full_batches(&fixture.events.batches().await);
    let (feed, clock) = (&fixture.events.stack.stores().feed, fixture.events.stack.clock.as_ref());
    let append_all = async {
        for batch in &batches {
            let answer = append(feed, clock, batch, deadline_in(std::time::Duration::from_mins(10))).await;
            assert!(answer.batch.failures.is_empty());
        }
    };
    let ((), cost) = measured(append_all).await;
    assert_eq!(usize::try_from(cost.calls), Ok(2 * batches.len()), "the head, and a transaction");
    cost
}

/// Stores a webhook at the built-in receiver, which takes everything.
async fn store_webhook(fixture: &FeedFixture) -> WebhookId {
    let (stack, id) = (&fixture.events.stack, WebhookId::random(org_id(), 5));
    let now = stack.clock.now();
    let webhook = Webhook {
        id,
        url: WebhookUrl::from_stored(&format!("{}webhook-receiver/ok", stack.local.home_url())).expect("a URL"),
        types: EventFilter::default(),
        label: None,
        secrets: SigningSecrets::new(WebhookSecret::generate()),
        created_at: now,
        progress: Progress::starting_after(0, now),
        version: 1,
    };
    let write = WebhookWrite { before: None, after: Some(&webhook), record: None, answer: None };
    assert!(stack.stores().webhooks.write(write).await.expect("an answer"));
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_costs_few_units_to_append_to_read_and_to_deliver() {
    let mut fixture = FeedFixture::new().await;
    let events = f64::from(REVIEWS);
    let appended = write_and_append(&mut fixture, 0..REVIEWS).await;
    assert!(appended.write_units / events <= 0.25 && appended.read_units / events <= 0.05, "{appended:?}");

    let stores = fixture.events.stack.stores().clone();
    let clock = Arc::clone(&fixture.events.stack.clock) as Arc<dyn Clock>;
    // In the middle of a chunk: the page has events of two.
    let (page, cost) = measured(stores.feed.read(Some(org_id()), FeedStart::After(50), 100, clock.now())).await;
    assert_eq!(page.expect("a page").events.len(), 100);
    assert!(cost.waves == 1 && cost.read_units <= 6.0, "{cost:?}");

    let id = store_webhook(&fixture).await;
    let deliverer = Deliverer {
        tables: StoredTables { webhooks: stores.webhooks.clone(), feed: stores.feed.clone() },
        sender: Arc::new(HttpSender::new(WebhookReach::ThisMachine, Arc::clone(&clock))),
        clock,
    };
    let (_, many) = measured(deliverer.run(id, &|| true)).await;
    let cursor = async || stores.webhooks.get(id).await.expect("an answer").expect("a webhook").progress.cursor;
    assert_eq!(cursor().await, u64::from(REVIEWS));
    assert!(many.write_units / events <= 1.3 && many.read_units / events <= 0.2, "{many:?}");

    let alone = write_and_append(&mut fixture, REVIEWS..REVIEWS + 1).await;
    assert!(alone.write_units <= 6.0, "{alone:?}");
    let (_, one) = measured(deliverer.run(id, &|| true)).await;
    assert_eq!(cursor().await, u64::from(REVIEWS) + 1);
    assert!(one.write_units <= 4.0 && one.read_units <= 12.0, "{one:?}");
}
