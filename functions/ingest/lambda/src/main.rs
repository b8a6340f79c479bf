//! Ingest on AWS Lambda.

use std::sync::Arc;

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use presence_ingest::{Ingest, handle};
use presence_ingest_lambda::{S3Objects, SqsQueue};
use presence_runtime::aws::Aws;
use presence_runtime::clock::SystemTimer;
use presence_runtime::config::{Config, IngestConfig};
use presence_runtime::telemetry::{self, Invocation};
use presence_store::schema::REVIEWS;
use presence_store::{Database, RetryPolicy, WriteRate};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let IngestConfig { bucket, queue_url } = IngestConfig::from_env()?;
    let aws = Aws::from_env()?;
    let rate = Arc::new(WriteRate::new(Arc::new(SystemTimer::start())));
    let database = Database::of(&aws.dynamodb(), &Config::from_env());
    let database = database.with_retry_policy(RetryPolicy::WhileImporting(rate));
    database.connect(&REVIEWS).await;
    let objects = Arc::new(S3Objects::new(&aws.s3(), bucket));
    let ingest = Ingest::new(&database, objects, Arc::new(SqsQueue::new(&aws.sqs(), queue_url)));
    let serve = move |event: LambdaEvent<Value>| {
        let ingest = ingest.clone();
        async move {
            let LambdaEvent { payload, context, .. } = event;
            let deadline = context.deadline();
            let function_version = context.env_config.version.clone();
            let invocation = Invocation { request_id: context.request_id, function_version };
            let work = handle(&ingest, &payload, deadline);
            Box::pin(invocation.run(work)).await.map_err(Error::from)
        }
    };
    run(service_fn(serve)).await
}
