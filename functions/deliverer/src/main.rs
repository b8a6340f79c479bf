//! Deliverer on AWS Lambda.

use std::sync::Arc;

use lambda_runtime::Error;
use presence_deliverer::{Deliverer, HttpSender, SqsWakes, StoredTables, handle};
use presence_domain::webhook::WebhookReach;
use presence_runtime::aws::{Aws, SqsQueue};
use presence_runtime::clock::{Clock, SystemClock};
use presence_runtime::config::{Config, wake_queue_from_env};
use presence_runtime::invocations::serve;
use presence_runtime::telemetry;
use presence_store::{Database, FeedStore, WebhookStore};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let aws = Aws::from_env()?;
    let wakes = Arc::new(SqsWakes(SqsQueue::new(&aws.sqs(), wake_queue_from_env()?)));
    let database = Database::of(&aws.dynamodb(), &Config::from_env());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let deliverer = Arc::new(Deliverer {
        tables: StoredTables { webhooks: WebhookStore::new(&database), feed: FeedStore::new(&database) },
        sender: Arc::new(HttpSender::new(WebhookReach::Public, Arc::clone(&clock))),
        clock,
    });
    serve(move |event, deadline| {
        let (deliverer, wakes) = (Arc::clone(&deliverer), Arc::clone(&wakes));
        async move { handle(&deliverer, wakes.as_ref(), &event, deadline).await }
    })
    .await
}
