//! Ingest on AWS Lambda.

use std::sync::Arc;

use lambda_runtime::Error;
use presence_ingest::{Ingest, S3Objects, SqsQueue, handle};
use presence_runtime::aws::Aws;
use presence_runtime::clock::SystemTimer;
use presence_runtime::config::{Config, IngestConfig};
use presence_runtime::invocations::serve;
use presence_runtime::telemetry;
use presence_store::schema::REVIEWS;
use presence_store::{Database, RetryPolicy, WriteRate};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let IngestConfig { bucket, queue_url } = IngestConfig::from_env()?;
    let aws = Aws::from_env()?;
    let rate = Arc::new(WriteRate::new(Arc::new(SystemTimer::start())));
    let database = Database::of(&aws.dynamodb(), &Config::from_env());
    let database = database.with_retry_policy(RetryPolicy::WhileImporting(rate));
    database.connect(&REVIEWS).await;
    let objects = Arc::new(S3Objects::new(&aws.s3(), &bucket));
    let ingest = Ingest::new(&database, objects, Arc::new(SqsQueue::new(&aws.sqs(), queue_url)));
    serve(move |event, deadline| {
        let ingest = ingest.clone();
        async move { handle(&ingest, &event, deadline).await }
    })
    .await
}
