//! Publisher on AWS Lambda. Its setting decides if it sends events or replies, or appends events to feeds.

use std::sync::Arc;

use lambda_runtime::Error;
use presence_publisher::{Bus, EventBridge, append, handle};
use presence_runtime::aws::{Aws, SqsQueue};
use presence_runtime::clock::SystemClock;
use presence_runtime::config::PublisherTarget;
use presence_runtime::invocations::serve;
use presence_runtime::telemetry;
use presence_store::{Database, FeedStore};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let aws = Aws::from_env()?;
    match PublisherTarget::from_env()? {
        PublisherTarget::EventBus(name) => run(EventBridge::new(&aws.event_bridge(), name)).await,
        PublisherTarget::ReplyQueue(url) => run(SqsQueue::new(&aws.sqs(), url)).await,
        PublisherTarget::Feed => feed().await,
    }
}

async fn feed() -> Result<(), Error> {
    let feed = FeedStore::new(&Database::from_env()?);
    feed.connect().await;
    serve(move |event, deadline| {
        let feed = feed.clone();
        async move { Ok::<_, Error>(append(&feed, &SystemClock, &event, deadline).await) }
    })
    .await
}

async fn run(bus: impl Bus + 'static) -> Result<(), Error> {
    let bus = Arc::new(bus);
    serve(move |event, deadline| {
        let bus = Arc::clone(&bus);
        async move { Ok::<_, Error>(handle(bus.as_ref(), &event, deadline).await) }
    })
    .await
}
