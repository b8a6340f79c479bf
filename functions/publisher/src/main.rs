//! Publisher on AWS Lambda. Its setting decides if it sends events or replies.

use std::sync::Arc;

use lambda_runtime::Error;
use presence_publisher::{EventBridge, fan_out, handle};
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
        PublisherTarget::EventBus(name) => events(EventBridge::new(&aws.event_bridge(), name)).await,
        PublisherTarget::ReplyQueue(url) => replies(SqsQueue::new(&aws.sqs(), url)).await,
    }
}

async fn events(bus: EventBridge) -> Result<(), Error> {
    let feed = FeedStore::new(&Database::from_env()?);
    feed.connect().await;
    let bus = Arc::new(bus);
    serve(move |event, deadline| {
        let (bus, feed) = (Arc::clone(&bus), feed.clone());
        async move { Ok::<_, Error>(fan_out(bus.as_ref(), &feed, &SystemClock, &event, deadline).await) }
    })
    .await
}

async fn replies(queue: SqsQueue) -> Result<(), Error> {
    let queue = Arc::new(queue);
    serve(move |event, deadline| {
        let queue = Arc::clone(&queue);
        async move { Ok::<_, Error>(handle(queue.as_ref(), &event, deadline).await) }
    })
    .await
}
